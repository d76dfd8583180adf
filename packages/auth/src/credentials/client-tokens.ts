import type { AuthCredential, Runtime } from '@thole/core';
import { putCached } from '@thole/core/kit';
import { toAuthError } from '../oauth/to-auth-error.ts';
import type { OAuthConfig, TokenEndpoint } from '../oauth/token-endpoint.ts';
import { serverNameOf } from '../oauth/authorization-server.ts';
import { isFresh } from '../oauth/token-credential.ts';
import { SharedCalls } from '../shared-calls.ts';

const MAX_CACHED_TOKENS = 100;

/** Tokens of the application itself (client credentials grant), kept in memory until they expire. */
export class ClientTokens {
  readonly #endpoint: TokenEndpoint;
  readonly #runtime: Runtime;
  readonly #leewaySeconds: number;
  readonly #cache = new Map<string, AuthCredential>();
  readonly #calls = new SharedCalls<AuthCredential>();

  constructor(endpoint: TokenEndpoint, runtime: Runtime, leewaySeconds: number) {
    this.#endpoint = endpoint;
    this.#runtime = runtime;
    this.#leewaySeconds = leewaySeconds;
  }

  /** Returns a valid token. Concurrent calls with equal configs send one request. */
  async load(config: OAuthConfig, signal: AbortSignal | undefined): Promise<AuthCredential> {
    const key = keyOf(config);
    const cached = this.#cache.get(key);
    if (cached && isFresh(cached, this.#runtime.now(), this.#leewaySeconds)) return cached;
    return this.#calls.run(key, async () => this.#request(key, config), signal);
  }

  /** Deletes the cached token, so that the next `load` requests another one. */
  delete(config: OAuthConfig): void {
    this.#cache.delete(keyOf(config));
  }

  async #request(key: string, config: OAuthConfig): Promise<AuthCredential> {
    try {
      const credential = await this.#endpoint.requestClientToken(config);
      putCached(this.#cache, key, credential, MAX_CACHED_TOKENS);
      return credential;
    } catch (error) {
      throw toAuthError(error, {
        request: 'the request for a token of the application',
        server: serverNameOf(config.authScheme),
        secrets: [config.rawAuthCredential?.oauth2?.clientSecret],
      });
    }
  }
}

// Configs that differ only in their secret have different tokens.
function keyOf({ authScheme, rawAuthCredential }: OAuthConfig): string {
  return JSON.stringify([authScheme, rawAuthCredential]);
}
