import { describe, expect, it } from 'vitest';
import { callToApprove } from '../../src/interrupt/call-to-approve.ts';

describe('callToApprove', () => {
  const modelCall = { toolName: 'pay', args: { sum: 5 } };

  it.each([
    ['the call of the model', modelCall, modelCall],
    [
      'the call of the model if the tool adds data',
      { ...modelCall, payload: { toolName: 'x', args: {}, more: 1 } },
      modelCall,
    ],
    [
      'the arguments of a callback',
      { ...modelCall, payload: { arguments: { sum: 4 } } },
      { ...modelCall, args: { sum: 4 } },
    ],
    [
      'the call of an agent that runs as a tool',
      { toolName: 'clerk', args: { request: 'Pay.' }, payload: modelCall },
      modelCall,
    ],
    ['no arguments if there are none', { toolName: 'pay' }, { toolName: 'pay', args: {} }],
    ['no tool if the request names none', {}, { toolName: undefined, args: {} }],
  ])('returns %s', (_, interrupt, call) => {
    expect(callToApprove(interrupt)).toEqual(call);
  });
});
