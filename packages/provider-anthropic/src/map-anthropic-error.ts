import { readRetryAfter, TholeError } from '@thole/core';
import { codeOfStatus, isPartOfAnswer, isPlainObject } from '@thole/core/kit';
import type { ErrorTable, JsonObject, TholeErrorCode } from '@thole/core';

/** Maps errors of Anthropic's API, Bedrock and Vertex AI to Thole's errors. */
export const anthropicErrors: ErrorTable = {
  refuse({ status, headers, body }, now) {
    const requestId = headers.get('request-id') ?? headers.get('x-amzn-requestid');
    const retryAfterMs = readRetryAfter(headers, now);
    // Bedrock names the error in a header.
    const type = headers.get('x-amzn-errortype')?.split(':')[0];
    return failure(body, { status, type, retryAfterMs, requestId: requestId ?? undefined });
  },
  explain(error, when) {
    if (TholeError.is(error)) return error;
    const inner = isPlainObject((error as { error?: unknown }).error) ? (error as { error: unknown }).error : undefined;
    if (inner !== undefined) return failure(inner, {});
    if (when === 'reading')
      return new TholeError(
        'MODEL_INCOMPLETE',
        "The connection to Claude's server ended before the answer was complete.",
        { cause: error },
      );
    if (isCredentialsError(error)) return credentialsError(error);
    const message = "Claude's server cannot be reached. Check baseUrl and the network, and that the server is running.";
    return new TholeError('MODEL_UNAVAILABLE', message, { cause: error });
  },
};

/** Returns the error for an answer with status 200 that is not a message. */
export function notAMessage(body: unknown): TholeError {
  const { message, type } = readBody(body);
  if (type !== undefined && type !== 'error') return failure(body, {});
  const content = isPartOfAnswer(body)
    ? 'a stream of events or incomplete JSON'
    : (message ?? (body === '' ? 'it is empty' : 'unknown content'));
  return new TholeError(
    'MODEL_PROTOCOL',
    `Claude's server answered with status 200, but the body is not a message: ${content}.`,
    { details: { status: 200 } },
  );
}

/** True for an error of a cloud's SDK that found no valid credentials. */
export function isCredentialsError(error: unknown): boolean {
  const { message } = (typeof error === 'object' && error !== null ? error : {}) as { message?: unknown };
  return typeof message === 'string' && /\bcredentials?\b/i.test(message);
}

function credentialsError(cause: unknown): TholeError {
  return new TholeError(
    'MODEL_AUTH',
    'The cloud credentials for Claude are missing or were rejected. Check the options of bedrock or vertex, or the credentials of this machine.',
    { cause },
  );
}

interface RejectionDetails {
  readonly status?: number | undefined;
  readonly type?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly requestId?: string | undefined;
}

function failure(body: unknown, { status, type: headerType, retryAfterMs, requestId }: RejectionDetails): TholeError {
  const read = readBody(body);
  const type = headerType ?? read.type;
  const message = read.message ?? 'no reason';
  const errorCode = codeOf(status, type ?? '', read.message ?? '');
  const code = /\bsignature\b.{0,12}\bthinking\b/i.test(message) ? 'invalid_signature' : read.code;
  const details: JsonObject = { provider: 'anthropic', status: status ?? 200 };
  const id = requestId ?? read.requestId;
  for (const [name, value] of Object.entries({ type, code, requestId: id }))
    if (value !== undefined) details[name] = value;
  const summary =
    status === undefined
      ? "Claude's server reported an error in its answer"
      : `Claude's server refused the request with ${[status, type && `(${type})`].filter(Boolean).join(' ')}`;
  return new TholeError(errorCode, `${summary}: ${message}`, {
    status,
    retryAfterMs,
    // Waiting does not restore credit that is used up.
    ...(errorCode === 'MODEL_RATE_LIMITED' &&
      isUsedUp(status, type, `${code ?? ''} ${message}`) && { retryable: false }),
    details,
  });
}

const isUsedUp = (status: number | undefined, type: string | undefined, message: string): boolean =>
  status === 402 || type === 'billing_error' || NO_CREDIT_MESSAGE.test(message);

const NO_CREDIT_MESSAGE = /credit balance is too low|usage limits?.*regain access|spend_limit_reached/i;

function codeOf(status: number | undefined, type: string, message: string): TholeErrorCode {
  if (isUsedUp(status, type, message)) return 'MODEL_RATE_LIMITED';
  const isRequestError = status === undefined || status === 400 || status === 413;
  if (isRequestError && CONTEXT_TOO_LONG.test(message)) return 'MODEL_CONTEXT_TOO_LONG';
  if (isRequestError && /content filtering policy/i.test(message)) return 'MODEL_BLOCKED';
  return (status === undefined ? undefined : codeOfStatus(status)) ?? codeOfType(type);
}

const CONTEXT_TOO_LONG =
  /(prompt|input) is too long|exceed(s)? (the )?context (limit|window)|too many (input )?tokens|maximum (context|prompt) length/i;

/** Maps errors inside an answer, which have no status: Anthropic's types, and the exceptions of Bedrock's streams. */
function codeOfType(type: string): TholeErrorCode {
  if (/rate_limit|throttling/i.test(type)) return 'MODEL_RATE_LIMITED';
  if (/overloaded|serviceUnavailable|modelNotReady/i.test(type)) return 'MODEL_OVERLOADED';
  if (/authentication|permission|accessDenied/i.test(type)) return 'MODEL_AUTH';
  if (/timeout/i.test(type)) return 'MODEL_TIMEOUT';
  if (/invalid_request|not_found|too_large|validation/i.test(type)) return 'MODEL_BAD_REQUEST';
  return 'MODEL_UNAVAILABLE';
}

/** Reads `{error: {type, message}, request_id}`, Bedrock's `{message}` and Google's `[{error: {message, status}}]`. */
function readBody(body: unknown): { message?: string; type?: string; code?: string; requestId?: string } {
  if (typeof body === 'string' && body.trim() !== '')
    return { message: /^\s*</.test(body) ? 'an HTML page. Check baseUrl' : body.trim().slice(0, 1000) };
  const outer: unknown = Array.isArray(body) ? body[0] : body;
  if (!isPlainObject(outer)) return {};
  const inner: { readonly [name: string]: unknown } = isPlainObject(outer['error']) ? outer['error'] : outer;
  const message = inner['message'] ?? inner['Message'];
  const type = inner['type'] ?? inner['status'];
  const code = isPlainObject(inner['details']) ? inner['details']['error_code'] : undefined;
  const requestId = outer['request_id'];
  return {
    ...(typeof message === 'string' && message !== '' && { message: message.slice(0, 1000) }),
    ...(typeof type === 'string' && { type }),
    ...(typeof code === 'string' && { code }),
    ...(typeof requestId === 'string' && { requestId }),
  };
}
