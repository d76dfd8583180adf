import type { AuthConfig, AuthCredential, Runtime } from '@thole/core';
import { isPlainObject, parseJson, redact } from '@thole/core/kit';
import * as oauth from 'oauth4webapi';
import { secretsIn } from '../http/auth-fetch.ts';
import type { AuthFetch, AuthRequest } from '../http/auth-fetch.ts';
import { scopesOf } from './authorization-server.ts';
import type { AuthorizationServer, AuthorizationServers, OAuthScheme } from './authorization-server.ts';
import { createClient } from './oauth-client.ts';
import type { OAuthClient } from './oauth-client.ts';
import { toTokenCredential } from './token-credential.ts';

/** A config whose tokens are issued by an authorization server. */
export type OAuthConfig = AuthConfig & { authScheme: OAuthScheme };

/** Response of an authorization server to a sign-in. Its `state` has been checked. */
export interface CodeResponse {
  parameters: URLSearchParams;
  redirectUri: string;
  codeVerifier: string;
  /** Undefined if no ID token is expected. */
  nonce: string | undefined;
}

/** The functions of one OAuth grant: `send` sends its request, and `read` checks its response. */
interface Grant {
  send: (p: OAuthClient & AuthorizationServer & { options: oauth.TokenEndpointRequestOptions }) => Promise<Response>;
  read: (
    metadata: oauth.AuthorizationServer,
    client: oauth.Client,
    response: Response,
  ) => Promise<oauth.TokenEndpointResponse>;
}

/** Requests tokens. Throws the errors of `oauth4webapi` and `AuthFetch`. Every request has a time limit. */
export class TokenEndpoint {
  readonly #servers: AuthorizationServers;
  readonly #http: AuthFetch;
  readonly #runtime: Runtime;

  constructor(servers: AuthorizationServers, http: AuthFetch, runtime: Runtime) {
    this.#servers = servers;
    this.#http = http;
    this.#runtime = runtime;
  }

  /** Exchanges the code of a sign-in. Checks the ID token and its nonce if the issuer is known. */
  async exchangeCode(config: OAuthConfig, code: CodeResponse): Promise<AuthCredential> {
    return this.#request(config, {
      send: ({ metadata, client, authentication, options }) =>
        oauth.authorizationCodeGrantRequest(
          metadata,
          client,
          authentication,
          code.parameters,
          code.redirectUri,
          code.codeVerifier,
          { ...options, additionalParameters: resourceOf(config) },
        ),
      read: (metadata, client, response) =>
        oauth.processAuthorizationCodeResponse(metadata, client, response, {
          ...(code.nonce !== undefined && { expectedNonce: code.nonce, requireIdToken: true }),
        }),
    });
  }

  /** Requests a new access token with the refresh token of a credential. */
  async refresh(config: OAuthConfig, earlier: AuthCredential): Promise<AuthCredential> {
    return this.#request(
      config,
      {
        send: ({ metadata, refreshEndpoint = metadata.token_endpoint!, client, authentication, options }) =>
          oauth.refreshTokenGrantRequest(
            { ...metadata, token_endpoint: refreshEndpoint },
            client,
            authentication,
            earlier.oauth2!.refreshToken!,
            { ...options, additionalParameters: resourceOf(config) },
          ),
        read: oauth.processRefreshTokenResponse,
      },
      earlier,
    );
  }

  /** Requests a token for the application itself. */
  async requestClientToken(config: OAuthConfig): Promise<AuthCredential> {
    const scopes = scopesOf(config.authScheme);
    const { audience, resource } = config.rawAuthCredential?.oauth2 ?? {};
    const parameters = {
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      ...(audience !== undefined && { audience }),
      ...(resource !== undefined && { resource }),
    };
    return this.#request(config, {
      send: ({ metadata, client, authentication, options }) =>
        oauth.clientCredentialsGrantRequest(metadata, client, authentication, parameters, options),
      read: oauth.processClientCredentialsResponse,
    });
  }

  // Callers share requests, so a request has no signal of one caller. Its time limit ends it.
  async #request(config: OAuthConfig, grant: Grant, earlier?: AuthCredential): Promise<AuthCredential> {
    const server = await this.#servers.find(config.authScheme, undefined);
    const client = createClient(config, server);
    const requestedAt = this.#runtime.now();
    let secrets: readonly string[] = [];
    const options: oauth.TokenEndpointRequestOptions = {
      [oauth.customFetch]: (url, init) => {
        secrets = secretsIn(init as AuthRequest);
        return this.#http.send(url, init as AuthRequest);
      },
      // `AuthFetch` decides which hosts may use `http:`.
      [oauth.allowInsecureRequests]: true,
    };
    const response = await grant.send({ ...server, ...client, options });
    const corrected = await correctResponse(response, server, secrets);
    const tokens = await grant.read(server.metadata, client.client, corrected);
    return toTokenCredential(tokens, {
      authType: config.authScheme.type,
      clientId: client.client.client_id,
      requestedAt,
      earlier,
    });
  }
}

function resourceOf({ rawAuthCredential }: OAuthConfig): Record<string, string> {
  const resource = rawAuthCredential?.oauth2?.resource;
  return resource === undefined ? {} : { resource };
}

/**
 * Corrects responses that differ from RFC 6749, because the library rejects them or does not read them:
 * - an error with status 200, as of GitHub, gets the status 400, so that its code is read;
 * - in tokens, scopes and members without a value (null, an empty text, a lifetime of 0) are left out, and the types of Slack
 *   become `bearer`.
 *
 * Removes the secrets of the request from errors, and without an issuer the ID token, because that cannot be checked.
 */
async function correctResponse(
  response: Response,
  { knowsIssuer }: AuthorizationServer,
  secrets: readonly string[],
): Promise<Response> {
  const { headers, status } = response;
  const text = await response.text();
  const body: unknown = parseJson(text);
  if (!isPlainObject(body)) return new Response(text || null, { status, headers });
  const isError = status === 200 && typeof body['error'] === 'string' && body['access_token'] === undefined;
  if (isError || status !== 200)
    return new Response(redact(text, secrets), { status: isError ? 400 : status, headers });
  const { id_token: idToken, scope: _, token_type: type, ...rest } = body;
  const isSlack = type === 'bot' || type === 'user';
  const tokens = { ...rest, token_type: isSlack ? 'bearer' : type, ...(knowsIssuer && { id_token: idToken }) };
  const given = Object.entries(tokens).filter(
    ([name, value]) => value !== null && value !== '' && !(name === 'expires_in' && Number(value) === 0),
  );
  return new Response(JSON.stringify(Object.fromEntries(given)), { status, headers });
}
