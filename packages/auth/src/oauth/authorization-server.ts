import type { AuthScheme, Runtime } from '@thole/core';
import { TholeError } from '@thole/core';
import { putCached } from '@thole/core/kit';
import * as oauth from 'oauth4webapi';
import type { AuthFetch } from '../http/auth-fetch.ts';
import { SharedCalls } from '../shared-calls.ts';
import { toAuthError } from './to-auth-error.ts';

const CACHE_MS = 3_600_000;
const MAX_CACHED = 100;
const OPENID_PATH = '/.well-known/openid-configuration';
const OAUTH_PATH = '/.well-known/oauth-authorization-server';
/** Algorithms of ID tokens from a server with fixed endpoints, which does not list them. */
const SIGNING_ALGORITHMS: string[] = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
];

/** A scheme whose tokens are issued by an authorization server. */
export type OAuthScheme = Extract<AuthScheme, { type: 'oauth2' | 'openIdConnect' }>;

/** Endpoints of an authorization server. */
export interface AuthorizationServer {
  metadata: oauth.AuthorizationServer;
  /** False for fixed endpoints without `issuer`. ID tokens are then dropped, because they cannot be checked. */
  knowsIssuer: boolean;
  /** Endpoint for refreshes, if it is not the token endpoint. */
  refreshEndpoint?: string | undefined;
}

/** Finds the endpoints of schemes, and caches discovery documents for an hour. */
export class AuthorizationServers {
  readonly #http: AuthFetch;
  readonly #runtime: Runtime;
  readonly #cache = new Map<string, { metadata: oauth.AuthorizationServer; until: number }>();
  readonly #calls = new SharedCalls<oauth.AuthorizationServer>();

  constructor(http: AuthFetch, runtime: Runtime) {
    this.#http = http;
    this.#runtime = runtime;
  }

  /**
   * Returns the endpoints. Endpoints in the scheme have priority over its discovery document. Throws `INVALID_INPUT` if
   * endpoints are missing or are not allowed.
   */
  async find(scheme: OAuthScheme, signal: AbortSignal | undefined): Promise<AuthorizationServer> {
    const configured = endpointsOf(scheme);
    const usesCode = !usesClientCredentials(scheme);
    const isFixed = configured.token !== undefined && (configured.authorization !== undefined || !usesCode);
    const metadata = isFixed ? fixedMetadata(scheme, configured.token!) : await this.#discover(scheme, signal);
    const authorization = configured.authorization ?? metadata.authorization_endpoint;
    const token = configured.token ?? metadata.token_endpoint;
    // Endpoints of a discovery document are checked too: the user's browser opens one of them.
    if (usesCode) this.#http.parseAddress(configured.names.authorization, authorization);
    this.#http.parseAddress(configured.names.token, token);
    if (configured.refresh !== undefined) this.#http.parseAddress(configured.names.refresh, configured.refresh);
    const methods = scheme.type === 'openIdConnect' ? scheme.tokenEndpointAuthMethodsSupported : undefined;
    return {
      metadata: {
        ...metadata,
        ...(authorization !== undefined && { authorization_endpoint: authorization }),
        ...(methods && { token_endpoint_auth_methods_supported: methods }),
        token_endpoint: token!,
      },
      knowsIssuer: !isFixed || scheme.issuer !== undefined,
      ...(configured.refresh !== undefined && { refreshEndpoint: configured.refresh }),
    };
  }

  async #discover(scheme: OAuthScheme, signal: AbortSignal | undefined): Promise<oauth.AuthorizationServer> {
    const { document, issuer } = this.#documentOf(scheme);
    const key = `${issuer.href} ${document.href}`;
    const cached = this.#cache.get(key);
    if (cached && cached.until > this.#runtime.monotonic()) return cached.metadata;
    return this.#calls.run(key, async () => this.#read(key, document, issuer), signal);
  }

