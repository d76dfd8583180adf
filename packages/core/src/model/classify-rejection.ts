import type { TholeErrorCode } from '../errors/error-codes.ts';
import { codeOfStatus } from './code-of-status.ts';

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

/** Returns the error code for a rejection of any provider: first by its code and type, then by its message, then by the status. */
export function classifyRejection({ status, code = '', type = '', message = '' }: RejectionDetails): RejectionKind {
  const name = `${code} ${type}`.toLowerCase();
  if (/content_filter|content_policy|responsibleaipolicy/.test(name)) return { code: 'MODEL_BLOCKED' };
  if (/context_length|context_size|string_above_max_length|request_too_large/.test(name))
    return { code: 'MODEL_CONTEXT_TOO_LONG' };
  if (
    /insufficient_quota|billing|insufficient_balance|insufficient_credits|quota_exceeded/.test(name) ||
    status === 402
  ) {
    return { code: 'MODEL_RATE_LIMITED', retryable: false };
  }
  if (/api_key_invalid|invalid_api_key/.test(name) || (status === 400 && /api key not valid/i.test(message)))
    return { code: 'MODEL_AUTH' };
  // The message decides only for rejected requests: a rate limit mentions tokens as well.
  if (
    (status === 200 || status === 400 || status === 413 || status === 422 || status === 500) &&
    CONTEXT_TOO_LONG.test(message)
  ) {
    return { code: 'MODEL_CONTEXT_TOO_LONG' };
  }
  const statusCode = codeOfStatus(status);
  return statusCode ? { code: statusCode } : classifyByName(name, message);
}

/** Classifies errors inside an answer, which have no status. */
function classifyByName(name: string, message: string): RejectionKind {
  if (/rate_?limit|too_many_requests|resource_exhausted/.test(name)) return { code: 'MODEL_RATE_LIMITED' };
  if (/overload|capacity|unavailable|slow_down/.test(name)) return { code: 'MODEL_OVERLOADED' };
  if (/auth|api_key|permission/.test(name)) return { code: 'MODEL_AUTH' };
  if (/timeout/.test(name)) return { code: 'MODEL_TIMEOUT' };
  if (/server_error|internal|api_error/.test(name)) return { code: 'MODEL_UNAVAILABLE' };
  if (/invalid|bad_request|not_found|unsupported/.test(name)) return { code: 'MODEL_BAD_REQUEST' };
  if (/rate limit|too many requests/i.test(message)) return { code: 'MODEL_RATE_LIMITED' };
  if (/overloaded|at capacity|try again later/i.test(message)) return { code: 'MODEL_OVERLOADED' };
  if (/not found|does not exist|invalid/i.test(message)) return { code: 'MODEL_BAD_REQUEST' };
  return { code: 'MODEL_FAILED' };
}

/** Error messages of OpenAI, Anthropic, Google, vLLM, llama.cpp, LM Studio, Groq, Mistral, xAI, Together and gateways to other models. */
const CONTEXT_TOO_LONG = new RegExp(
  [
    'maximum context length',
    'maximum prompt length',
    'max(imum)? model length',
    'context (length|window|size)',
    'reduce the length of',
    '(prompt|input|request) is too long',
    'too many tokens',
    'token count .{0,200}exceeds',
    'exceeds the maximum number of tokens',
    '`inputs` tokens \\+ `max_new_tokens`',
  ].join('|'),
  'i',
);
