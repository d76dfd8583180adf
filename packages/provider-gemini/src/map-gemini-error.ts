import { readRetryAfter, TholeError } from '@thole/core';
import { codeOfStatus, isPlainObject } from '@thole/core/kit';
import type { ErrorTable, JsonObject, TholeErrorCode } from '@thole/core';

/** Maps errors of Gemini and its SDK to Thole's errors. */
export const geminiErrors: ErrorTable = {
  refuse: ({ status, headers, body }, now) => refusal(status, body, readRetryAfter(headers, now)),
  explain: (error, when) =>
    when === 'reading'
      ? new TholeError('MODEL_INCOMPLETE', 'The connection to Gemini ended before the answer was complete.', {
          cause: error,
        })
      : new TholeError('MODEL_UNAVAILABLE', 'Gemini could not be reached.', { cause: error }),
};

/** Returns the error in an answer with status 200 or in a chunk of it. Undefined if there is none. */
export function errorIn(answer: unknown): TholeError | undefined {
  const error = errorOf(answer);
  return error && refusal(typeof error['code'] === 'number' ? error['code'] : 500, answer, undefined);
}

/** Returns the error for a call that failed before it was sent, while the SDK looked for credentials. */
export function credentialsError(cause: unknown): TholeError {
  const chain = chainOf(cause);
  if (chain.some(({ name }) => name === 'TimeoutError' || name === 'AbortError'))
    return new TholeError('MODEL_TIMEOUT', 'The server that issues credentials for Gemini did not answer in time.', {
      cause,
    });
  if (chain.some(isUnreachable)) {
    const message = 'The server that issues credentials for Gemini could not be reached.';
    return new TholeError('MODEL_UNAVAILABLE', message, { cause });
  }
  return new TholeError(
    'MODEL_AUTH',
    'The credentials for Gemini are missing or were rejected. Check apiKey, googleAuthOptions or `gcloud auth application-default login`.',
    { cause },
  );
}

/** True if the server does not have or accept the context cache that a request names. */
export function isCacheRefused(error: unknown): boolean {
  if (!TholeError.is(error, 'MODEL_AUTH') && !TholeError.is(error, 'MODEL_BAD_REQUEST')) return false;
  return /cached ?content/i.test(error.message);
}

function chainOf(error: unknown): { [key: string]: unknown }[] {
  const chain: { [key: string]: unknown }[] = [];
  for (let each = error; isObject(each) && chain.length < 5; each = each['cause']) chain.push(each);
  return chain;
}

/** True without a response, or if the response blames the server. */
function isUnreachable({ code, message, status }: { [key: string]: unknown }): boolean {
  if (/^(ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|EPIPE)$/.test(String(code))) return true;
  return message === 'fetch failed' || (typeof status === 'number' && status >= 500);
}

/** Returns the error for a body that could not be read although its status was a success. */
export function notGemini(what: string): TholeError {
  return new TholeError(
    'MODEL_UNAVAILABLE',
    `The answer of the server is not an answer of the Gemini API: ${what}. Check baseUrl.`,
    {
      retryable: false,
    },
  );
}

function refusal(status: number, body: unknown, waitMs: number | undefined): TholeError {
  const error = errorOf(body) ?? {};
  const message = typeof error['message'] === 'string' ? error['message'].trim() : '';
  const details = Array.isArray(error['details']) ? error['details'].filter(isPlainObject) : [];
  const reason = details.map((detail) => detail['reason']).find((each) => typeof each === 'string');
  const code = codeOf(status, message, reason);
  const isUsedUp = code === 'MODEL_RATE_LIMITED' && isQuotaUsedUp(message, details);
  const errorDetails: JsonObject = { provider: 'gemini', status };
  if (typeof error['status'] === 'string') errorDetails['type'] = error['status'];
  if (reason !== undefined) errorDetails['reason'] = reason;
  return new TholeError(code, `Gemini refused the request: ${message || `status ${status}, without a reason`}`, {
    status,
    retryAfterMs: waitMs ?? retryDelay(details),
    ...(isUsedUp && { retryable: false }),
    details: errorDetails,
  });
}

function codeOf(status: number, message: string, reason: string | undefined): TholeErrorCode {
  if (reason === 'API_KEY_INVALID') return 'MODEL_AUTH';
  // Google's ABORTED and CANCELLED.
  if (status === 409 || status === 499) return 'MODEL_UNAVAILABLE';
  const code = codeOfStatus(status) ?? 'MODEL_BAD_REQUEST';
  return code === 'MODEL_BAD_REQUEST' && TOO_LONG.test(message) ? 'MODEL_CONTEXT_TOO_LONG' : code;
}

const TOO_LONG =
  /exceeds the maximum number of (input )?tokens|token count .*exceeds|(input|prompt|context) is too long/i;

/** True for a daily limit or a limit of zero, which do not pass while a caller waits. */
function isQuotaUsedUp(message: string, details: readonly { [key: string]: unknown }[]): boolean {
  if (/exceeded your current quota[^]*limit: 0\b|per[ _]?day/i.test(message)) return true;
  return details
    .flatMap((detail) => (Array.isArray(detail['violations']) ? detail['violations'] : [detail['metadata']]))
    .filter(isPlainObject)
    .some((each) => [each['quotaId'], each['quota_limit']].some((id) => typeof id === 'string' && /PerDay/i.test(id)));
}

/** Returns the delay of `google.rpc.RetryInfo`, which is in seconds: `"34.5s"`. */
function retryDelay(details: readonly { [key: string]: unknown }[]): number | undefined {
  const delay = details.map((detail) => detail['retryDelay']).find((delay) => typeof delay === 'string');
  const seconds = delay === undefined ? NaN : /^(\d+(?:\.\d+)?)s$/.exec(delay)?.[1];
  return seconds === undefined || Number.isNaN(Number(seconds)) ? undefined : Math.round(Number(seconds) * 1000);
}

/**
 * Returns the error of a body `{error: {code, message, status, details}}`. For a stream that never began, the body
 * is a list of one.
 */
function errorOf(body: unknown): { [key: string]: unknown } | undefined {
  const first: unknown = Array.isArray(body) ? body[0] : body;
  if (!isPlainObject(first)) return typeof first === 'string' && first !== '' ? { message: brief(first) } : undefined;
  const { error } = first;
  if (isPlainObject(error)) return error;
  return typeof error === 'string' ? { message: error } : undefined;
}

const brief = (text: string): string => (/^\s*</.test(text) ? 'an HTML page. Check baseUrl' : text.slice(0, 300));

const isObject = (value: unknown): value is { [key: string]: unknown } => typeof value === 'object' && value !== null;
