import { describe, expect, it } from 'vitest';
import { assertInputRequest } from '../../src/flow/input-answer.ts';

describe('assertInputRequest', () => {
  it.each([
    [{ message: 7 }, 'message must be a string that is not empty, got a number.'],
    [{ message: '' }, 'message must be a string that is not empty, got a string.'],
  ])('rejects %j', (request, message) => {
    expect(() => assertInputRequest(request as never)).toThrow(message);
  });
});
