import { TholeError } from '@thole/core';
import { isReasoningRejected } from '@thole/core/kit';
import { describe, expect, it } from 'vitest';
import { anthropicErrors, notAMessage } from '../src/map-anthropic-error.ts';
import { errorBody } from './fixtures/messages.ts';

const refuse = (status: number, body: unknown, headers: { [name: string]: string } = {}): TholeError =>
  anthropicErrors.refuse({ status, body, headers: new Headers(headers) }, 0);

describe('anthropicErrors.refuse', () => {
  it.each([
    [401, 'authentication_error', 'invalid x-api-key', 'MODEL_AUTH', false],
    [403, 'permission_error', 'Your key cannot use this.', 'MODEL_AUTH', false],
    [407, 'invalid_request_error', 'Proxy authentication is required.', 'MODEL_AUTH', false],
    [404, 'not_found_error', 'model: claude-x', 'MODEL_BAD_REQUEST', false],
    [413, 'request_too_large', 'Request exceeds the maximum size', 'MODEL_BAD_REQUEST', false],
    [429, 'rate_limit_error', 'Too many tokens per minute', 'MODEL_RATE_LIMITED', true],
    [400, 'invalid_request_error', 'Your credit balance is too low to access the API.', 'MODEL_RATE_LIMITED', false],
    [402, 'billing_error', 'Payment required', 'MODEL_RATE_LIMITED', false],
    [500, 'api_error', 'Internal server error', 'MODEL_UNAVAILABLE', true],
    [504, 'timeout_error', 'The request timed out', 'MODEL_TIMEOUT', true],
    [529, 'overloaded_error', 'Overloaded', 'MODEL_OVERLOADED', true],
    [400, 'invalid_request_error', 'prompt is too long: 2 tokens > 1 maximum', 'MODEL_CONTEXT_TOO_LONG', false],
    [
      400,
      'invalid_request_error',
      'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000',
      'MODEL_CONTEXT_TOO_LONG',
      false,
    ],
    [400, 'invalid_request_error', 'Output blocked by content filtering policy', 'MODEL_BLOCKED', false],
  ])('maps %i %s "%s" to %s', (status, type, message, code, retryable) => {
    const error = refuse(status, errorBody(type, message));
    expect([error.code, error.retryable, error.status]).toEqual([code, retryable, status]);
    expect(error.message).toContain(message);
    expect(error.details).toMatchObject({ status, type, requestId: 'req_011CSHoEeqs5C35K2UUqR7Fy' });
  });

  it('reads retry-after and the request id of the headers', () => {
    const error = refuse(529, errorBody('overloaded_error', 'Overloaded'), {
      'retry-after': '7',
      'request-id': 'req_9',
    });
    expect(error.retryAfterMs).toBe(7000);
    expect(error.details).toMatchObject({ requestId: 'req_9' });
  });

  it('reads bodies of Bedrock and Google', () => {
    const bedrock = refuse(
      400,
      { message: 'Malformed input request' },
      { 'x-amzn-errortype': 'ValidationException:http://x' },
    );
    expect(bedrock).toMatchObject({ code: 'MODEL_BAD_REQUEST', details: { type: 'ValidationException' } });
    expect(bedrock.message).toContain('Malformed input request');
    const google = refuse(429, [{ error: { code: 429, message: 'Quota exceeded', status: 'RESOURCE_EXHAUSTED' } }]);
    expect(google).toMatchObject({ code: 'MODEL_RATE_LIMITED', details: { type: 'RESOURCE_EXHAUSTED' } });
    expect(refuse(502, '<html>Bad gateway</html>').message).toMatch(/an HTML page. Check baseUrl/);
    expect(refuse(500, undefined).message).toBe("Claude's server refused the request with 500: no reason");
    const unknownModel = refuse(404, errorBody('not_found_error', 'model: claude-x')).message;
    expect(unknownModel).toBe("Claude's server refused the request with 404 (not_found_error): model: claude-x");
  });

  it('reads error codes of the API', () => {
    const body = {
      type: 'error',
      error: { type: 'rate_limit_error', message: 'Stop.', details: { error_code: 'contract_spend_limit_reached' } },
    };
    expect(refuse(429, body)).toMatchObject({
      code: 'MODEL_RATE_LIMITED',
      retryable: false,
      details: { code: 'contract_spend_limit_reached' },
    });
  });

  it('marks errors about unreadable thoughts of the history', () => {
    const message = 'messages.1.content.0: Invalid `signature` in `thinking` block';
    expect(isReasoningRejected(refuse(400, errorBody('invalid_request_error', message)))).toBe(true);
    expect(isReasoningRejected(refuse(400, errorBody('invalid_request_error', 'max_tokens: Field required')))).toBe(
      false,
    );
  });
});

describe('anthropicErrors.explain', () => {
  it.each([
    ['rate_limit_error', 'MODEL_RATE_LIMITED'],
    ['overloaded_error', 'MODEL_OVERLOADED'],
    ['api_error', 'MODEL_UNAVAILABLE'],
    ['throttlingException', 'MODEL_RATE_LIMITED'],
    ['validationException', 'MODEL_BAD_REQUEST'],
    ['modelTimeoutException', 'MODEL_TIMEOUT'],
  ])('maps the error event %s to %s', (type, code) => {
    const thrown = Object.assign(new Error('x'), { error: errorBody(type, 'Why.') });
    expect(anthropicErrors.explain(thrown, 'reading')).toMatchObject({
      code,
      message: expect.stringContaining('Why.'),
    });
  });

  it('distinguishes a connection that ended early from one that was not opened', () => {
    expect(anthropicErrors.explain(new TypeError('terminated'), 'reading').code).toBe('MODEL_INCOMPLETE');
    const unreachable = anthropicErrors.explain(new TypeError('fetch failed'), 'sending');
    expect(unreachable.code).toBe('MODEL_UNAVAILABLE');
    expect(unreachable.message).toContain('cannot be reached. Check baseUrl');
    const credentials = new Error('Failed to acquire Google OAuth credentials.');
    expect(anthropicErrors.explain(credentials, 'sending').code).toBe('MODEL_AUTH');
  });
});

describe('notAMessage', () => {
  it('quotes no text of the model from a body that is a stream or is cut off (contract 42)', () => {
    for (const body of ['event: content_block_delta\ndata: {"text":"secret"}', '{"content":[{"text":"secret'])
      expect(notAMessage(body)).toMatchObject({
        code: 'MODEL_PROTOCOL',
        message: expect.not.stringContaining('secret'),
      });
    expect(notAMessage('upstream is starting').message).toContain('upstream is starting');
  });
});
