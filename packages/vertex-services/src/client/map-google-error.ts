import { readRetryAfter, TholeError } from '@thole/core';
import { isPlainObject } from '@thole/core/kit';
import type { RefusedAnswer } from '@thole/core/kit';

/** Names of a product for error messages. */
export interface ProductNames {
  /** Name of the product, such as `Vertex AI`. */
  readonly product: string;
  /** The role that a caller needs, with its id. */
  readonly role: string;
  /** The API to enable. */
  readonly api: string;
}

/** The parts of an error answer of Google on which callers branch. */
export interface GoogleError {
  readonly httpStatus: number;
  /** Canonical name, such as `NOT_FOUND`. */
  readonly status: string;
  readonly message: string;
}

/** Returns the parts of an error body: `{error: {code, status, message}}`, or a text. */
export function readGoogleError(httpStatus: number, body: unknown): GoogleError {
  const error = isPlainObject(body) && isPlainObject(body['error']) ? body['error'] : {};
  const { status = '', message = '' } = error;
  return { httpStatus, status: String(status), message: String(message) };
}

/**
 * Returns the error for an answer with an error status. Messages of 400 answers may contain stored values, so they are
 * only in the cause. Callers branch on `details.httpStatus` and `details.googleStatus`.
 */
export function mapGoogleError(answer: RefusedAnswer, names: ProductNames, isWrite: boolean, now: number): TholeError {
  const { httpStatus, status, message } = readGoogleError(answer.status, answer.body);
  const { product } = names;
  const serverMessage = message === '' ? '' : ` Google's message: ${message.trimEnd().replace(/\.?$/, '.')}`;
  const details = { httpStatus, googleStatus: status };
  const cause = new Error(message === '' ? `HTTP ${httpStatus}` : message);
  const refused = (text: string): TholeError =>
    new TholeError('STORE_UNAVAILABLE', `${product} ${text}`, { details, cause, retryable: false });

  if (httpStatus === 401)
    return refused(
      'rejected the access token. Run `gcloud auth application-default login` again, or check the key of the service account.',
    );
  if (httpStatus === 403) return refused(`denied access.${serverMessage} ${accessStep(answer.body, names)}`);
  if (httpStatus === 404)
    return refused(`does not find the resource.${serverMessage} Check its id, the project and the location.`);
  if (isTooLarge(httpStatus, message)) {
    const text = `${product} rejected the request because it is too large.`;
    return new TholeError('VALUE_TOO_LARGE', text, { details, cause });
  }
  const retryAfterMs = readRetryAfter(answer.headers, now);
  if (httpStatus === 429) {
    const text = `The quota of ${product} is used up.${serverMessage} Try again later.`;
    return new TholeError('STORE_UNAVAILABLE', text, { details, cause, retryable: true, retryAfterMs });
  }
  if (status === 'ABORTED') {
    const text = `${product} rejected the write because of another write at the same time.`;
    return new TholeError('STORE_UNAVAILABLE', text, { details, cause, retryable: true, retryAfterMs });
  }
  if (httpStatus >= 500) {
    const code = isWrite ? 'STORE_OUTCOME_UNKNOWN' : 'STORE_UNAVAILABLE';
    const outcome = isWrite ? ' The write may have been done.' : '';
    const text = `${product} failed with status ${httpStatus}.${outcome}`;
    return new TholeError(code, text, { details, cause, retryAfterMs });
  }
  return refused(`rejected the request: ${status === '' ? `status ${httpStatus}` : status}.`);
}

/** Returns the next step of a caller who has no access. */
function accessStep(body: unknown, { api, role }: ProductNames): string {
  const isDisabled = /SERVICE_DISABLED|has not been used|is disabled/.test(JSON.stringify(body));
  return isDisabled
    ? `Enable it: \`gcloud services enable ${api}\`.`
    : `Grant the account the role ${role}, and check the project and the location.`;
}

function isTooLarge(httpStatus: number, message: string): boolean {
  if (httpStatus === 413) return true;
  return httpStatus === 400 && /payload size exceeds|too large|exceeds the (limit|maximum)/i.test(message);
}

/** Returns the HTTP status of an error that `mapGoogleError` created. Undefined for other errors. */
export function httpStatusOf(error: unknown): number | undefined {
  const status = TholeError.is(error) ? error.details?.['httpStatus'] : undefined;
  return typeof status === 'number' ? status : undefined;
}

/** Returns Google's message of an error that `mapGoogleError` created. Empty for other errors. */
export function googleMessageOf(error: unknown): string {
  const { cause } = (error ?? {}) as { cause?: { message?: string } };
  return (httpStatusOf(error) !== undefined && cause?.message) || '';
}

/** True if the id of a new object is taken. The services answer 400 or 409. */
export function isTaken(error: unknown): boolean {
  const status = httpStatusOf(error);
  if (TholeError.is(error) && error.details?.['googleStatus'] === 'ABORTED') return false;
  return status === 409 || (status === 400 && /already exists/i.test(googleMessageOf(error)));
}
