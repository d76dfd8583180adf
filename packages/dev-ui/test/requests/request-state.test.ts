import type { Event, JsonObject } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { toEntries } from '../../page/conversation/entries.ts';
import { requestState, shownArguments, shownData } from '../../page/requests/request-state.ts';
import { findRequests } from '../../page/state/find-requests.ts';
import { anEvent } from '../an-event.ts';

const call = anEvent(1, { parts: [{ functionCall: { id: 'c', name: 'book', args: { room: 1 } } }] });
const gate = anEvent(2, {
  parts: [{ functionResponse: { id: 'c', name: 'book', response: { error: 'Needs a confirmation.' } } }],
  actions: { requestedToolConfirmations: { c: {} } },
});
const request = (name: string, args: JsonObject = {}): Event => ({
  ...anEvent(3, {
    parts: [{ functionCall: { id: 'r', name, args } }],
  }),
  longRunningToolIds: ['r'],
});
const confirmation = request('adk_request_confirmation', {
  originalFunctionCall: { id: 'c', name: 'book', args: { room: 1 } },
  toolConfirmation: { hint: 'Book?', confirmed: false, payload: null },
  expiresAt: 100,
});
const answer = (name: string, response: JsonObject, author = 'user'): Event =>
  anEvent(4, { author, parts: [{ functionResponse: { id: 'r', name, response } }] });
const stateOf = (events: Event[], seconds = 50) => requestState(findRequests(events).find('r'), seconds);

describe('requestState', () => {
  it('returns open until the expiry of the request', () => {
    expect(stateOf([call, gate, confirmation])).toBe('open');
    expect(stateOf([call, gate, confirmation], 100)).toBe('expired');
    expect(stateOf([request('thole_timer', { wakeAt: 10 })])).toBe('open');
  });

  it('returns the state according to the answer', () => {
    const name = 'adk_request_confirmation';
    const before = [call, gate, confirmation];
    expect(stateOf([...before, answer(name, { confirmed: true })])).toBe('approved');
    expect(stateOf([...before, answer(name, { response: '{"confirmed": true}' })])).toBe('approved');
    expect(stateOf([...before, answer(name, { confirmed: false })])).toBe('rejected');
    expect(stateOf([...before, answer(name, { confirmed: false }, 'system')])).toBe('expired');
    const input = request('adk_request_input');
    expect(stateOf([input, answer('adk_request_input', { result: 1 })])).toBe('answered');
    const signIn = request('adk_request_credential');
    expect(stateOf([signIn, answer('adk_request_credential', { status: 'denied' })])).toBe('rejected');
    expect(stateOf([signIn, answer('adk_request_credential', { status: 'received' })])).toBe('answered');
    const timer = request('thole_timer', { wakeAt: 10 });
    expect(stateOf([timer, answer('thole_timer', {}, 'system')])).toBe('answered');
  });

  it('returns closed if the invocation ended without an answer, or the request was rewound', () => {
    const ended = anEvent(5, { author: 'system', errorCode: 'RUN_ABORTED' });
    expect(stateOf([call, gate, confirmation, ended])).toBe('closed');
    const rewind = anEvent(5, { author: 'user', actions: { rewindBeforeInvocationId: 'invocation-1' } });
    expect(stateOf([call, gate, confirmation, rewind])).toBe('closed');
  });
});

describe('shownArguments, shownData', () => {
  const withPayload = (payload: JsonObject) => {
    const original = { id: 'c', name: 'book', args: { room: 1 } };
    const event = request('adk_request_confirmation', {
      originalFunctionCall: original,
      toolConfirmation: { payload },
    });
    return findRequests([event]).find('r')!;
  };

  it('return the arguments that a callback has changed, otherwise the data of the tool', () => {
    const changed = withPayload({ arguments: { room: 2 } });
    expect([shownArguments(changed), shownData(changed)]).toEqual([{ room: 2 }, undefined]);
    const other = withPayload({ days: 3 });
    expect([shownArguments(other), shownData(other)]).toEqual([{ room: 1 }, { days: 3 }]);
  });
});

describe('toEntries with requests', () => {
  it('shows a request instead of its call, and a gated call as waiting', () => {
    const blocks = toEntries([call, gate, confirmation]).flatMap((entry) => entry.blocks);
    expect(blocks).toMatchObject([
      { kind: 'tool', tool: { state: 'waiting' } },
      { kind: 'request', recorded: { interrupt: { kind: 'confirmation', toolName: 'book' } } },
    ]);
  });

  it('does not show a call of a client as a request', () => {
    const forged = anEvent(1, {
      author: 'user',
      parts: [{ functionCall: { id: 'r', name: 'adk_request_input', args: {} } }],
    });
    expect(toEntries([forged])[0]!.blocks).toMatchObject([{ kind: 'tool' }]);
  });
});
