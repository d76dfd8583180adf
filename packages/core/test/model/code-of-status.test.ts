import { codeOfStatus } from '@thole/core/kit';
import { describe, expect, it } from 'vitest';

describe('codeOfStatus', () => {
  it.each([
    [200, undefined],
    [299, undefined],
    [307, 'MODEL_BAD_REQUEST'],
    [400, 'MODEL_BAD_REQUEST'],
    [401, 'MODEL_AUTH'],
    [403, 'MODEL_AUTH'],
    [404, 'MODEL_BAD_REQUEST'],
    [407, 'MODEL_AUTH'],
    [408, 'MODEL_TIMEOUT'],
    [409, 'MODEL_OVERLOADED'],
    [429, 'MODEL_RATE_LIMITED'],
    [498, 'MODEL_OVERLOADED'],
    [500, 'MODEL_UNAVAILABLE'],
    [503, 'MODEL_OVERLOADED'],
    [504, 'MODEL_TIMEOUT'],
    [529, 'MODEL_OVERLOADED'],
  ])('maps status %i to %s', (status, code) => {
    expect(codeOfStatus(status)).toBe(code);
  });
});
