import type { CredentialService, Runtime } from '@thole/core';

/** Options of `OAuthAuthenticator`. */
export interface OAuthAuthenticatorOptions {
  /** Stores credentials and sign-ins. Outside of tests, use a service that encrypts, such as `DatabaseCredentialService`. */
  credentialService: CredentialService;
  /** Time limit of one request to an authorization server in milliseconds. Default: 30,000. */
  timeoutMs?: number | undefined;
  /**
   * Tokens are refreshed this many milliseconds before they expire, or after half of their lifetime if that is later.
   * Default: 60,000.
   */
  refreshBeforeMs?: number | undefined;
  /**
   * Host names and IP addresses of authorization servers that are private or on this computer, such as `localhost` or
   * `login.example.internal`. They may also use `http:`. Default: none; only public servers with HTTPS are called.
   */
  privateHosts?: readonly string[] | undefined;
  /**
   * Sends the requests, for example through a proxy. It must not follow redirects. With this option, the authenticator does
   * not check whether a host name resolves to a private address. Default: the platform's `fetch`.
   */
  fetch?: typeof globalThis.fetch | undefined;
  /** Clock, timers and logs. Default: `systemRuntime()`. */
  runtime?: Runtime | undefined;
}