  #documentOf(scheme: OAuthScheme): { document: URL; issuer: URL } {
    if (scheme.type === 'oauth2') {
      const { names } = endpointsOf(scheme);
      if (scheme.issuer === undefined) {
        throw new TholeError('INVALID_INPUT', `Set ${names.authorization} and ${names.token}, or authScheme.issuer.`);
      }
      const issuer = this.#http.parseAddress('authScheme.issuer', scheme.issuer);
      const document = new URL(issuer);
      document.pathname = OAUTH_PATH + issuer.pathname.replace(/\/$/, '');
      return { document, issuer };
    }
    const { openIdConnectUrl = scheme.issuer && scheme.issuer.replace(/\/$/, '') + OPENID_PATH } = scheme;
    if (openIdConnectUrl === undefined) {
      const endpoints = 'authScheme.authorizationEndpoint and authScheme.tokenEndpoint';
      throw new TholeError('INVALID_INPUT', `Set authScheme.openIdConnectUrl, authScheme.issuer, or ${endpoints}.`);
    }
    const document = this.#http.parseAddress('authScheme.openIdConnectUrl', openIdConnectUrl);
    const expected = scheme.issuer ?? issuerOf(document);
    if (expected === undefined) {
      const message = `authScheme.openIdConnectUrl must end in ${OPENID_PATH}. For another address, set authScheme.issuer.`;
      throw new TholeError('INVALID_INPUT', message);
    }
    return { document, issuer: this.#http.parseAddress('authScheme.issuer', expected) };
  }

  async #read(key: string, document: URL, issuer: URL): Promise<oauth.AuthorizationServer> {
    try {
      const request = { method: 'GET', headers: { accept: 'application/json' } };
      const response = await this.#http.send(document.href, request);
      const metadata = await oauth.processDiscoveryResponse(issuer, response);
      putCached(this.#cache, key, { metadata, until: this.#runtime.monotonic() + CACHE_MS }, MAX_CACHED);
      return metadata;
    } catch (error) {
      throw toAuthError(error, { request: 'the request for its discovery document', server: document.host });
    }
  }
}

/** True if the scheme gets a token for the application itself, without a sign-in of a user. */
export function usesClientCredentials(scheme: OAuthScheme): boolean {
  if (scheme.type === 'oauth2') return !scheme.flows.authorizationCode && scheme.flows.clientCredentials !== undefined;
  const grants = scheme.grantTypesSupported ?? [];
  return grants.includes('client_credentials') && !grants.includes('authorization_code');
}

/** Returns the sorted scopes. Default of a sign-in with OpenID Connect: `openid`. */
export function scopesOf(scheme: OAuthScheme): string[] {
  if (scheme.type === 'openIdConnect') {
    return (scheme.scopes ?? (usesClientCredentials(scheme) ? [] : ['openid'])).toSorted();
  }
  const { authorizationCode, clientCredentials } = scheme.flows;
  return Object.keys((authorizationCode ?? clientCredentials)?.scopes ?? {}).toSorted();
}

/** Returns the host of the server for error messages. */
export function serverNameOf(scheme: OAuthScheme): string {
  const { authorization, token } = endpointsOf(scheme);
  const discovery = scheme.type === 'openIdConnect' ? scheme.openIdConnectUrl : undefined;
  return URL.parse(token ?? discovery ?? scheme.issuer ?? authorization ?? '')?.host ?? 'unknown';
}

/** Endpoints in a scheme, and the names of their members for error messages. */
interface Endpoints {
  authorization: string | undefined;
  token: string | undefined;
  refresh: string | undefined;
  names: { authorization: string; token: string; refresh: string };
}

function endpointsOf(scheme: OAuthScheme): Endpoints {
  if (scheme.type === 'openIdConnect') {
    const [authorization, token] = [scheme.authorizationEndpoint, scheme.tokenEndpoint];
    const names = { authorization: 'authScheme.authorizationEndpoint', token: 'authScheme.tokenEndpoint', refresh: '' };
    return { authorization, token, refresh: undefined, names };
  }
  const { authorizationCode, clientCredentials } = scheme.flows;
  const path = `authScheme.flows.${authorizationCode || !clientCredentials ? 'authorizationCode' : 'clientCredentials'}`;
  const flow = authorizationCode ?? clientCredentials;
  return {
    authorization: flow?.authorizationUrl,
    token: flow?.tokenUrl,
    refresh: flow?.refreshUrl,
    names: { authorization: `${path}.authorizationUrl`, token: `${path}.tokenUrl`, refresh: `${path}.refreshUrl` },
  };
}

function fixedMetadata({ issuer }: OAuthScheme, token: string): oauth.AuthorizationServer {
  // The library requires an issuer. This default is never compared with a response: see `knowsIssuer`.
  return {
    issuer: issuer ?? URL.parse(token)?.origin ?? token,
    id_token_signing_alg_values_supported: SIGNING_ALGORITHMS,
  };
}

function issuerOf(document: URL): string | undefined {
  const { href, search } = document;
  return search === '' && href.endsWith(OPENID_PATH) ? href.slice(0, -OPENID_PATH.length) : undefined;
}
