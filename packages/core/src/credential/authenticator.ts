import type { CallOptions, UserRef } from '../session/session-service.ts';
import type { AuthConfig } from './auth-config.ts';
import type { AuthCredential } from './auth-credential.ts';
import type { PendingAuthRef } from './credential-service.ts';

/** Result of a sign-in. `denied`: the user or the authorization server refused; `error` is the server's code. */
export type SignInResult =
  | { credentialKey: string; status: 'received' }
  | { credentialKey: string; status: 'denied'; error: string };

/**
 * Gets the credentials of users for tools: begins sign-ins, exchanges their responses, and refreshes tokens.
 * `OAuthAuthenticator` of `@thole/auth` implements it. Others implement it too, so it only ever gains optional members.
 *
 * Every method throws `INVALID_INPUT` for a config that cannot work, and `AUTH_SERVER_FAILED` if the authorization server
 * refuses a request or does not answer. Errors contain no secrets.
 */
export interface Authenticator {
  /**
   * Returns a valid credential: the user's credential, with a refreshed token if needed, or a credential that needs no
   * user. Undefined if the user must sign in. The result contains no client secret and no refresh token. Concurrent
   * calls for one credential send one request. `refusedToken` is an access token that the API has refused: if the user's
   * credential still has it, the authenticator refreshes it, also before it expires.
   */
  loadCredential(
    p: UserRef & { authConfig: AuthConfig; refusedToken?: string | undefined } & CallOptions,
  ): Promise<AuthCredential | undefined>;
  /** Stores a credential of the user that the caller obtained. */
  saveCredential(p: UserRef & { authConfig: AuthConfig; credential: AuthCredential } & CallOptions): Promise<void>;
  /** Deletes the credential of the user, for example after an API refused its token. */
  deleteCredential(p: UserRef & { authConfig: AuthConfig } & CallOptions): Promise<void>;
  /** Returns the key under which the user's credential is stored. */
  credentialKey(authConfig: AuthConfig): Promise<string>;
  /**
   * Begins a sign-in and returns the part of its config that clients may see: scheme, key and `authUri`. Repeated with the
   * same interrupt and config, it returns the same address. `expiresAt` is in seconds since the epoch. Default: never.
   */
  beginSignIn(
    p: PendingAuthRef & { authConfig: AuthConfig; expiresAt?: number | undefined } & CallOptions,
  ): Promise<AuthConfig>;
  /**
   * Exchanges the client's response and stores the credential. Scheme and client come from the stored sign-in, never from
   * the response. Can be repeated after success. Throws `SIGN_IN_INVALID` if the response does not fit the sign-in, or if
   * the sign-in is unknown or has expired. After an error the sign-in stays open, and the user can sign in again. An abort
   * ends only the wait: a code can be exchanged only once, so the result of the exchange is stored.
   *
   * `response` is ADK's `AuthConfig` with `exchangedAuthCredential`, in both spellings, or
   * `{authResponseUri, redirectUri?}`, or `{error}` if the user refused before the server was called. For API keys and
   * HTTP authentication, `exchangedAuthCredential` contains the credential that the user entered.
   */
  finishSignIn(p: PendingAuthRef & { response: unknown } & CallOptions): Promise<SignInResult>;
  /** Deletes a sign-in that was answered, has expired or was closed. */
  forgetSignIn(p: PendingAuthRef & CallOptions): Promise<void>;
  /** Deletes all credentials and sign-ins of a user. */
  deleteUserCredentials(p: UserRef & CallOptions): Promise<void>;
}
