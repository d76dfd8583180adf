import { TholeError } from '@thole/core';
import type { FailedRequest } from '../http/error-response.ts';

/** Codes that OpenAI's clients know. Other errors have the codes of Thole. */
type KnownCode = 'model_not_found' | 'unsupported_parameter' | 'previous_response_not_found';

/** Returns an error of a request with the parameter and the code that OpenAI's clients read. */
export function openAiError(message: string, p: { param: string; code?: KnownCode | undefined }): TholeError {
  const code = p.code === undefined || p.code === 'unsupported_parameter' ? 'INVALID_INPUT' : 'NOT_FOUND';
  return new TholeError(code, message, { details: { param: p.param, ...(p.code && { openAiCode: p.code }) } });
}

/** Returns the error of an unknown model. */
export function modelNotFound(model: string): TholeError {
  const message = `There is no app "${model.slice(0, 100)}". A model is the name of an app: GET /v1/models lists them.`;
  return openAiError(message, { param: 'model', code: 'model_not_found' });
}

/** Returns the body of an error response in OpenAI's shape. */
export function openAiErrorBody({ status, code, message, details }: FailedRequest): object {
  const { param = null, openAiCode = code } = details ?? {};
  return { error: { message, type: typeOf(status), param, code: openAiCode } };
}

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}
