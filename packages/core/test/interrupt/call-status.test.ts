import { describe, expect, it } from 'vitest';
import { createEvent } from '../../src/event/create-event.ts';
import type { EventInit } from '../../src/event/create-event.ts';
import type { Event } from '../../src/event/event.ts';
import { callStatus } from '../../src/interrupt/call-status.ts';

const call = (more: Partial<EventInit> = {}): Event =>
  createEvent({
    ...{ author: 'root', invocationId: 'i' },
    content: { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'pay', args: { sum: 5 } } }] },
    ...more,
  });
const longRunning = call({ longRunningToolIds: ['c1'] });
const response = (value: string, more: Partial<EventInit> = {}, willContinue?: boolean): Event => {
  const functionResponse = { id: 'c1', name: 'pay', response: { value }, ...(willContinue && { willContinue }) };
  return createEvent({
    ...{ author: 'root', invocationId: 'i', content: { role: 'user', parts: [{ functionResponse }] } },
    ...more,
  });
};
const request = createEvent({
  ...{ author: 'root', invocationId: 'i', longRunningToolIds: ['r1'] },
  content: {
    role: 'model',
    parts: [
      {
        functionCall: {
          ...{ id: 'r1', name: 'adk_request_confirmation' },
          args: { originalFunctionCall: { id: 'c1', name: 'pay', args: { sum: 5 } } },
        },
      },
    ],
  },
});
const rewind = createEvent({ author: 'user', invocationId: 'j', actions: { rewindBeforeInvocationId: 'i' } });
const confirmationResponse = response('asks', { actions: { requestedToolConfirmations: { c1: {} } } });
const signInResponse = response('asks', { actions: { requestedAuthConfigs: { c1: {} } } });

describe('callStatus', () => {
  it.each<[string, Event[], string, string | undefined]>([
    ['open without a response', [call()], 'open', undefined],
    ['answered by a response', [call(), response('a')], 'answered', 'a'],
    ['answered by its first response', [call(), response('a'), response('b')], 'answered', 'a'],
    ['open after a response that requests a confirmation', [call(), confirmationResponse], 'open', 'asks'],
    ['open after a response that requests a sign-in', [call(), signInResponse], 'open', 'asks'],
    ['waiting while a request for it is open', [call(), confirmationResponse, request], 'waiting', 'asks'],
    [
      'answered after its request, by its answer',
      [call(), confirmationResponse, request, response('a')],
      'answered',
      'a',
    ],
    ['waiting after an update', [longRunning, response('u', { author: 'user' }, true)], 'waiting', 'u'],
    ['waiting after the first note of a long-running tool', [longRunning, response('note')], 'waiting', 'note'],
    ['answered by the user if it is long-running', [longRunning, response('a', { author: 'user' })], 'answered', 'a'],
    [
      'answered if a long-running tool has ended',
      [longRunning, response('a', { customMetadata: { callEnded: true } })],
      'answered',
      'a',
    ],
    ['open if a later call has its id', [call(), response('a'), call()], 'open', undefined],
  ])('returns %s', (_, events, status, value) => {
    const found = callStatus(events, 'c1')!;
    expect([found.status, found.response?.response['value']]).toEqual([status, value]);
    expect(found.call).toMatchObject({ name: 'pay', args: { sum: 5 } });
  });

  it('returns undefined for an unknown call and for a rewound call', () => {
    expect(callStatus([call()], 'c2')).toBeUndefined();
    expect(callStatus([call(), response('a'), rewind], 'c1')).toBeUndefined();
  });
});
