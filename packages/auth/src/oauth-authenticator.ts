import type {
  AuthConfig,
  AuthCredential,
  Authenticator,
  CallOptions,
  CredentialService,
  PendingAuthRef,
  Runtime,
  SignInResult,
  UserRef,
} from '@thole/core';
import { systemRuntime, TholeError } from '@thole/core';
import { assertDuration, invalidInput, optionNames, readAuthConfig, rejectUnknownOptions } from '@thole/core/kit';
import { ClientTokens } from './credentials/client-tokens.ts';
import { UserCredentials } from './credentials/user-credentials.ts';
import { AuthFetch } from './http/auth-fetch.ts';
import type { OAuthAuthenticatorOptions } from './oauth-authenticator-options.ts';
import { assertScheme } from './oauth/assert-scheme.ts';
import { AuthorizationServers, usesClientCredentials } from './oauth/authorization-server.ts';
import { computeCredentialKey } from './oauth/credential-key.ts';
import { isOAuthConfig } from './oauth/is-oauth-config.ts';
import { isFresh, toToolCredential } from './oauth/token-credential.ts';
import { TokenEndpoint } from './oauth/token-endpoint.ts';
import { SignIns } from './sign-in/sign-ins.ts';

const TIMEOUT_MS = 30_000;
const REFRESH_BEFORE_MS = 60_000;
/** A host name, an IPv4 address, or an IPv6 address with or without brackets. */
const HOST = /^(?:[\w.-]+|\[?(?=.*:.*:)[\da-f:.]+\]?)$/i;

/**
 * Signs users in with OAuth 2 and OpenID Connect: the authorization code flow with PKCE, refreshes, and tokens of the
 * application (client credentials grant). API keys and bearer tokens of a config are returned unchanged. Pass it to the
 * runner as `authenticator`.
 */
export class OAuthAuthenticator implements Authenticator {
  readonly #service: CredentialService;
  readonly #runtime: Runtime;
  readonly #userCredentials: UserCredentials;
  readonly #clientTokens: ClientTokens;
  readonly #signIns: SignIns;

  /** Throws `INVALID_INPUT` for unknown options and for values that are not valid. */
  constructor(options: OAuthAuthenticatorOptions) {
    assertOptions(options);
    const {
      credentialService,
      timeoutMs = TIMEOUT_MS,
      refreshBeforeMs = REFRESH_BEFORE_MS,
      privateHosts = [],
    } = options;
    const runtime = options.runtime ?? systemRuntime();
    const http = new AuthFetch({ fetch: options.fetch, timeoutMs, privateHosts, runtime });
    const servers = new AuthorizationServers(http, runtime);
    const endpoint = new TokenEndpoint(servers, http, runtime);
    const leewaySeconds = refreshBeforeMs / 1_000;
    this.#service = credentialService;
    this.#runtime = runtime;
    this.#userCredentials = new UserCredentials(credentialService, endpoint, runtime, leewaySeconds);
    this.#clientTokens = new ClientTokens(endpoint, runtime, leewaySeconds);
    this.#signIns = new SignIns({ service: credentialService, servers, endpoint, runtime });
  }

