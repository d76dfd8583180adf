import type { CallOptions, UserRef } from '../session/session-service.ts';
import type { AuthConfig } from './auth-config.ts';
import type { AuthCredential } from './auth-credential.ts';

/** Names a credential of a user. */
export type CredentialRef = UserRef & { credentialKey: string };

/** Names a sign-in that has begun, by the interrupt that requested it. */
export type PendingAuthRef = UserRef & { interruptId: string };

/** A sign-in that has begun, with the values that never leave the server: client secret, state, nonce, PKCE verifier. */
export interface PendingAuth {
  authConfig: AuthConfig;
  /** Time at which the sign-in expires, in seconds since the epoch. Default: never. */
  expiresAt?: number | undefined;
  /** True after the response was exchanged and the credential was stored. */
  isExchanged?: boolean | undefined;
}

/**
 * Stores the credentials of users, per app and user. Run the suite `credentialServiceCases` of `@thole/testing` against
 * an implementation, or implement `CredentialStore` and use `StoredCredentialService`.
 */
export interface CredentialService {
  /** Stores a credential and replaces an earlier one with this key. Throws `VALUE_TOO_LARGE` above 64 KiB. */
  saveCredential(p: CredentialRef & { credential: AuthCredential } & CallOptions): Promise<void>;
  loadCredential(p: CredentialRef & CallOptions): Promise<AuthCredential | undefined>;
  /** Returns the sorted keys of the user's credentials. */
  listCredentialKeys(p: UserRef & CallOptions): Promise<string[]>;
  deleteCredential(p: CredentialRef & CallOptions): Promise<void>;
  /** Deletes the user's credentials and sign-ins. */
  deleteUserCredentials(p: UserRef & CallOptions): Promise<void>;
  /** Stores a sign-in that has begun and replaces an earlier one of this interrupt. */
  savePendingAuth(p: PendingAuthRef & { pending: PendingAuth } & CallOptions): Promise<void>;
  /** Returns a sign-in. Undefined if it does not exist or has expired. */
  loadPendingAuth(p: PendingAuthRef & CallOptions): Promise<PendingAuth | undefined>;
  deletePendingAuth(p: PendingAuthRef & CallOptions): Promise<void>;
}
