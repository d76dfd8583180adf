import { describe, expect, it } from 'vitest';
import { mapOpenAiError, openAiErrors, openAiFailure } from '../src/map-openai-error.ts';

const NOW = 1_700_000_000;
const errorFor = (status: number, body: unknown, headers: { [name: string]: string } = {}, provider = 'openai') =>
  openAiErrors(provider).refuse({ status, headers: new Headers(headers), body }, NOW);
const bodyOf = (message: string, code: string | null = null, type = 'invalid_request_error') => ({
  error: { message, type, param: null, code },
});

describe('openAiErrors.refuse', () => {
  // Formats of https://platform.openai.com/docs/guides/error-codes and of compatible servers.
  it.each([
    [400, bodyOf("Invalid value for 'temperature'"), 'MODEL_BAD_REQUEST', false],
    [401, bodyOf('Incorrect API key provided', 'invalid_api_key'), 'MODEL_AUTH', false],
    [403, bodyOf('Country, region, or territory not supported'), 'MODEL_AUTH', false],
    [404, bodyOf('The model `gpt-9` does not exist', 'model_not_found'), 'MODEL_BAD_REQUEST', false],
    [408, { error: { message: 'Your request timed out', code: 408 } }, 'MODEL_TIMEOUT', true],
    [
      422,
      { detail: [{ loc: ['body', 'messages'], msg: 'Field required', type: 'missing' }] },
      'MODEL_BAD_REQUEST',
      false,
    ],
    [
      429,
      bodyOf('Rate limit reached for gpt-5 on tokens per min', 'rate_limit_exceeded', 'tokens'),
      'MODEL_RATE_LIMITED',
      true,
    ],
    [
      429,
      bodyOf('You exceeded your current quota', 'insufficient_quota', 'insufficient_quota'),
      'MODEL_RATE_LIMITED',
      false,
    ],
    [
      402,
      { error: { message: 'Insufficient Balance', type: 'unknown_error', code: 'invalid_request_error' } },
      'MODEL_RATE_LIMITED',
      false,
    ],
    [500, bodyOf('The server had an error', null, 'server_error'), 'MODEL_UNAVAILABLE', true],
    [500, '', 'MODEL_UNAVAILABLE', true],
    [502, '<html><body>Bad Gateway</body></html>', 'MODEL_UNAVAILABLE', true],
    [503, bodyOf('The engine is currently overloaded', null, 'server_error'), 'MODEL_OVERLOADED', true],
    [529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'MODEL_OVERLOADED', true],
    [498, { error: { message: 'Flex capacity exceeded', code: 'capacity_exceeded' } }, 'MODEL_OVERLOADED', true],
    [400, bodyOf('The response was filtered', 'content_filter'), 'MODEL_BLOCKED', false],
  ])('maps status %i with %j to %s, retryable: %s', (status, body, code, retryable) => {
    expect(errorFor(status, body)).toMatchObject({ code, retryable, status });
  });

  // In this order: OpenAI, vLLM, llama.cpp, LM Studio, Groq, Mistral, xAI, OpenRouter, Google.
  it.each([
    [400, bodyOf('Your input exceeds …', 'context_length_exceeded')],
    [
      400,
      {
        object: 'error',
        message: "This model's maximum context length is 4096 tokens.",
        type: 'BadRequestError',
        code: 400,
      },
    ],
    [
      400,
      {
        error: {
          code: 400,
          message: 'the request exceeds the available context size',
          type: 'exceed_context_size_error',
        },
      },
    ],
    [
      400,
      {
        error: 'Trying to keep the first 5000 tokens, but the model is loaded with context length of only 4096 tokens.',
      },
    ],
    [
      413,
      { error: { message: 'Please reduce the length of the messages or completion.', type: 'invalid_request_error' } },
    ],
    [
      400,
      {
        object: 'error',
        message: 'Prompt contains 40000 tokens, too large for model with 32768 maximum context length',
      },
    ],
    [
      400,
      {
        code: 'Client error',
        error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      },
    ],
    [400, { error: { message: 'prompt is too long: 213462 tokens > 200000 maximum', code: 400 } }],
    [
      400,
      [
        {
          error: { code: 400, message: 'The input token count (1200000) exceeds the maximum number of tokens allowed' },
        },
      ],
    ],
  ])('maps status %i with %j to MODEL_CONTEXT_TOO_LONG', (status, body) => {
    expect(errorFor(status, body)).toMatchObject({ code: 'MODEL_CONTEXT_TOO_LONG', retryable: false });
  });

  it('does not map a token limit per minute to MODEL_CONTEXT_TOO_LONG', () => {
    const body = bodyOf('Request too large: maximum context length per minute', 'rate_limit_exceeded', 'tokens');
    expect(errorFor(429, body).code).toBe('MODEL_RATE_LIMITED');
  });

  it('names the server and its message, with code, type and request id in details', () => {
    const error = errorFor(404, bodyOf('No such model', 'model_not_found'), { 'x-request-id': 'req_1' });
    expect(error.message).toBe('OpenAI refused the request with 404: No such model');
    expect(error.details).toEqual({
      status: 404,
      code: 'model_not_found',
      type: 'invalid_request_error',
      requestId: 'req_1',
    });
    expect(errorFor(500, {}, {}, 'api.groq.com').message).toBe('api.groq.com refused the request with 500.');
  });

  it('reads the delay in seconds, in milliseconds or as a date', () => {
    expect(errorFor(429, {}, { 'retry-after': '2' }).retryAfterMs).toBe(2000);
    expect(errorFor(429, {}, { 'retry-after-ms': '150' }).retryAfterMs).toBe(150);
    const date = new Date((NOW + 3) * 1000).toUTCString();
    expect(errorFor(503, {}, { 'retry-after': date }).retryAfterMs).toBe(3000);
    expect(errorFor(429, {}).retryAfterMs).toBeUndefined();
  });

  it.each([
    [{ error: { message: 'a' } }, 'a'],
    [{ error: 'b' }, 'b'],
    [{ message: 'c' }, 'c'],
    [{ detail: 'd' }, 'd'],
    [{ detail: [{ loc: ['body', 'n'], msg: 'e' }] }, 'body.n: e'],
    ['f', 'f'],
  ])('reads the message from %j', (body, message) => {
    expect(errorFor(400, body).message).toContain(`: ${message}`);
  });
});