  async loadCredential(
    p: UserRef & { authConfig: AuthConfig; refusedToken?: string | undefined } & CallOptions,
  ): Promise<AuthCredential | undefined> {
    p.signal?.throwIfAborted();
    const config = await addCredentialKey(p.authConfig);
    const raw = config.rawAuthCredential;
    const ref = { appName: p.appName, userId: p.userId, credentialKey: config.credentialKey };
    if (!isOAuthConfig(config)) {
      const stored = await this.#service.loadCredential({ ...ref, signal: p.signal });
      return stored ?? (raw && isComplete(raw) ? raw : undefined);
    }
    if (raw && isComplete(raw)) return raw;
    if (usesClientCredentials(config.authScheme)) {
      return toToolCredential(await this.#clientTokens.load(config, p.signal));
    }
    const credential = await this.#userCredentials.load(ref, config, p);
    if (credential) return toToolCredential(credential);
    const isUsable = raw?.oauth2?.accessToken !== undefined && isFresh(raw, this.#runtime.now(), 0);
    return isUsable ? toToolCredential(raw) : undefined;
  }

  async saveCredential(
    p: UserRef & { authConfig: AuthConfig; credential: AuthCredential } & CallOptions,
  ): Promise<void> {
    const { credentialKey } = await addCredentialKey(p.authConfig);
    const { appName, userId, credential, signal } = p;
    await this.#service.saveCredential({ appName, userId, credentialKey, credential, signal });
  }

  async deleteCredential(p: UserRef & { authConfig: AuthConfig } & CallOptions): Promise<void> {
    const config = await addCredentialKey(p.authConfig);
    if (isOAuthConfig(config) && usesClientCredentials(config.authScheme)) this.#clientTokens.delete(config);
    const { appName, userId, signal } = p;
    await this.#service.deleteCredential({ appName, userId, credentialKey: config.credentialKey, signal });
  }

  async credentialKey(authConfig: AuthConfig): Promise<string> {
    return (await addCredentialKey(authConfig)).credentialKey;
  }

  async beginSignIn(
    p: PendingAuthRef & { authConfig: AuthConfig; expiresAt?: number | undefined } & CallOptions,
  ): Promise<AuthConfig> {
    p.signal?.throwIfAborted();
    return this.#signIns.begin(toPendingRef(p), await addCredentialKey(p.authConfig), p.expiresAt, p.signal);
  }

  async finishSignIn(p: PendingAuthRef & { response: unknown } & CallOptions): Promise<SignInResult> {
    return this.#signIns.finish(toPendingRef(p), p.response, p.signal);
  }

  async forgetSignIn(p: PendingAuthRef & CallOptions): Promise<void> {
    await this.#service.deletePendingAuth({ ...toPendingRef(p), signal: p.signal });
  }

  async deleteUserCredentials(p: UserRef & CallOptions): Promise<void> {
    await this.#service.deleteUserCredentials({ appName: p.appName, userId: p.userId, signal: p.signal });
  }
}

/** Returns the validated config with the key under which its credential is stored. */
async function addCredentialKey(authConfig: unknown): Promise<AuthConfig & { credentialKey: string }> {
  const config = readAuthConfig(authConfig);
  assertScheme(config.authScheme);
  return { ...config, credentialKey: await computeCredentialKey(config) };
}

function toPendingRef({ appName, userId, interruptId }: PendingAuthRef): PendingAuthRef {
  return { appName, userId, interruptId };
}

/** True for a credential that works without an authorization server. */
function isComplete({ authType, apiKey, http }: AuthCredential): boolean {
  if (authType === 'apiKey') return apiKey !== undefined;
  if (authType === 'http') return http?.credentials.token !== undefined || http?.credentials.username !== undefined;
  return authType === 'serviceAccount';
}

function assertOptions(options: OAuthAuthenticatorOptions): void {
  const known = optionNames<OAuthAuthenticatorOptions>({
    credentialService: true,
    timeoutMs: true,
    refreshBeforeMs: true,
    privateHosts: true,
    fetch: true,
    runtime: true,
  });
  rejectUnknownOptions(options, known, 'OAuthAuthenticator');
  const { credentialService, timeoutMs, refreshBeforeMs, privateHosts, fetch } = options;
  const method: unknown = (credentialService as Partial<CredentialService> | undefined)?.loadPendingAuth;
  if (typeof method !== 'function') throw invalidInput('credentialService', 'a CredentialService', credentialService);
  if (timeoutMs !== undefined) assertDuration('timeoutMs', timeoutMs);
  if (refreshBeforeMs !== undefined && !(Number.isFinite(refreshBeforeMs) && refreshBeforeMs >= 0))
    throw invalidInput('refreshBeforeMs', 'a finite number of milliseconds ≥ 0', refreshBeforeMs);
  const isHost = (host: unknown): boolean => typeof host === 'string' && HOST.test(host);
  if (privateHosts !== undefined && !(Array.isArray(privateHosts) && privateHosts.every(isHost))) {
    throw new TholeError('INVALID_INPUT', 'privateHosts must be a list of host names without protocol and port.');
  }
  if (fetch !== undefined && typeof fetch !== 'function') throw invalidInput('fetch', 'a function', fetch);
}
