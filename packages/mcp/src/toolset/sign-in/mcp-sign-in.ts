import type { AuthConfig, AuthCredential, Json, ReadonlyContext, Runtime, ToolContext, UserRef } from '@thole/core';
import { TholeError } from '@thole/core';
import { KeyedQueue, sha256Hex, withTimeLimit } from '@thole/core/kit';
import { DEFAULT_TIMEOUT_MS } from '../connection/connection-params.ts';
import type { StreamableHTTPConnectionParams } from '../connection/connection-params.ts';
import { McpHttp } from '../connection/mcp-http.ts';
import { discoverAuth } from './discover-auth.ts';
import type { ServerAuth } from './discover-auth.ts';
import type { McpAuthOptions } from './mcp-auth-options.ts';

const MAX_MESSAGE_BYTES = 1024 * 1024;
const DISCOVERY_MS = 3_600_000;

interface OAuthClient {
  clientId: string;
  clientSecret?: string;
}

/**
 * Tokens of users for one server. The authenticator of the runner signs users in and refreshes their tokens. It is not called
 * before the server has answered that it requires a sign-in.
 */
export class McpSignIn {
  readonly #options: McpAuthOptions;
  readonly #url: string;
  readonly #http: McpHttp;
  readonly #timeoutMs: number;
  readonly #runtime: Runtime;
  readonly #registrations = new KeyedQueue();
  #challenge: string | undefined;
  #isRequired = false;
  #discovery: { auth: Promise<ServerAuth>; until: number } | undefined;

  constructor(options: McpAuthOptions, params: StreamableHTTPConnectionParams, runtime: Runtime) {
    this.#options = options;
    this.#url = params.url;
    this.#http = new McpHttp(params, MAX_MESSAGE_BYTES);
    this.#timeoutMs = params.timeout ?? DEFAULT_TIMEOUT_MS;
    this.#runtime = runtime;
  }

