import type {
  AuthConfig,
  AuthCredential,
  CredentialService,
  PendingAuth,
  PendingAuthRef,
  Runtime,
  SignInResult,
} from '@thole/core';
import { TholeError } from '@thole/core';
import { KeyedQueue, raceAbort } from '@thole/core/kit';
import * as oauth from 'oauth4webapi';
import type { AuthorizationServer, AuthorizationServers } from '../oauth/authorization-server.ts';
import { serverNameOf, usesClientCredentials } from '../oauth/authorization-server.ts';
import { createClient } from '../oauth/oauth-client.ts';
import { isOAuthConfig } from '../oauth/is-oauth-config.ts';
import { isGrantRejected, isLibraryError, oauthErrorCode, toAuthError } from '../oauth/to-auth-error.ts';
import type { CodeResponse, OAuthConfig, TokenEndpoint } from '../oauth/token-endpoint.ts';
import { waitForResult } from '../wait-for-result.ts';
import { createSignIn } from './create-sign-in.ts';
import { readSignInResponse, signInInvalid } from './read-sign-in-response.ts';
import type { SignInResponse } from './read-sign-in-response.ts';

/** Errors of an authorization response after which the user can try again with the same address. */
const temporaryCodes: readonly string[] = ['server_error', 'temporarily_unavailable'];

/** Begins and finishes sign-ins. State, nonce, PKCE verifier and client secret are stored only in the credential service. */
export class SignIns {
  readonly #service: CredentialService;
  readonly #servers: AuthorizationServers;
  readonly #endpoint: TokenEndpoint;
  readonly #runtime: Runtime;
  /** A code can be exchanged once, so responses to one sign-in wait for each other. */
  readonly #queue = new KeyedQueue();

  constructor(p: {
    service: CredentialService;
    servers: AuthorizationServers;
    endpoint: TokenEndpoint;
    runtime: Runtime;
  }) {
    this.#service = p.service;
    this.#servers = p.servers;
    this.#endpoint = p.endpoint;
    this.#runtime = p.runtime;
  }

  /** Stores a sign-in. `config` has a `credentialKey`. Returns the config for the client. */
  async begin(
    ref: PendingAuthRef,
    config: AuthConfig,
    expiresAt: number | undefined,
    signal: AbortSignal | undefined,
  ): Promise<AuthConfig> {
    assertCanSignIn(config);
    const earlier = await this.#service.loadPendingAuth({ ...ref, signal });
    const isRepeated = earlier && !earlier.isExchanged && isSameRequest(earlier.authConfig, config);
    if (isRepeated && earlier.expiresAt === expiresAt) return toPublicConfig(earlier.authConfig);
    const authConfig = isRepeated ? earlier.authConfig : await this.#prepare(config, signal);
    const pending: PendingAuth = { authConfig, ...(expiresAt !== undefined && { expiresAt }) };
    await this.#service.savePendingAuth({ ...ref, pending, signal });
    return toPublicConfig(authConfig);
  }

  /**
   * Exchanges a response and stores the credential. An abort ends only the wait, because a code can be exchanged once: the
   * exchange continues until its time limit, and its result is stored.
   */
  async finish(ref: PendingAuthRef, response: unknown, signal: AbortSignal | undefined): Promise<SignInResult> {
    signal?.throwIfAborted();
    const key = JSON.stringify([ref.appName, ref.userId, ref.interruptId]);
    return raceAbort(
      this.#queue.run(key, async () => this.#finish(ref, response)),
      signal,
    );
  }

