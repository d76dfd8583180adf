import { describe, expect, it } from 'vitest';
import { callToApprove } from '../../src/interrupt/call-to-approve.ts';

describe('callToApprove', () => {
  const asked = { toolName: 'pay', args: { sum: 5 } };

  it.each([
    ['the call of the model', asked, asked],
    ['the call of the model if the tool adds data', { ...asked, payload: { toolName: 'x', args: {}, more: 1 } }, asked],
    ['the arguments of a callback', { ...asked, payload: { arguments: { sum: 4 } } }, { ...asked, args: { sum: 4 } }],
    [
      'the call of an agent that runs as a tool',
      { toolName: 'clerk', args: { request: 'Pay.' }, payload: asked },
      asked,
    ],
    ['no arguments if there are none', { toolName: 'pay' }, { toolName: 'pay', args: {} }],
    ['no tool if the request names none', {}, { toolName: undefined, args: {} }],
  ])('returns %s', (_, interrupt, call) => {
    expect(callToApprove(interrupt)).toEqual(call);
  });
});