  /**
   * Returns the access token of the user. Undefined if the server has not required a token yet. Throws an error for which
   * `isSignInNeeded` is true if the user must sign in.
   */
  async loadToken(context: ReadonlyContext): Promise<string | undefined> {
    if (!this.#isRequired) return undefined;
    const credential = await this.#load(context);
    const token = credential?.oauth2?.accessToken;
    if (token !== undefined) return token;
    throw signInNeededError(this.#url);
  }

  /**
   * Records that the server requires a sign-in. Refreshes the refused token if `mayRefresh` is true. Deletes it if it stays the
   * user's token.
   */
  async handleRefusal(
    context: ReadonlyContext,
    p: { token: string | undefined; challenge: Json | undefined; mayRefresh: boolean },
  ): Promise<void> {
    this.#isRequired = true;
    if (typeof p.challenge === 'string') this.#challenge = p.challenge;
    if (p.token === undefined) return;
    const { signal } = context;
    const current = await this.#load(context, p.mayRefresh ? p.token : undefined);
    if (current?.oauth2?.accessToken !== p.token) return;
    const authConfig = await this.#config(context);
    await this.#options.authenticator.deleteCredential({ ...userOf(context), authConfig, signal });
  }

  /** Requests a sign-in of the user. The run pauses until the user has answered. */
  async request(context: ToolContext): Promise<void> {
    this.#isRequired = true;
    await context.requestCredential(await this.#config(context));
  }

  async #load(context: ReadonlyContext, refusedToken?: string): Promise<AuthCredential | undefined> {
    const { authenticator, clientId } = this.#options;
    const request = { ...userOf(context), authConfig: await this.#config(context), signal: context.signal };
    try {
      return await authenticator.loadCredential({ ...request, refusedToken });
    } catch (error) {
      if (clientId !== undefined || !isClientUnknown(error)) throw error;
      // The server has forgotten the registered client, or its secret has expired. The next sign-in registers another one.
      await authenticator.deleteCredential(request);
      const authConfig = await this.#clientConfig((await this.#discover()).metadata.issuer);
      await authenticator.deleteCredential({ ...request, authConfig });
      return undefined;
    }
  }

  async #config(context: ReadonlyContext): Promise<AuthConfig> {
    const { metadata, resource, scopes } = await this.#discover();
    const { redirectUri } = this.#options;
    const requestedScopes = this.#options.scopes ?? scopes;
    const client = await this.#clientOf(context, metadata, requestedScopes);
    // With the issuer, a token is never sent to another authorization server that the MCP server names later.
    const key = await computeDigest(JSON.stringify([this.#url, metadata.issuer, client.clientId]));
    return {
      authScheme: {
        type: 'oauth2',
        issuer: metadata.issuer,
        flows: {
          authorizationCode: {
            authorizationUrl: metadata.authorization_endpoint,
            tokenUrl: metadata.token_endpoint,
            scopes: Object.fromEntries(requestedScopes.map((scope) => [scope, ''])),
          },
        },
      },
      rawAuthCredential: {
        authType: 'oauth2',
        oauth2: {
          ...client,
          ...(redirectUri !== undefined && { redirectUri }),
          ...(resource !== undefined && { resource }),
        },
      },
      credentialKey: `mcp_${key}`,
    };
  }

  async #discover(): Promise<ServerAuth> {
    const now = this.#runtime.monotonic();
    if (this.#discovery && this.#discovery.until > now) return this.#discovery.auth;
    const [url, challenge, runtime] = [this.#url, this.#challenge, this.#runtime];
    const auth = this.#limited('for a description of the sign-in', (fetch) =>
      discoverAuth({ url, challenge, fetch, runtime }),
    );
    this.#discovery = { auth, until: now + DISCOVERY_MS };
    auth.catch(() => {
      this.#discovery = undefined;
    });
    return auth;
  }

  /** Limits the time of requests: users share the discovery, and the runs of a user share the registration. */
  async #limited<T>(purpose: string, work: (fetch: McpHttp['fetch']) => Promise<T>): Promise<T> {
    const ms = this.#timeoutMs;
    const message = `The MCP server "${new URL(this.#url).host}" or its authorization server did not answer in ${ms} ms when it was asked ${purpose}. Try again later.`;
    const timeoutError = (): TholeError => new TholeError('AUTH_SERVER_FAILED', message, { retryable: true });
    return withTimeLimit({ runtime: this.#runtime, ms, timeoutError }, (signal) =>
      work((url, init) => this.#http.fetch(url, { ...init, signal })),
    );
  }

  /**
   * Returns the configured client, or one that was registered for the user at this authorization server. Concurrent runs of a user
   * receive the same client: a sign-in with another one would have no effect.
   */
  async #clientOf(
    context: ReadonlyContext,
    metadata: ServerAuth['metadata'],
    scopes: readonly string[],
  ): Promise<OAuthClient> {
    const { clientId, clientSecret } = this.#options;
    if (clientId !== undefined) return { clientId, ...(clientSecret !== undefined && { clientSecret }) };
    const { appName, userId, signal } = context;
    const authConfig = await this.#clientConfig(metadata.issuer);
    const ref = { appName, userId, authConfig, signal };
    const key = JSON.stringify([appName, userId]);
    return this.#registrations.run(key, async () => this.#loadOrRegister(ref, metadata, scopes));
  }

  async #loadOrRegister(
    ref: UserRef & { authConfig: AuthConfig; signal: AbortSignal },
    metadata: ServerAuth['metadata'],
    scopes: readonly string[],
  ): Promise<OAuthClient> {
    const { authenticator } = this.#options;
    const load = async (): Promise<OAuthClient | undefined> => {
      const { username, password } = (await authenticator.loadCredential(ref))?.http?.credentials ?? {};
      if (username === undefined) return undefined;
      return { clientId: username, ...(password !== undefined && { clientSecret: password }) };
    };
    const stored = await load();
    if (stored) return stored;
    const registered = await this.#register(metadata, scopes);
    // Another process may have registered a client during the request. Sign-ins that it has begun use that client.
    const other = await load();
    if (other) return other;
    const credentials = {
      username: registered.clientId,
      ...(registered.clientSecret !== undefined && { password: registered.clientSecret }),
    };
    const credential: AuthCredential = { authType: 'http', http: { scheme: 'basic', credentials } };
    await authenticator.saveCredential({ ...ref, credential });
    return registered;
  }

  /** A client is stored as a user name with a password, which the authenticator returns unchanged. */
  async #clientConfig(issuer: string): Promise<AuthConfig> {
    const key = await computeDigest(JSON.stringify([issuer, this.#options.redirectUri]));
    return { authScheme: { type: 'http', scheme: 'basic' }, credentialKey: `mcp_client_${key}` };
  }

  async #register(metadata: ServerAuth['metadata'], scopes: readonly string[]): Promise<OAuthClient> {
    const { registerClient } = await import('@modelcontextprotocol/client');
    const { host } = new URL(metadata.issuer);
    const supported = metadata.token_endpoint_auth_methods_supported ?? [];
    const methods = ['none', 'client_secret_basic', 'client_secret_post'];
    try {
      const register = (fetchFn: McpHttp['fetch']) =>
        registerClient(metadata.issuer, {
          metadata,
          clientMetadata: {
            client_name: 'Thole',
            redirect_uris: [this.#options.redirectUri!],
            grant_types: ['authorization_code', 'refresh_token'],
            response_types: ['code'],
            token_endpoint_auth_method: methods.find((each) => supported.includes(each)) ?? 'client_secret_basic',
          },
          ...(scopes.length > 0 && { scope: scopes.join(' ') }),
          fetchFn,
        });
      const registered = await this.#limited('for the registration of the application', register);
      const { client_id: clientId, client_secret: clientSecret } = registered;
      return { clientId, ...(clientSecret !== undefined && { clientSecret }) };
    } catch (error) {
      if (TholeError.is(error)) throw error;
      const message = `The authorization server "${host}" did not register the application. Register a client there and set auth.clientId.`;
      throw new TholeError('AUTH_SERVER_FAILED', message, { cause: error });
    }
  }
}

/** True for an error which means that the user must sign in first. */
export function isSignInNeeded(error: unknown): boolean {
  return TholeError.is(error, 'MCP_SERVER_FAILED') && error.details?.['signInNeeded'] === true;
}

/** True if the authorization server does not know the client, or does not accept its secret. */
function isClientUnknown(error: unknown): boolean {
  return TholeError.is(error, 'AUTH_SERVER_FAILED') && error.details?.['oauthError'] === 'invalid_client';
}

function signInNeededError(url: string): TholeError {
  const message = `The user must sign in to the MCP server "${new URL(url).host}".`;
  return new TholeError('MCP_SERVER_FAILED', message, { details: { signInNeeded: true } });
}

function userOf({ appName, userId }: ReadonlyContext): UserRef {
  return { appName, userId };
}

async function computeDigest(text: string): Promise<string> {
  return (await sha256Hex(text)).slice(0, 32);
}
