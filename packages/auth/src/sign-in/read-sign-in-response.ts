import type { AuthCredential } from '@thole/core';
import { TholeError } from '@thole/core';
import { isPlainObject, parseJson, readAuthCredential } from '@thole/core/kit';

const ERROR_CODE = /^[\w.-]{1,64}$/;

/** A client's response to a sign-in. Scheme and client of the response are ignored. */
export interface SignInResponse {
  authResponseUri?: string | undefined;
  redirectUri?: string | undefined;
  /** The credential that the user entered, for API keys and HTTP authentication. */
  credential?: AuthCredential | undefined;
  /** Error code, if the user refused. */
  error?: string | undefined;
}

/** Returns the known members of a response. Throws `SIGN_IN_INVALID` if the response has another shape. */
export function readSignInResponse(value: unknown): SignInResponse {
  const response = unwrap(value);
  const { error } = response;
  if (typeof error === 'string') return { error: ERROR_CODE.test(error) ? error : 'unknown_error' };
  const exchanged = response['exchangedAuthCredential'] ?? response['exchanged_auth_credential'];
  if (exchanged === undefined || exchanged === null) {
    const { authResponseUri, redirectUri } = response;
    if (typeof authResponseUri === 'string') {
      return { authResponseUri, ...(typeof redirectUri === 'string' && { redirectUri }) };
    }
    throw signInInvalid('The response must have exchangedAuthCredential or authResponseUri.');
  }
  const credential = readCredential(exchanged);
  const { authResponseUri, redirectUri } = credential.oauth2 ?? {};
  return { credential, authResponseUri, redirectUri };
}

/** Returns a `SIGN_IN_INVALID` error. The message must not contain values of the response. */
export function signInInvalid(message: string): TholeError {
  return new TholeError('SIGN_IN_INVALID', message);
}

function readCredential(value: unknown): AuthCredential {
  try {
    return readAuthCredential(value, 'response.exchangedAuthCredential');
  } catch (error) {
    if (TholeError.is(error, 'INVALID_INPUT')) throw signInInvalid(error.message);
    throw error;
  }
}

// ADK's web UI sends some responses as a JSON text in `response`.
function unwrap(value: unknown): { [name: string]: unknown } {
  const inner = isPlainObject(value) && typeof value['response'] === 'string' ? value['response'] : value;
  const parsed = typeof inner === 'string' ? parseJson(inner) : inner;
  if (!isPlainObject(parsed)) throw signInInvalid('The response must be an object with exchangedAuthCredential.');
  return parsed;
}