  async #prepare(config: AuthConfig, signal: AbortSignal | undefined): Promise<AuthConfig> {
    const { exchangedAuthCredential: _, ...request } = config;
    if (!isOAuthConfig(request)) return request;
    const server = await this.#servers.find(request.authScheme, signal);
    createClient(request, server);
    const oauth2 = await createSignIn(request, server);
    return { ...request, exchangedAuthCredential: { authType: request.authScheme.type, oauth2: { ...oauth2 } } };
  }

  async #finish(ref: PendingAuthRef, response: unknown): Promise<SignInResult> {
    const pending = await this.#load(ref);
    const credentialKey = pending.authConfig.credentialKey!;
    if (!pending.isExchanged) {
      const { credential, error } = await this.#exchange(pending.authConfig, readSignInResponse(response), ref);
      if (error !== undefined) return { credentialKey, status: 'denied', error };
      if (credential) await this.#store(ref, pending, credential);
    }
    return { credentialKey, status: 'received' };
  }

  /** Stores the credential. Throws `SIGN_IN_INVALID`, and stores nothing, if the data of the user was deleted during the exchange. */
  async #store(ref: PendingAuthRef, { authConfig, ...rest }: PendingAuth, credential: AuthCredential): Promise<void> {
    await this.#load(ref);
    const { appName, userId } = ref;
    await this.#service.saveCredential({ appName, userId, credentialKey: authConfig.credentialKey!, credential });
    const exchanged: PendingAuth = { ...rest, authConfig: toPublicConfig(authConfig), isExchanged: true };
    await this.#service.savePendingAuth({ ...ref, pending: exchanged });
  }

  /** Returns the sign-in. Throws `SIGN_IN_INVALID` if it does not exist. */
  async #load(ref: PendingAuthRef): Promise<PendingAuth> {
    const pending = await this.#service.loadPendingAuth(ref);
    if (!pending) throw signInInvalid('The sign-in is unknown or has expired. Request a new one.');
    return pending;
  }

  /** Returns the credential, or the error code of a refusal. Neither if another process has stored the credential. */
  async #exchange(
    config: AuthConfig,
    response: SignInResponse,
    ref: PendingAuthRef,
  ): Promise<{ credential?: AuthCredential | undefined; error?: string }> {
    if (response.error !== undefined) return { error: response.error };
    if (!isOAuthConfig(config)) return { credential: readEnteredCredential(config, response) };
    const server = await this.#servers.find(config.authScheme, undefined);
    const code = readCode(config, server, response);
    if (typeof code === 'string') return { error: code };
    return { credential: await this.#exchangeCode(config, code, ref) };
  }

  /** Exchanges a code for a credential. Returns undefined if another process has exchanged it. */
  async #exchangeCode(
    config: OAuthConfig,
    code: CodeResponse,
    ref: PendingAuthRef,
  ): Promise<AuthCredential | undefined> {
    try {
      return await this.#endpoint.exchangeCode(config, code);
    } catch (error) {
      if (!isGrantRejected(error)) throw toExchangeError(error, config, code);
      const isExchanged = async (): Promise<true | undefined> =>
        (await this.#service.loadPendingAuth(ref))?.isExchanged === true || undefined;
      if (await waitForResult(isExchanged, this.#runtime)) return undefined;
      throw signInInvalid(
        `The authorization server "${serverNameOf(config.authScheme)}" did not accept the code of the sign-in. It was used, has expired, or was issued for another redirect URI. Sign in again.`,
      );
    }
  }
}

/** Returns the part of a config that clients may see. */
function toPublicConfig(config: AuthConfig): AuthConfig {
  const { authScheme, credentialKey, exchangedAuthCredential } = config;
  const { authType, oauth2 } = exchangedAuthCredential ?? {};
  return {
    authScheme,
    ...(authType && { exchangedAuthCredential: { authType, oauth2: { authUri: oauth2?.authUri } } }),
    ...(credentialKey !== undefined && { credentialKey }),
  };
}

function assertCanSignIn(config: AuthConfig): void {
  if (isOAuthConfig(config) && usesClientCredentials(config.authScheme)) {
    throw new TholeError(
      'INVALID_INPUT',
      'authConfig gets a token for the application. No user can sign in with it. Use the authorizationCode flow.',
    );
  }
  if (config.rawAuthCredential?.authType === 'serviceAccount') {
    throw new TholeError('INVALID_INPUT', 'authConfig has a service account. No user can sign in with it.');
  }
}

function isSameRequest(earlier: AuthConfig, config: AuthConfig): boolean {
  const parts = ({ authScheme, rawAuthCredential, credentialKey }: AuthConfig): string =>
    JSON.stringify([authScheme, rawAuthCredential, credentialKey]);
  return parts(earlier) === parts(config);
}

function readEnteredCredential({ authScheme }: AuthConfig, { credential }: SignInResponse): AuthCredential {
  const expected = authScheme.type === 'apiKey' ? 'apiKey' : 'http';
  const { username, token } = credential?.http?.credentials ?? {};
  const hasValue = expected === 'apiKey' ? credential?.apiKey : username || token;
  if (!hasValue) {
    const member = expected === 'apiKey' ? 'apiKey' : 'http.credentials with a username or a token';
    throw signInInvalid(`The response must have exchangedAuthCredential.${member}, which must not be empty.`);
  }
  return expected === 'apiKey'
    ? { authType: 'apiKey', apiKey: credential!.apiKey }
    : { authType: 'http', http: credential!.http };
}

/** Returns the checked response of the authorization server, or the error code of a refusal. */
function readCode(config: OAuthConfig, server: AuthorizationServer, response: SignInResponse): CodeResponse | string {
  const { state, nonce, codeVerifier } = config.exchangedAuthCredential?.oauth2 ?? {};
  if (state === undefined || codeVerifier === undefined)
    throw signInInvalid('The stored sign-in has no state or no PKCE verifier. Request a new one.');
  const url = URL.parse(response.authResponseUri ?? '');
  if (!url) throw signInInvalid('The response must have authResponseUri, the complete address of the redirect.');
  const redirectUri = response.redirectUri ?? config.rawAuthCredential?.oauth2?.redirectUri;
  if (redirectUri === undefined)
    throw signInInvalid('The response must have redirectUri, the address that the client added to the sign-in.');
  const redirect = URL.parse(redirectUri);
  if (redirect?.origin !== url.origin || redirect.pathname !== url.pathname) {
    throw signInInvalid('authResponseUri of the response must begin with redirectUri.');
  }
  const parameters = url.searchParams;
  if (!server.knowsIssuer) parameters.delete('iss');
  try {
    const { client } = createClient(config, server);
    const checked = oauth.validateAuthResponse(server.metadata, client, parameters, state);
    if (checked.getAll('code').length > 1) throw signInInvalid('authResponseUri of the response has several codes.');
    if (!checked.get('code')) throw signInInvalid('authResponseUri of the response has no code. Sign in again.');
    return { parameters: checked, redirectUri, codeVerifier, nonce };
  } catch (error) {
    const code = oauthErrorCode(error);
    if (code !== undefined && !temporaryCodes.includes(code)) return code;
    if (code !== undefined)
      throw toAuthError(error, { request: 'the sign-in', server: serverNameOf(config.authScheme) });
    if (isLibraryError(error)) {
      throw signInInvalid(`authResponseUri does not fit the sign-in: ${error.message}. Sign in again.`);
    }
    throw error;
  }
}

function toExchangeError(error: unknown, config: OAuthConfig, code: CodeResponse): TholeError {
  return toAuthError(error, {
    request: 'the exchange of a code',
    server: serverNameOf(config.authScheme),
    secrets: [
      config.rawAuthCredential?.oauth2?.clientSecret,
      code.codeVerifier,
      code.parameters.get('code') ?? undefined,
    ],
  });
}
