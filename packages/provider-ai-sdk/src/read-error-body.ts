import { isPlainObject, parseJson } from '@thole/core/kit';

/** A server's description of an error. */
export interface ErrorBody {
  /** True if the body has a member that only errors have. */
  readonly isError: boolean;
  readonly message?: string | undefined;
  /** The server's code, or the reasons in the details of Google's APIs. */
  readonly code?: string | undefined;
  readonly type?: string | undefined;
  /** The HTTP status, from servers whose code is a number. */
  readonly status?: number | undefined;
  readonly param?: string | undefined;
  /** Delay before a retry, from the body of Google's APIs, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * Reads an error of any provider: `{error: {message, type, code}}`, an error without a wrapper, JSON text, or plain
 * text. HTML has no message.
 */
export function readErrorBody(body: unknown): ErrorBody {
  if (typeof body === 'string') {
    const parsed = parseJson(body);
    if (typeof parsed === 'object' && parsed !== null) return readErrorBody(parsed);
    return { isError: false, message: /^\s*<|^\s*$/.test(body) ? undefined : body.trim().slice(0, 1000) };
  }
  if (Array.isArray(body)) return readErrorBody(body[0] ?? '');
  if (!isPlainObject(body)) return { isError: false };
  const wrapped = body['error'];
  if (isPlainObject(wrapped)) return { ...readMembers(wrapped), isError: true };
  if (typeof wrapped === 'string') return { isError: true, ...readMembers({ ...body, message: wrapped }) };
  const members = readMembers(body);
  return { ...members, isError: members.message !== undefined };
}

function readMembers(error: { readonly [member: string]: unknown }): Omit<ErrorBody, 'isError'> {
  const details = Array.isArray(error['details']) ? error['details'].filter((each) => isPlainObject(each)) : [];
  const reasons = details.map((each) => each['reason']).filter((each) => typeof each === 'string');
  const delay = details.map((each) => each['retryDelay']).find((each) => typeof each === 'string');
  const seconds = typeof delay === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(delay)?.[1] : undefined;
  return {
    message: textOf(error['message']) ?? textOf(error['detail']),
    code: textOf(error['code']) ?? (reasons.length > 0 ? reasons.join(' ') : undefined),
    type: textOf(error['type']) ?? textOf(error['status']),
    status: typeof error['code'] === 'number' && error['code'] >= 400 ? error['code'] : undefined,
    param: textOf(error['param']),
    retryAfterMs: seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000),
  };
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
