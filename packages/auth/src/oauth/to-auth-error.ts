import { TholeError } from '@thole/core';
import * as oauth from 'oauth4webapi';
import { redactError } from '../http/redact-error.ts';

/** A request that failed. */
export interface FailedRequest {
  /** Noun phrase, such as `the refresh of a token`. */
  request: string;
  /** Host name of the server. */
  server: string;
  /** Texts that must not be in the error. */
  secrets?: readonly (string | undefined)[] | undefined;
}

const ERROR_CODE = /^[\w.-]{1,64}$/;
const temporaryCodes: ReadonlySet<string> = new Set(['temporarily_unavailable', 'server_error', 'slow_down']);
const checkClientHint = 'Check clientId, clientSecret and tokenEndpointAuthMethod.';

/** Advice for error codes of RFC 6749. */
const hints: ReadonlyMap<string, string> = new Map([
  ['invalid_client', checkClientHint],
  ['unauthorized_client', 'Allow this grant type for the client at the authorization server.'],
  ['unsupported_grant_type', 'The server does not support this grant type. Configure another flow.'],
  ['invalid_scope', 'Check the scopes of the scheme.'],
  ['invalid_grant', 'The user must sign in again.'],
  ['invalid_request', 'Check the endpoints, the redirect URI and the audience.'],
  ['invalid_target', 'Check the audience.'],
]);

/** Advice for responses that the library rejects, by the code of its error. */
const responseHints: ReadonlyMap<string, string> = new Map([
  [oauth.JWT_TIMESTAMP_CHECK, 'The times of its ID token do not fit the clock of this computer. Set the clock.'],
  [
    oauth.JSON_ATTRIBUTE_COMPARISON,
    'The document names another issuer. Correct authScheme.issuer, or set the endpoints instead of the document.',
  ],
]);

/** Members of errors that `oauth4webapi` throws. */
interface LibraryError extends Error {
  code: string;
  error?: unknown;
  error_description?: unknown;
  status?: unknown;
}

/** True for an error that `oauth4webapi` throws for a response of the server. */
export function isLibraryError(error: unknown): error is LibraryError {
  const code = error instanceof Error ? (error as Partial<LibraryError>).code : undefined;
  return typeof code === 'string' && code.startsWith('OAUTH_');
}

/** Returns the error code of an OAuth error, such as `invalid_grant`. Undefined for another error. */
export function oauthErrorCode(error: unknown): string | undefined {
  if (!isLibraryError(error)) return undefined;
  if (error.code !== oauth.RESPONSE_BODY_ERROR && error.code !== oauth.AUTHORIZATION_RESPONSE_ERROR) return undefined;
  return typeof error.error === 'string' && ERROR_CODE.test(error.error) ? error.error : 'unknown_error';
}

/** True if the server no longer accepts a code or a refresh token. GitHub has its own error codes for both. */
export function isGrantRejected(error: unknown): boolean {
  return ['invalid_grant', 'bad_verification_code', 'bad_refresh_token'].includes(oauthErrorCode(error) ?? '');
}

/** Returns an `AUTH_SERVER_FAILED` error that contains the server's error code and no secrets. */
export function toAuthError(error: unknown, failed: FailedRequest): TholeError {
  if (TholeError.is(error)) return error;
  const { request, server } = failed;
  const code = oauthErrorCode(error);
  const status = statusOf(error);
  const isTemporary = (status !== undefined && (status >= 500 || status === 429)) || temporaryCodes.has(code ?? '');
  const options = { retryable: isTemporary, cause: causeOf(error, failed.secrets) };
  const start = `The authorization server "${server}"`;
  if (code !== undefined) {
    const hint = isTemporary ? 'Try again later.' : (hints.get(code) ?? 'Check the configuration of the client.');
    const message = `${start} refused ${request} with "${code}". ${hint}`;
    return new TholeError('AUTH_SERVER_FAILED', message, { ...options, details: { oauthError: code } });
  }
  if (status !== undefined && status !== 200) {
    const hint = isTemporary ? 'Try again later.' : status === 401 ? checkClientHint : 'Check the endpoints.';
    return new TholeError('AUTH_SERVER_FAILED', `${start} answered ${request} with status ${status}. ${hint}`, options);
  }
  const hint =
    (isLibraryError(error) && responseHints.get(error.code)) || 'Check the endpoints, the issuer and the client.';
  const message = `${start} answered ${request} with an invalid response. ${hint}`;
  return new TholeError('AUTH_SERVER_FAILED', message, options);
}

function statusOf(error: unknown): number | undefined {
  if (!isLibraryError(error)) return undefined;
  // For an unexpected status, the cause of the error is the response.
  const status = error.status ?? (error.cause as { status?: unknown } | undefined)?.status;
  return typeof status === 'number' ? status : undefined;
}

// The error of the library contains the response with its tokens, so only its name and texts are copied.
function causeOf(error: unknown, secrets: FailedRequest['secrets'] = []): Error {
  const description = isLibraryError(error) ? error.error_description : undefined;
  return redactError(
    error,
    secrets.filter((each) => each !== undefined),
    typeof description === 'string' ? description : undefined,
  );
}
