import type { TholeError } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { credentialsError, errorIn, geminiErrors } from '../src/map-gemini-error.ts';
import { dailyQuotaUsedUp } from './fixtures/answers.ts';

describe('geminiErrors', () => {
  it.each([
    [400, 'INVALID_ARGUMENT', 'Invalid value.', 'MODEL_BAD_REQUEST', false],
    [400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.', 'MODEL_BAD_REQUEST', false],
    [
      400,
      'INVALID_ARGUMENT',
      'The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).',
      'MODEL_CONTEXT_TOO_LONG',
      false,
    ],
    [401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.', 'MODEL_AUTH', false],
    [403, 'PERMISSION_DENIED', 'Permission denied.', 'MODEL_AUTH', false],
    [404, 'NOT_FOUND', 'models/gemini-9 is not found.', 'MODEL_BAD_REQUEST', false],
    [407, '', 'Proxy authentication is required.', 'MODEL_AUTH', false],
    [408, '', 'Timed out.', 'MODEL_TIMEOUT', true],
    [429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).', 'MODEL_RATE_LIMITED', true],
    [499, 'CANCELLED', 'Cancelled.', 'MODEL_UNAVAILABLE', true],
    [500, 'INTERNAL', 'An internal error has occurred.', 'MODEL_UNAVAILABLE', true],
    [502, '', 'Bad gateway.', 'MODEL_UNAVAILABLE', true],
    [503, 'UNAVAILABLE', 'The model is overloaded.', 'MODEL_OVERLOADED', true],
    [504, 'DEADLINE_EXCEEDED', 'Deadline exceeded.', 'MODEL_TIMEOUT', true],
  ])('maps %i %s "%s" to %s', (status, type, message, code, retryable) => {
    expect(refused(status, { error: { code: status, message, status: type } })).toMatchObject({
      code,
      retryable,
      status,
      message: `Gemini refused the request: ${message}`,
      details: { provider: 'gemini', status, type },
    });
  });

  it('maps an invalid key to MODEL_AUTH, although Google answers 400', () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }];
    expect(
      refused(400, { error: { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT', details } }),
    ).toMatchObject({
      code: 'MODEL_AUTH',
      details: { reason: 'API_KEY_INVALID' },
    });
  });

  it('reads the delay from the header, otherwise from the body', () => {
    const body = { error: { code: 429, details: [{ retryDelay: '2.5s' }] } };
    expect(refused(429, body)).toMatchObject({ retryAfterMs: 2500, retryable: true });
    expect(refused(429, body, { 'retry-after': '7' })).toMatchObject({ retryAfterMs: 7000 });
    expect(refused(429, { error: { details: [{ retryDelay: 'soon' }] } }).retryAfterMs).toBeUndefined();
  });

  it('recognizes a quota that does not recover during a wait', () => {
    expect(refused(429, dailyQuotaUsedUp)).toMatchObject({
      code: 'MODEL_RATE_LIMITED',
      retryable: false,
      retryAfterMs: 34_500,
    });
  });

  it.each([
    ['an empty body', ''],
    ['a list of one', [{ error: { code: 500, message: 'Oh.', status: 'INTERNAL' } }]],
    ['an HTML page', '<html>500</html>'],
    ['an error that is a text', { error: 'Oh.' }],
    ['something else', { a: 1 }],
    ['null', null],
  ])('keeps the status of a 500 with %s', (_, body) => {
    expect(refused(500, body)).toMatchObject({ code: 'MODEL_UNAVAILABLE', status: 500, retryable: true });
  });

  it('names baseUrl for an HTML page', () => {
    expect(refused(502, '<html>Sign in</html>').message).toBe(
      'Gemini refused the request: an HTML page. Check baseUrl',
    );
  });

  it('distinguishes a connection that fails before the answer from one that ends during it', () => {
    const cause = new TypeError('fetch failed');
    expect(geminiErrors.explain(cause, 'sending')).toMatchObject({ code: 'MODEL_UNAVAILABLE', retryable: true, cause });
    expect(geminiErrors.explain(cause, 'sending').message).toContain('cannot be reached. Check baseUrl');
    expect(geminiErrors.explain(cause, 'reading')).toMatchObject({ code: 'MODEL_INCOMPLETE', retryable: true, cause });
  });
});

describe('errorIn', () => {
  it('returns the error in a response with status 200, and undefined for an answer', () => {
    expect(errorIn({ error: { code: 429, message: 'Slow down.' } })).toMatchObject({
      code: 'MODEL_RATE_LIMITED',
      status: 429,
    });
    expect(errorIn({ candidates: [] })).toBeUndefined();
  });
});

describe('credentialsError', () => {
  it('distinguishes rejected credentials from a token server that cannot be reached', () => {
    expect(credentialsError(new Error('Could not load the default credentials.'))).toMatchObject({
      code: 'MODEL_AUTH',
      retryable: false,
    });
    const unreachable = Object.assign(new Error('request failed'), { code: 'ECONNREFUSED' });
    expect(credentialsError(unreachable)).toMatchObject({ code: 'MODEL_UNAVAILABLE', retryable: true });
  });
});

function refused(status: number, body: unknown, headers: { [name: string]: string } = {}): TholeError {
  return geminiErrors.refuse({ status, body, headers: new Headers(headers) }, 0);
}
