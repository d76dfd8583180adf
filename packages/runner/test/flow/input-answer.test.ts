import { describe, expect, it } from 'vitest';
import { assertInputRequest } from '../../src/flow/input-answer.ts';

describe('assertInputRequest', () => {
  it.each([
    [{ message: 7 }, 'message must be a string that is not empty, got a number.'],
    [{ message: '' }, 'message must be a string that is not empty, got a string.'],
    [{ message: 'When?', responseSchema: { type: 'STRING' } }, 'responseSchema has the type "STRING".'],
    [{ message: 'When?', responseSchema: { day: { type: 'string' } } }, 'responseSchema is an object of JSON Schemas.'],
  ])('rejects %j', (request, message) => {
    expect(() => assertInputRequest(request as never)).toThrow(message);
  });
});
