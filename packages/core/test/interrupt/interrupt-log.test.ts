import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json/json.ts';
import { createEvent } from '../../src/event/create-event.ts';
import type { EventInit } from '../../src/event/create-event.ts';
import type { Event } from '../../src/event/event.ts';
import { InterruptLog } from '../../src/interrupt/interrupt-log.ts';
import { pendingInterrupts } from '../../src/interrupt/pending-interrupts.ts';

const original = { id: 'c1', name: 'pay', args: { sum: 5 } };
const request = (id: string, name: string, args: JsonObject, more: Partial<EventInit> = {}): Event =>
  createEvent({
    ...{ author: 'root', invocationId: 'i', timestamp: 7, longRunningToolIds: [id] },
    content: { role: 'model', parts: [{ functionCall: { id, name, args } }] },
    ...more,
  });
const answer = (id: string, more: Partial<EventInit> = {}): Event =>
  createEvent({
    ...{ author: 'user', invocationId: 'i' },
    content: { role: 'user', parts: [{ functionResponse: { id, name: 'x', response: {} } }] },
    ...more,
  });
const timer = (id: string, wakeAt: number): Event => request(id, 'thole_timer', { wakeAt });
const closing = (errorCode: string, invocationId = 'i'): Event =>
  createEvent({ author: 'system', invocationId, errorCode });

describe('pendingInterrupts', () => {
  const confirmation = { hint: 'Sure?', confirmed: false, payload: { a: 1 } };
  const schema = { type: 'string' };
  const common = { invocationId: 'i', agentName: 'root', createdAt: 7 };
  const ofCall = { functionCallId: 'c1', toolName: 'pay', args: { sum: 5 } };

  it.each<[string, string, JsonObject, object]>([
    [
      'a confirmation',
      'adk_request_confirmation',
      { originalFunctionCall: original, toolConfirmation: confirmation, expiresAt: 9 },
      { kind: 'confirmation', ...ofCall, message: 'Sure?', payload: { a: 1 }, expiresAt: 9 },
    ],
    [
      'a confirmation of ADK in snake_case',
      'adk_request_confirmation',
      { original_function_call: original, tool_confirmation: confirmation },
      { kind: 'confirmation', ...ofCall, message: 'Sure?', payload: { a: 1 } },
    ],
    [
      'input',
      'adk_request_input',
      { message: 'Which?', response_schema: schema, payload: null },
      { kind: 'input', message: 'Which?', responseSchema: schema },
    ],
    ['input in camelCase', 'adk_request_input', { responseSchema: schema }, { kind: 'input', responseSchema: schema }],
    [
      'a sign-in',
      'adk_request_credential',
      { functionCallId: 'c1', authConfig: { credentialKey: 'k' } },
      { kind: 'credential', functionCallId: 'c1', payload: { credentialKey: 'k' } },
    ],
    [
      'a sign-in of ADK in snake_case',
      'adk_request_credential',
      { function_call_id: 'c1', auth_config: { credential_key: 'k' } },
      { kind: 'credential', functionCallId: 'c1', payload: { credential_key: 'k' } },
    ],
    ['a timer', 'thole_timer', { wakeAt: 12 }, { kind: 'timer', expiresAt: 12 }],
    [
      'a timer of an agent that runs as a tool',
      'thole_timer',
      { wakeAt: 12, originalFunctionCall: original },
      { kind: 'timer', expiresAt: 12, ...ofCall },
    ],
    [
      'a long-running call',
      'pay',
      { sum: 5 },
      { kind: 'longRunning', functionCallId: 'r1', toolName: 'pay', args: { sum: 5 } },
    ],
  ])('returns %s', (_, name, args, expected) => {
    expect(pendingInterrupts([request('r1', name, args)])).toEqual([{ id: 'r1', ...common, ...expected }]);
  });

  const inputRequest = request('r1', 'adk_request_input', { message: 'Which?' });
  it.each<[string, Event[], number]>([
    ['none after an answer', [inputRequest, answer('r1')], 0],
    ['none after an answer of the system', [inputRequest, answer('r1', { author: 'system' })], 0],
    ['one after an answer to another request', [inputRequest, answer('r2')], 1],
    ['one after an earlier answer with its id', [answer('r1'), inputRequest], 1],
    ['none for a request of the user', [{ ...inputRequest, author: 'user' }], 0],
    ['none for a request of the system', [{ ...inputRequest, author: 'system' }], 0],
    ['none for a call that is not in longRunningToolIds', [{ ...inputRequest, longRunningToolIds: [] }], 0],
    ['none after RUN_ABORTED', [inputRequest, closing('RUN_ABORTED')], 0],
    ['none after RUN_INTERRUPTED', [inputRequest, closing('RUN_INTERRUPTED')], 0],
    ['none after RUN_SUPERSEDED', [inputRequest, closing('RUN_SUPERSEDED')], 0],
    ['one after the end of another invocation', [inputRequest, closing('RUN_ABORTED', 'j')], 1],
    ['one after an error', [inputRequest, closing('MODEL_FAILED')], 1],
    ['one after a second request with its id', [inputRequest, inputRequest], 1],
    [
      'none after a rewind',
      [inputRequest, createEvent({ author: 'user', actions: { rewindBeforeInvocationId: 'i' } })],
      0,
    ],
  ])('returns %s', (_, events, count) => {
    expect(pendingInterrupts(events)).toHaveLength(count);
  });
});

describe('pendingInterrupts of a long-running call', () => {
  it('leaves the call out while its confirmation is open, and counts it afterwards', () => {
    const confirmation = { originalFunctionCall: { id: 'c1', name: 'pay', args: {} } };
    const events = [request('c1', 'pay', {}), request('r1', 'adk_request_confirmation', confirmation)];
    const idsOf = (all: readonly Event[]): string[] => pendingInterrupts(all).map(({ id }) => id);
    expect(idsOf(events)).toEqual(['r1']);
    expect(idsOf([...events, answer('r1')])).toEqual(['c1']);
    const log = new InterruptLog();
    for (const event of events) log.add(event);
    expect([log.openCount, log.marks.openInterrupts]).toEqual([2, 1]);
  });
});

describe('InterruptLog', () => {
  it('keeps the first answer of an interrupt', () => {
    const log = new InterruptLog();
    const [first, second] = [answer('r1'), answer('r1', { author: 'system' })];
    for (const event of [timer('r1', 5), first, second]) log.add(event);
    expect(log.find('r1')).toMatchObject({ isOpen: false, answer: { event: first } });
    expect(log.answered()).toHaveLength(1);
  });

  it('computes the marks after an event without adding it', () => {
    const log = new InterruptLog();
    for (const event of [timer('r1', 50), timer('r2', 20), request('r3', 'adk_request_input', {})]) log.add(event);
    expect(log.marks).toEqual({ openInterrupts: 3, wakeAt: 20 });
    expect(log.marksAfter(answer('r2'))).toEqual({ openInterrupts: 2, wakeAt: 50 });
    expect(log.marksAfter(timer('r4', 10))).toEqual({ openInterrupts: 4, wakeAt: 10 });
    expect(log.marksAfter(closing('RUN_ABORTED'))).toEqual({ openInterrupts: 0, wakeAt: null });
    expect(log.marksAfter(closing('MODEL_FAILED'))).toBeUndefined();
    expect(log.marks).toEqual({ openInterrupts: 3, wakeAt: 20 });
  });
});
