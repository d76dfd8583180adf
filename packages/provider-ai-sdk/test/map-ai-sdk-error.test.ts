import { APICallError, JSONParseError, LoadAPIKeyError, NoContentGeneratedError } from '@ai-sdk/provider';
import { TypeValidationError, UnsupportedFunctionalityError } from '@ai-sdk/provider';
import { TholeError } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { mapAiSdkError } from '../src/map-ai-sdk-error.ts';

const NOW = 1_700_000_000;
const map = (error: unknown, when: 'sending' | 'reading' = 'sending'): TholeError =>
  mapAiSdkError(error, when, { provider: 'local.chat', now: NOW });
const call = (statusCode: number | undefined, body: unknown, members: object = {}): APICallError =>
  new APICallError({
    message: 'It failed.',
    url: 'http://localhost/v1',
    requestBodyValues: { secret: 'prompt' },
    responseBody: typeof body === 'string' ? body : JSON.stringify(body),
    ...(statusCode !== undefined && { statusCode }),
    ...members,
  });
const bodyOf = (message: string, members: object = {}): object => ({ error: { message, ...members } });

describe('mapAiSdkError', () => {
  it.each([
    [401, bodyOf('Bad key'), 'MODEL_AUTH', false],
    [
      400,
      bodyOf('API key not valid. Please pass a valid API key.', { status: 'INVALID_ARGUMENT' }),
      'MODEL_AUTH',
      false,
    ],
    [402, bodyOf('Pay first'), 'MODEL_RATE_LIMITED', false],
    [429, bodyOf('Slow down'), 'MODEL_RATE_LIMITED', true],
    [429, bodyOf('No money', { code: 'insufficient_quota' }), 'MODEL_RATE_LIMITED', false],
    [503, bodyOf('Busy'), 'MODEL_OVERLOADED', true],
    [529, bodyOf('Overloaded', { type: 'overloaded_error' }), 'MODEL_OVERLOADED', true],
    [500, bodyOf('Oops'), 'MODEL_UNAVAILABLE', true],
    [504, '<html>Gateway</html>', 'MODEL_TIMEOUT', true],
    [400, bodyOf('prompt is too long: 210000 tokens > 200000 maximum'), 'MODEL_CONTEXT_TOO_LONG', false],
    [413, bodyOf('Too big', { type: 'request_too_large' }), 'MODEL_CONTEXT_TOO_LONG', false],
    [400, bodyOf('No', { code: 'content_filter' }), 'MODEL_BLOCKED', false],
    [404, bodyOf('No such model'), 'MODEL_BAD_REQUEST', false],
    [422, { detail: 'Wrong type' }, 'MODEL_BAD_REQUEST', false],
  ])('maps status %i with %j to %s', (status, body, code, retryable) => {
    expect(map(call(status, body))).toMatchObject({ code, retryable, status });
  });

  it('returns the server’s message, code and request id, and never the request', () => {
    const error = map(
      call(400, bodyOf('Invalid value', { code: 'invalid_value', type: 'invalid_request_error', param: 'tools' }), {
        responseHeaders: { 'x-request-id': 'req_1' },
      }),
    );
    expect(error.message).toBe('local.chat refused the request with 400: Invalid value');
    expect(error.details).toEqual({
      status: 400,
      code: 'invalid_value',
      type: 'invalid_request_error',
      param: 'tools',
      requestId: 'req_1',
    });
    expect(map(call(502, '<html>Bad gateway</html>')).message).toBe('local.chat refused the request with 502.');
  });

  it('follows retry-after, x-should-retry and Google’s RetryInfo', () => {
    const date = new Date((NOW + 3) * 1000).toUTCString();
    const errorWith = (headers: object): TholeError => map(call(429, bodyOf('Slow'), { responseHeaders: headers }));
    expect(errorWith({ 'retry-after': '2' }).retryAfterMs).toBe(2000);
    expect(errorWith({ 'retry-after': date }).retryAfterMs).toBe(3000);
    expect(errorWith({ 'x-should-retry': 'false' }).retryable).toBe(false);
    const info = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1.5s' };
    expect(map(call(429, [bodyOf('Slow', { details: [info] })])).retryAfterMs).toBe(1500);
  });

  it('distinguishes a connection that failed from an answer that ended early', () => {
    const failed = call(undefined, '', { responseBody: undefined, cause: new Error('ECONNREFUSED') });
    expect(map(failed).code).toBe('MODEL_UNAVAILABLE');
    expect(map(new TypeError('terminated'), 'reading').code).toBe('MODEL_INCOMPLETE');
    const text = '{"id": "x", "cho';
    const incomplete = call(200, text, { cause: new JSONParseError({ text, cause: new SyntaxError('end') }) });
    expect(map(incomplete).code).toBe('MODEL_INCOMPLETE');
    const page = '<html></html>';
    expect(map(call(200, page, { cause: new JSONParseError({ text: page, cause: 0 }) })).code).toBe('MODEL_PROTOCOL');
    const wrong = call(200, '{}', { cause: new TypeValidationError({ value: {}, cause: new Error('no choices') }) });
    expect(map(wrong).code).toBe('MODEL_PROTOCOL');
  });

  it.each([
    [{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'MODEL_OVERLOADED'],
    [{ message: 'Rate limit reached', type: 'requests' }, 'MODEL_RATE_LIMITED'],
    [{ error: { code: 'server_error', message: 'Oops' } }, 'MODEL_UNAVAILABLE'],
    ['The model is overloaded.', 'MODEL_OVERLOADED'],
    [{ message: 'Slow down', code: 429 }, 'MODEL_RATE_LIMITED'],
    [undefined, 'MODEL_FAILED'],
  ])('maps the error %j of a stream to %s', (error, code) => {
    expect(map(error, 'reading').code).toBe(code);
  });

  it('never returns the text of an answer that the AI SDK cannot read in a stream', () => {
    const cause = new Error('It is broken.');
    const incomplete = map(new JSONParseError({ text: '{"text":"My key is 1234', cause }), 'reading');
    const wrong = map(new TypeValidationError({ value: { text: 'My key is 1234' }, cause }), 'reading');
    expect([incomplete.code, wrong.code]).toEqual(['MODEL_INCOMPLETE', 'MODEL_PROTOCOL']);
    expect(incomplete.message + wrong.message).not.toContain('1234');
  });

  it('maps the errors that the AI SDK throws before a request', () => {
    const unsupported = map(new UnsupportedFunctionalityError({ functionality: 'media type: video/mp4' }));
    expect(unsupported).toMatchObject({ code: 'INVALID_INPUT', details: { functionality: 'media type: video/mp4' } });
    expect(map(new LoadAPIKeyError({ message: 'Set ANTHROPIC_API_KEY.' }))).toMatchObject({
      code: 'MODEL_AUTH',
      message: 'local.chat failed: Set ANTHROPIC_API_KEY.',
    });
    expect(map(new NoContentGeneratedError()).code).toBe('MODEL_EMPTY');
    expect(map(new Error('odd')).code).toBe('MODEL_FAILED');
    const tholeError = new TholeError('MODEL_TIMEOUT', 'Timed out.');
    expect(map(tholeError)).toBe(tholeError);
  });
});
