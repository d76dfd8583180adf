/** A credential in ADK's shape: the developer's configuration, or the result of a sign-in. */
export interface AuthCredential {
  /** The kind of the credential, with ADK's names. */
  authType: 'apiKey' | 'http' | 'oauth2' | 'openIdConnect' | 'serviceAccount';
  apiKey?: string | undefined;
  http?: HttpAuth | undefined;
  oauth2?: OAuth2Auth | undefined;
  /** Stored unchanged. `@thole/auth` does not exchange service accounts. */
  serviceAccount?: { readonly [name: string]: unknown } | undefined;
}

/** Credential of an HTTP authentication scheme, such as `basic` or `bearer`. */
export interface HttpAuth {
  scheme: string;
  credentials: { username?: string | undefined; password?: string | undefined; token?: string | undefined };
  /** Headers to send in addition. */
  additionalHeaders?: { [name: string]: string } | undefined;
}

/** OAuth 2 client, data of a sign-in, and tokens. */
export interface OAuth2Auth {
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  /** Address at which the user signs in. The only member that clients receive. */
  authUri?: string | undefined;
  nonce?: string | undefined;
  state?: string | undefined;
  codeVerifier?: string | undefined;
  /** Address to which the authorization server sends the user afterwards. */
  redirectUri?: string | undefined;
  /** Complete address to which the user was sent, with `code` and `state`. The client returns it. */
  authResponseUri?: string | undefined;
  authCode?: string | undefined;
  accessToken?: string | undefined;
  refreshToken?: string | undefined;
  idToken?: string | undefined;
  /** Time at which the access token expires, in seconds since the epoch. */
  expiresAt?: number | undefined;
  /** Lifetime of the access token in seconds, as the server stated it. */
  expiresIn?: number | undefined;
  audience?: string | undefined;
  /** Address of the API for which tokens are requested (RFC 8707), such as the address of an MCP server. */
  resource?: string | undefined;
  /** Authentication of the client at the token endpoint. Default: `client_secret_basic` with a secret, otherwise `none`. */
  tokenEndpointAuthMethod?: string | undefined;
}
