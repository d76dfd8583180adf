import type { AuthCredential } from './auth-credential.ts';

/** OAuth 2 flow of a security scheme. `scopes` maps each scope to its description. */
export interface OAuth2Flow {
  authorizationUrl?: string | undefined;
  tokenUrl?: string | undefined;
  refreshUrl?: string | undefined;
  scopes?: { [scope: string]: string } | undefined;
}

/**
 * Security scheme of an API, in the shapes of OpenAPI 3 and of ADK's `OpenIdConnectWithConfig`. `issuer` is an addition
 * of this project: if it is set, ID tokens are checked.
 */
export type AuthScheme =
  | { type: 'apiKey'; in: 'query' | 'header' | 'cookie'; name: string; description?: string | undefined }
  | { type: 'http'; scheme: string; bearerFormat?: string | undefined; description?: string | undefined }
  | {
      type: 'oauth2';
      flows: { authorizationCode?: OAuth2Flow | undefined; clientCredentials?: OAuth2Flow | undefined };
      issuer?: string | undefined;
      description?: string | undefined;
    }
  | {
      type: 'openIdConnect';
      /** Address of the discovery document. Required unless the endpoints are set. */
      openIdConnectUrl?: string | undefined;
      issuer?: string | undefined;
      authorizationEndpoint?: string | undefined;
      tokenEndpoint?: string | undefined;
      userinfoEndpoint?: string | undefined;
      revocationEndpoint?: string | undefined;
      tokenEndpointAuthMethodsSupported?: string[] | undefined;
      /** Grant types of the server. If it contains only `client_credentials`, no user signs in. */
      grantTypesSupported?: string[] | undefined;
      scopes?: string[] | undefined;
      description?: string | undefined;
    };

/** A credential that a tool needs, in ADK's shape. */
export interface AuthConfig {
  authScheme: AuthScheme;
  /** The developer's part: API key, client id and secret. It never leaves the server. */
  rawAuthCredential?: AuthCredential | undefined;
  /** Data of a sign-in: `authUri` for the user, and later the response. */
  exchangedAuthCredential?: AuthCredential | undefined;
  /** Name under which the user's credential is stored. Default: computed from scheme and client id. */
  credentialKey?: string | undefined;
}
