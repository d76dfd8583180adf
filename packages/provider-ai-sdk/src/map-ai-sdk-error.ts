import { readRetryAfter, TholeError } from '@thole/core';
import { classifyRejection, isPlainObject } from '@thole/core/kit';
import type { ErrorTable, JsonObject } from '@thole/core';
import { readErrorBody } from './read-error-body.ts';

/** Returns the error mapping of an AI SDK provider. Messages contain its name. `now` is in seconds. */
export function aiSdkErrors(provider: string, now: () => number): ErrorTable {
  return {
    refuse: ({ status, headers, body }) =>
      rejectionError(provider, body, status, { retryAfterMs: readRetryAfter(headers, now()) }),
    explain: (error, when) => mapAiSdkError(error, when, { provider, now: now() }),
  };
}

/**
 * Returns the error for any value that an AI SDK model threw or sent in its stream. A `TholeError` is returned
 * unchanged. Errors of the AI SDK are recognised by name, so that several versions of the AI SDK are supported.
 */
export function mapAiSdkError(
  error: unknown,
  when: 'sending' | 'reading',
  { provider, now }: { readonly provider: string; readonly now: number },
): TholeError {
  if (TholeError.is(error)) return error;
  if (!(error instanceof Error)) return rejectionError(provider, error, 200, {});
  const { name, message } = error;
  if (name === 'AI_APICallError') return fromApiCall(error, when, provider, now);
  if (name === 'AI_UnsupportedFunctionalityError') {
    const { functionality } = error as { functionality?: unknown };
    return new TholeError('INVALID_INPUT', `${provider} does not support the request: ${message}`, {
      cause: error,
      ...(typeof functionality === 'string' && { details: { functionality } }),
    });
  }
  // The messages of these errors contain the answer.
  if (/^AI_(JSONParse|TypeValidation)/.test(name)) return unreadableAnswer(error, error, provider, undefined);
  const known = CODES_BY_NAME.find(([pattern]) => pattern.test(name));
  if (known) return new TholeError(known[1], `${provider} failed: ${message}`, { cause: error });
  if (!isConnectionError(error))
    return new TholeError('MODEL_FAILED', `The call of ${provider} failed.`, { cause: error });
  return connectionError(error, when, provider);
}

const CODES_BY_NAME: readonly (readonly [RegExp, string])[] = [
  [/^AI_Load(APIKey|Setting)Error$/, 'MODEL_AUTH'],
  [/^AI_(InvalidPrompt|InvalidArgument|NoSuchModel|TooManyEmbeddingValuesForCall)/, 'MODEL_BAD_REQUEST'],
  [/^AI_NoContentGenerated/, 'MODEL_EMPTY'],
  [/^AI_EmptyResponseBody/, 'MODEL_INCOMPLETE'],
  [/^AI_InvalidResponseData/, 'MODEL_PROTOCOL'],
];

interface ApiCallError extends Error {
  readonly statusCode?: unknown;
  readonly responseHeaders?: unknown;
  readonly responseBody?: unknown;
  readonly data?: unknown;
}

function fromApiCall(error: ApiCallError, when: 'sending' | 'reading', provider: string, now: number): TholeError {
  const { statusCode, responseHeaders, responseBody, data, message, cause } = error;
  if (typeof statusCode !== 'number') {
    // An error event inside a stream has data, but no status.
    return data === undefined
      ? connectionError(error, when, provider)
      : rejectionError(provider, data, 200, { fallback: message });
  }
  if (statusCode < 400) return unreadableAnswer(error, cause, provider, data);
  const headers = new Headers(isPlainObject(responseHeaders) ? (responseHeaders as { [name: string]: string }) : {});
  const retryAfterMs = readRetryAfter(headers, now);
  const shouldRetry = headers.get('x-should-retry');
  return rejectionError(provider, data ?? responseBody, statusCode, {
    retryAfterMs,
    fallback: typeof responseBody === 'string' && responseBody.trim().startsWith('<') ? undefined : message,
    requestId: headers.get('x-request-id') ?? headers.get('request-id') ?? undefined,
    ...((shouldRetry === 'true' || shouldRetry === 'false') && { retryable: shouldRetry === 'true' }),
  });
}

/** Returns the error for an answer that the AI SDK could not read: it ended early, or it is not an answer. */
function unreadableAnswer(error: Error, cause: unknown, provider: string, data: unknown): TholeError {
  if (data !== undefined && readErrorBody(data).isError) return rejectionError(provider, data, 200, {});
  const { name, text } = (cause ?? {}) as { name?: unknown; text?: unknown };
  const endedEarly = name !== 'AI_TypeValidationError' && (typeof text !== 'string' || /^\s*[[{]|^\s*$/.test(text));
  return endedEarly
    ? new TholeError('MODEL_INCOMPLETE', `The connection to ${provider} ended before the answer was complete.`, {
        cause: error,
      })
    : new TholeError('MODEL_PROTOCOL', `The answer of ${provider} is not an answer of its API.`, { cause: error });
}

function connectionError(error: Error, when: 'sending' | 'reading', provider: string): TholeError {
  return when === 'sending'
    ? new TholeError(
        'MODEL_UNAVAILABLE',
        `${provider} cannot be reached. Check the network and the address of the provider.`,
        { cause: error },
      )
    : new TholeError('MODEL_INCOMPLETE', `The connection to ${provider} ended before the answer was complete.`, {
        cause: error,
      });
}

function rejectionError(
  provider: string,
  body: unknown,
  status: number,
  p: {
    retryAfterMs?: number | undefined;
    retryable?: boolean | undefined;
    fallback?: string | undefined;
    requestId?: string | undefined;
  },
): TholeError {
  const { message = p.fallback, code, type, param, retryAfterMs, status: statusInBody } = readErrorBody(body);
  // An error in a stream has the status of the response, which is 200.
  const kind = classifyRejection({ status: status < 400 ? (statusInBody ?? status) : status, code, type, message });
  const retryable = p.retryable ?? kind.retryable;
  const details: JsonObject = { status };
  for (const [key, value] of Object.entries({ code, type, param, requestId: p.requestId }))
    if (value !== undefined) details[key] = value;
  const summary = status < 400 ? `${provider} failed in its answer` : `${provider} refused the request with ${status}`;
  return new TholeError(kind.code, message === undefined || message === '' ? `${summary}.` : `${summary}: ${message}`, {
    ...(retryable !== undefined && { retryable }),
    ...(status >= 400 && { status }),
    retryAfterMs: p.retryAfterMs ?? retryAfterMs,
    details,
  });
}

function isConnectionError({ message, cause }: Error): boolean {
  return cause !== undefined || CONNECTION_ERROR.test(message);
}

const CONNECTION_ERROR = /connect|terminated|fetch failed|network|socket|aborted|closed|reset/i;
