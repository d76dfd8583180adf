import type { AuthCredential, CallOptions, CredentialRef, CredentialService, Runtime } from '@thole/core';
import { errorFields } from '@thole/core/kit';
import { serverNameOf } from '../oauth/authorization-server.ts';
import { clientIdOf } from '../oauth/oauth-client.ts';
import { isGrantRejected, toAuthError } from '../oauth/to-auth-error.ts';
import { isFresh } from '../oauth/token-credential.ts';
import type { OAuthConfig, TokenEndpoint } from '../oauth/token-endpoint.ts';
import { SharedCalls } from '../shared-calls.ts';
import { waitForResult } from '../wait-for-result.ts';

/** Loads stored credentials of users and refreshes their tokens before they expire. */
export class UserCredentials {
  readonly #service: CredentialService;
  readonly #endpoint: TokenEndpoint;
  readonly #runtime: Runtime;
  readonly #leewaySeconds: number;
  readonly #refreshes = new SharedCalls<AuthCredential | undefined>();

  constructor(service: CredentialService, endpoint: TokenEndpoint, runtime: Runtime, leewaySeconds: number) {
    this.#service = service;
    this.#endpoint = endpoint;
    this.#runtime = runtime;
    this.#leewaySeconds = leewaySeconds;
  }

  /**
   * Returns the user's credential with a valid token, or undefined if the user must sign in. A `refusedToken` is refreshed if it
   * can be. At most one refresh per user and credential runs at a time in this process.
   */
  async load(
    ref: CredentialRef,
    config: OAuthConfig,
    { refusedToken, signal }: CallOptions & { refusedToken?: string | undefined },
  ): Promise<AuthCredential | undefined> {
    const stored = await this.#service.loadCredential({ ...ref, signal });
    if (!stored || !isOfClient(stored, config)) return undefined;
    if (!this.#mustRefresh(stored, refusedToken)) return this.#ifValid(stored);
    const key = JSON.stringify([ref.appName, ref.userId, ref.credentialKey]);
    return this.#refreshes.run(key, async () => this.#refresh(ref, config, refusedToken), signal);
  }

  // Other processes may refresh or replace the credential at the same time, so it is read before and after the request.
  async #refresh(
    ref: CredentialRef,
    config: OAuthConfig,
    refusedToken: string | undefined,
  ): Promise<AuthCredential | undefined> {
    const before = await this.#service.loadCredential(ref);
    if (!before || !this.#mustRefresh(before, refusedToken)) return this.#ifValid(before);
    const refreshed = await this.#request(config, before, refusedToken);
    const current = refreshed ? await this.#service.loadCredential(ref) : await this.#loadReplaced(ref, before);
    if (!isSameGrant(current, before)) return this.#ifValid(current);
    if (refreshed) await this.#service.saveCredential({ ...ref, credential: refreshed });
    else await this.#service.deleteCredential(ref);
    return refreshed;
  }

  /** Returns the credential after another process has replaced or deleted it. If it stays the same, returns it unchanged. */
  async #loadReplaced(ref: CredentialRef, before: AuthCredential): Promise<AuthCredential | undefined> {
    const read = async (): Promise<{ current: AuthCredential | undefined } | undefined> => {
      const current = await this.#service.loadCredential(ref);
      return isSameGrant(current, before) ? undefined : { current };
    };
    const replaced = await waitForResult(read, this.#runtime);
    return replaced ? replaced.current : before;
  }

  /** Returns undefined if the server no longer accepts the refresh token. */
  async #request(
    config: OAuthConfig,
    earlier: AuthCredential,
    refusedToken: string | undefined,
  ): Promise<AuthCredential | undefined> {
    try {
      return await this.#endpoint.refresh(config, earlier);
    } catch (error) {
      if (isGrantRejected(error)) return undefined;
      const failure = toAuthError(error, {
        request: 'the refresh of a token',
        server: serverNameOf(config.authScheme),
        secrets: [config.rawAuthCredential?.oauth2?.clientSecret, earlier.oauth2?.refreshToken],
      });
      if (!this.#ifValid(earlier) || isRefused(earlier, refusedToken)) throw failure;
      this.#runtime.logger.warn('A token was not refreshed. It is still valid.', { ...errorFields(failure) });
      return earlier;
    }
  }

  /** True if the credential has a refresh token, and its access token was refused or expires soon. */
  #mustRefresh(credential: AuthCredential, refusedToken: string | undefined): boolean {
    if (credential.oauth2?.refreshToken === undefined) return false;
    return isRefused(credential, refusedToken) || !isFresh(credential, this.#runtime.now(), this.#leewaySeconds);
  }

  /** Returns the credential unless it is missing or has expired. */
  #ifValid(credential: AuthCredential | undefined): AuthCredential | undefined {
    return credential && isFresh(credential, this.#runtime.now(), 0) ? credential : undefined;
  }
}

function isSameGrant(current: AuthCredential | undefined, before: AuthCredential): boolean {
  return current?.oauth2?.refreshToken === before.oauth2?.refreshToken;
}

function isRefused({ oauth2 }: AuthCredential, refusedToken: string | undefined): boolean {
  return refusedToken !== undefined && oauth2?.accessToken === refusedToken;
}

// Tokens of another client cannot be refreshed, for example after the developer registered a new client.
function isOfClient({ oauth2 }: AuthCredential, config: OAuthConfig): boolean {
  return oauth2?.clientId === undefined || oauth2.clientId === clientIdOf(config);
}