describe('openAiFailure', () => {
  it.each([
    [{ error: { code: 429, message: 'slow down' } }, 'MODEL_RATE_LIMITED'],
    [{ error: { code: 'server_error', message: 'disconnected' } }, 'MODEL_UNAVAILABLE'],
    [{ error: { type: 'overloaded_error', message: 'Overloaded' } }, 'MODEL_OVERLOADED'],
    [{ error: "model 'x' not found" }, 'MODEL_BAD_REQUEST'],
    [{ error: 'the request exceeds the available context size' }, 'MODEL_CONTEXT_TOO_LONG'],
    [{ object: 'error', message: 'something', type: 'InternalServerError', code: 500 }, 'MODEL_UNAVAILABLE'],
    [{ error: { message: 'odd' } }, 'MODEL_FAILED'],
  ])('maps %j to %s', (body, code) => {
    expect(openAiFailure(body).code).toBe(code);
  });

  it('quotes no text of the model from a body that is a stream or is cut off (contract 42)', () => {
    for (const body of [
      'data: {"choices":[{"delta":{"content":"secret"}}]}',
      '{"choices":[{"message":{"content":"secret',
    ])
      expect(openAiFailure(body)).toMatchObject({
        code: 'MODEL_PROTOCOL',
        message: expect.not.stringContaining('secret'),
      });
  });

  it('returns MODEL_PROTOCOL for an HTML page, other JSON and an empty body', () => {
    expect(openAiFailure('<!DOCTYPE html><p>Hi')).toMatchObject({ code: 'MODEL_PROTOCOL', retryable: false });
    expect(openAiFailure('<!DOCTYPE html><p>Hi').message).toMatch(/HTML page.*baseUrl/);
    for (const body of [{ hello: 1 }, undefined, 5, null]) expect(openAiFailure(body).code).toBe('MODEL_PROTOCOL');
  });
});

describe('mapOpenAiError', () => {
  it('distinguishes a connection that was not opened from one that ended during the answer', () => {
    const broken = new TypeError('terminated', { cause: new Error('other side closed') });
    expect(mapOpenAiError(broken, 'sending')).toMatchObject({ code: 'MODEL_UNAVAILABLE', retryable: true });
    expect(mapOpenAiError(broken, 'sending').message).toContain('cannot be reached. Check baseUrl');
    expect(mapOpenAiError(broken, 'reading')).toMatchObject({ code: 'MODEL_INCOMPLETE', retryable: true });
  });

  it('returns MODEL_INCOMPLETE for incomplete JSON, and MODEL_FAILED for unknown errors', () => {
    expect(mapOpenAiError(new SyntaxError('malformed'), 'reading').code).toBe('MODEL_INCOMPLETE');
    expect(mapOpenAiError(new TypeError('x is not a function'), 'reading')).toMatchObject({
      code: 'MODEL_FAILED',
      retryable: false,
    });
    const failed = Object.assign(new Error('500'), { error: { code: 'server_error', message: 'oh' } });
    expect(mapOpenAiError(failed, 'reading')).toMatchObject({ code: 'MODEL_UNAVAILABLE' });
  });
});
