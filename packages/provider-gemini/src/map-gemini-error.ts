import { readRetryAfter, TholeError } from '@thole/core';
import { codeOfStatus, isPlainObject } from '@thole/core/kit';
import type { ErrorTable, JsonObject, TholeErrorCode } from '@thole/core';

/** Maps errors of Gemini and its SDK to Thole's errors. */
export const geminiErrors: ErrorTable = {
  refuse: ({ status, headers, body }, now) => refusal(status, body, readRetryAfter(headers, now)),
  explain(cause, when) {
    if (when === 'reading')
      return new TholeError('MODEL_INCOMPLETE', 'The connection to Gemini ended before the answer was complete.', {
        cause,
      });
    // The SDK reads the answers to embeddings.
    if (cause instanceof Error && cause.name === 'SyntaxError') return notGemini('its body is not JSON');
    return new TholeError('MODEL_UNAVAILABLE', 'Gemini cannot be reached. Check baseUrl and the network.', { cause });
  },
};

/** Returns the error in an answer with status 200 or in a chunk of it. Undefined without an error. */
export function errorIn(answer: unknown): TholeError | undefined {
  const error = errorOf(answer);
  return error && refusal(typeof error['code'] === 'number' ? error['code'] : 500, answer, undefined);
}

/** Returns the error for a call that failed before it was sent, while the SDK requested credentials. */
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
  // Vertex AI writes "Cache content … is expired".
  return /cached? ?content/i.test(error.message);
}

function chainOf(error: unknown): { [key: string]: unknown }[] {
  const chain: { [key: string]: unknown }[] = [];
  for (let each = error; isObject(each) && chain.length < 5; each = each['cause']) chain.push(each);
  return chain;
}

/** True for a connection error and for a 5xx response. */
function isUnreachable({ code, message, status }: { [key: string]: unknown }): boolean {
  if (/^(ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|EPIPE)$/.test(String(code))) return true;
  return message === 'fetch failed' || (typeof status === 'number' && status >= 500);
}

/** Returns the error for a body that is not an answer of Gemini although the status is a success. */
export function notGemini(reason: string): TholeError {
  return new TholeError(
    'MODEL_PROTOCOL',
    `The answer of the server is not an answer of the Gemini API: ${reason}. Check baseUrl.`,
  );
}

function refusal(status: number, body: unknown, headerDelayMs: number | undefined): TholeError {
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
    retryAfterMs: headerDelayMs ?? retryDelay(details),
    ...(isUsedUp && { retryable: false }),
    details: errorDetails,
  });
}

function codeOf(status: number, message: string, reason: string | undefined): TholeErrorCode {
  if (reason === 'API_KEY_INVALID') return 'MODEL_AUTH';
  // Google's ABORTED and CANCELLED.
  if (status === 409 || status === 499) return 'MODEL_UNAVAILABLE';
  const code = codeOfStatus(status) ?? 'MODEL_BAD_REQUEST';
  return code === 'MODEL_BAD_REQUEST' && CONTEXT_TOO_LONG.test(message) ? 'MODEL_CONTEXT_TOO_LONG' : code;
}

const CONTEXT_TOO_LONG =
  /exceeds the maximum number of (input )?tokens|token count .{0,200}exceeds|(input|prompt|context) is too long/i;

/** True for a daily limit and for a limit of zero: waiting some seconds does not help. */
function isQuotaUsedUp(message: string, details: readonly { [key: string]: unknown }[]): boolean {
  if (/exceeded your current quota[^]*limit: 0\b|per[ _]?day/i.test(message)) return true;
  return details
    .flatMap((detail) => (Array.isArray(detail['violations']) ? detail['violations'] : [detail['metadata']]))
    .filter(isPlainObject)
    .some((each) => [each['quotaId'], each['quota_limit']].some((id) => typeof id === 'string' && /PerDay/i.test(id)));
}

/** Returns the delay of `google.rpc.RetryInfo` in milliseconds. The server sends seconds: `"34.5s"`. */
function retryDelay(details: readonly { [key: string]: unknown }[]): number | undefined {
  const delay = details.map((detail) => detail['retryDelay']).find((delay) => typeof delay === 'string');
  const seconds = delay === undefined ? NaN : /^(\d+(?:\.\d+)?)s$/.exec(delay)?.[1];
  return seconds === undefined || Number.isNaN(Number(seconds)) ? undefined : Math.round(Number(seconds) * 1000);
}

/**
 * Returns the error of a body `{error: {code, message, status, details}}`. For a streamed request that fails at
 * once, the body is a list with one such object.
 */
function errorOf(body: unknown): { [key: string]: unknown } | undefined {
  const first: unknown = Array.isArray(body) ? body[0] : body;
  if (!isPlainObject(first))
    return typeof first === 'string' && first !== '' ? { message: describeText(first) } : undefined;
  const { error } = first;
  if (isPlainObject(error)) return error;
  return typeof error === 'string' ? { message: error } : undefined;
}

const describeText = (text: string): string =>
  /^\s*</.test(text) ? 'an HTML page. Check baseUrl' : text.slice(0, 300);

const isObject = (value: unknown): value is { [key: string]: unknown } => typeof value === 'object' && value !== null;
