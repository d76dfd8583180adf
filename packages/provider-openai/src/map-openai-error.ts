import { readRetryAfter, TholeError } from '@thole/core';
import { classifyRejection, isPartOfAnswer, isPlainObject } from '@thole/core/kit';
import type { ErrorTable, JsonObject } from '@thole/core';
import { readErrorBody } from './read-error-body.ts';
import type { ErrorBody } from './read-error-body.ts';

/** Returns the error mapping of a provider. Messages contain its name. */
export function openAiErrors(provider: string): ErrorTable {
  const name = provider === 'openai' ? 'OpenAI' : provider;
  return {
    refuse({ status, headers, body }, now) {
      const requestId = headers.get('x-request-id') ?? headers.get('apim-request-id');
      const retryAfterMs = readRetryAfter(headers, now);
      return failure(readErrorBody(body), `${name} refused the request with ${status}`, {
        status,
        retryAfterMs,
        ...(requestId !== null && { requestId }),
      });
    },
    explain: (error, when) => mapOpenAiError(error, when, name),
  };
}

/**
 * Returns the error for an `error` object or event inside a 200 answer or a stream, or for a body that is not an
 * answer.
 */
export function openAiFailure(body: unknown, status?: number): TholeError {
  const read = readErrorBody(body);
  if (status !== undefined && status >= 400)
    return failure(read, `The model server failed with status ${status}`, { status });
  if (read.isError)
    return failure(read, 'The model server reported an error in its answer', { status: read.status ?? 200 });
  const content = isPartOfAnswer(body)
    ? 'a stream of events or incomplete JSON'
    : (read.message ?? (body === '' ? 'it is empty' : 'unknown content'));
  return new TholeError(
    'MODEL_PROTOCOL',
    `The model server answered with status 200, but the body is not an answer of its API: ${content}.`,
    {
      details: { status: 200 },
    },
  );
}

/** Returns the error for any value that the SDK threw, except a rejection. A `TholeError` is returned unchanged. */
export function mapOpenAiError(error: unknown, when: 'sending' | 'reading', name: string = 'OpenAI'): TholeError {
  if (TholeError.is(error)) return error;
  const thrown = error as { error?: unknown; message?: unknown; cause?: unknown };
  if (isPlainObject(error) || (error instanceof Error && thrown.error)) return openAiFailure({ error: thrown.error });
  if (error instanceof Error && error.name === 'SyntaxError') {
    return new TholeError('MODEL_INCOMPLETE', `The answer of ${name} contains incomplete JSON.`, { cause: error });
  }
  if (!isConnectionError(thrown))
    return new TholeError('MODEL_FAILED', `The call of ${name} failed.`, { cause: error });
  return when === 'sending'
    ? new TholeError(
        'MODEL_UNAVAILABLE',
        `${name} cannot be reached. Check baseUrl and the network, and that the server is running.`,
        { cause: error },
      )
    : new TholeError('MODEL_INCOMPLETE', `The connection to ${name} ended before the answer was complete.`, {
        cause: error,
      });
}

function failure(
  { message, code, type, param, isHtml }: ErrorBody,
  summary: string,
  p: { status: number; retryAfterMs?: number | undefined; requestId?: string },
): TholeError {
  const { status, retryAfterMs, requestId } = p;
  const kind = classifyRejection({ status, code, type, message: isHtml ? undefined : message });
  const details: JsonObject = { status };
  for (const [key, value] of Object.entries({ code, type, param, requestId }))
    if (value !== undefined) details[key] = value;
  return new TholeError(kind.code, message === undefined ? `${summary}.` : `${summary}: ${message}`, {
    ...(kind.retryable !== undefined && { retryable: kind.retryable }),
    ...(status >= 400 && { status }),
    retryAfterMs,
    details,
  });
}

function isConnectionError({ message, cause }: { message?: unknown; cause?: unknown }): boolean {
  return cause !== undefined || (typeof message === 'string' && CONNECTION_ERROR.test(message));
}

const CONNECTION_ERROR = /connect|terminated|fetch failed|network|socket|aborted|closed|reset/i;
