import { codeOfStatus } from '@thole/core/kit';
import type { TholeErrorCode } from '@thole/core';

/** The error code of a rejected request, and `retryable` if it differs from the code's default. */
export interface RejectionKind {
  readonly code: TholeErrorCode;
  readonly retryable?: boolean | undefined;
}

/** The server's description of a rejection. The status is 200 if the error was inside an answer. */
export interface RejectionDetails {
  readonly status: number;
  readonly code?: string | undefined;
  readonly type?: string | undefined;
  readonly message?: string | undefined;
}

/** Returns the error code for a rejection of any provider: by its code and type, then by its message, then by the status. */
export function classifyRejection({ status, code = '', type = '', message = '' }: RejectionDetails): RejectionKind {
  const name = `${code} ${type}`.toLowerCase();
  if (/insufficient_quota|billing|insufficient_balance/.test(name) || status === 402)
    return { code: 'MODEL_RATE_LIMITED', retryable: false };
  const isRejection = status < 429 || status === 500;
  if (isRejection && (/context_length|request_too_large/.test(name) || CONTEXT_TOO_LONG.test(message)))
    return { code: 'MODEL_CONTEXT_TOO_LONG' };
  if (/content_filter|content_policy|responsibleaipolicy/.test(name)) return { code: 'MODEL_BLOCKED' };
  if (/api_key_invalid|invalid_api_key/.test(name) || (status === 400 && /api key not valid/i.test(message)))
    return { code: 'MODEL_AUTH' };
  const statusCode = codeOfStatus(status);
  return statusCode ? { code: statusCode } : classifyByName(name, message);
}

/** Classifies errors inside an answer, which have no status. */
function classifyByName(name: string, message: string): RejectionKind {
  const text = `${name} ${message}`.toLowerCase();
  if (/rate[_ ]?limit|too[_ ]many[_ ]requests|resource_exhausted/.test(text)) return { code: 'MODEL_RATE_LIMITED' };
  if (/overload|at capacity|unavailable|try again later/.test(text)) return { code: 'MODEL_OVERLOADED' };
  if (/auth|api_key|permission/.test(name)) return { code: 'MODEL_AUTH' };
  if (/timeout/.test(name)) return { code: 'MODEL_TIMEOUT' };
  if (/server_error|internal|api_error/.test(name)) return { code: 'MODEL_UNAVAILABLE' };
  if (/invalid|bad_request|not_found|unsupported/.test(text)) return { code: 'MODEL_BAD_REQUEST' };
  return { code: 'MODEL_FAILED' };
}

const CONTEXT_TOO_LONG =
  /maximum context length|maximum prompt length|context (length|window|size)|(prompt|input|request) is too long|too many tokens|token count .*exceeds|exceeds the maximum number of tokens|reduce the length of/i;
