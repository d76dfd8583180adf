import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Runtime } from '@thole/core';
import { TholeError } from '@thole/core';
import { invalidInput, isPrivateAddress, normalizeHost, raceAbort, withTimeLimit } from '@thole/core/kit';
import { redactError } from './redact-error.ts';

const MAX_RESPONSE_BYTES = 1024 * 1024;
/** Secret members of requests to a token endpoint. */
const secretMembers: readonly string[] = ['client_secret', 'code', 'code_verifier', 'refresh_token'];

/** Settings of `AuthFetch`. */
export interface AuthFetchOptions {
  /** If undefined, the platform's `fetch` is used, and host names must not resolve to private addresses. */
  fetch: typeof globalThis.fetch | undefined;
  /** Time limit of a request with its response. */
  timeoutMs: number;
  /** Host names and IP addresses that may be private. `http:` is allowed for them. */
  privateHosts: readonly string[];
  runtime: Runtime;
}

/** Members of a request that `oauth4webapi` passes to its `fetch`. */
export interface AuthRequest {
  method: string;
  headers: { [name: string]: string };
  body?: URLSearchParams | undefined;
}

/**
 * Sends requests to authorization servers, only to public hosts over HTTPS. Limits the time of a request and the size of
 * its response. Never follows redirects.
 */
export class AuthFetch {
  readonly #options: AuthFetchOptions;
  readonly #privateHosts: ReadonlySet<string>;

  constructor(options: AuthFetchOptions) {
    this.#options = options;
    this.#privateHosts = new Set(options.privateHosts.map(normalizeHost));
  }

  /** True if this host may be private and may use `http:`. */
  allowsPrivate(url: URL): boolean {
    return this.#privateHosts.has(normalizeHost(url.hostname));
  }

  /** Returns the parsed address. Throws `INVALID_INPUT` for an address that the server or the user must not open. */
  parseAddress(argument: string, value: unknown): URL {
    const url = typeof value === 'string' ? URL.parse(value) : null;
    if (!url) throw invalidInput(argument, 'a URL', value);
    if (url.username !== '' || url.password !== '') {
      throw new TholeError('INVALID_INPUT', `${argument} must be a URL without user name and password.`);
    }
    if (url.protocol === 'https:' || (url.protocol === 'http:' && this.allowsPrivate(url))) return url;
    throw new TholeError(
      'INVALID_INPUT',
      `${argument} must begin with https://. For a server in your own network, add its host to the option privateHosts of OAuthAuthenticator.`,
    );
  }

  /** Sends a request and reads the complete response. Throws `AUTH_SERVER_FAILED`. */
  async send(address: string, request: AuthRequest): Promise<Response> {
    const { timeoutMs, runtime, fetch = globalThis.fetch } = this.#options;
    const url = this.parseAddress('The address of the authorization server', address);
    const limit = { runtime, ms: timeoutMs, timeoutError: () => timeoutError(url, timeoutMs) };
    return withTimeLimit(limit, async (signal) => {
      try {
        await this.#assertPublic(url);
        signal.throwIfAborted();
        const { method, headers, body } = request;
        const init = { method, headers, redirect: 'manual' as const, signal, ...(body && { body }) };
        return await readResponse(url, await fetch(url.href, init), signal);
      } catch (error) {
        throw TholeError.is(error) ? error : unreachableError(url, redactError(error, secretsIn(request)));
      }
    });
  }

  // A name may resolve to another address when the request is sent. TLS then fails, because the certificate must fit the
  // name, so no request reaches a private server.
  async #assertPublic(url: URL): Promise<void> {
    if (this.allowsPrivate(url)) return;
    const host = normalizeHost(url.hostname);
    if (isIP(host) === 0 && this.#options.fetch) return;
    const addresses = isIP(host) === 0 ? await lookup(host, { all: true }) : [{ address: host }];
    if (!addresses.some(({ address }) => isPrivateAddress(address))) return;
    throw new TholeError(
      'AUTH_SERVER_FAILED',
      `The authorization server "${host}" has a private address. If it is in your own network, add "${host}" to the option privateHosts of OAuthAuthenticator.`,
    );
  }
}

async function readResponse(url: URL, response: Response, signal: AbortSignal): Promise<Response> {
  const { status, body } = response;
  // `www-authenticate` is left out: it has fewer details than the body, but the library would prefer it.
  const headers = { 'content-type': response.headers.get('content-type') ?? '' };
  if (status >= 300 && status < 400) {
    await body?.cancel();
    throw new TholeError(
      'AUTH_SERVER_FAILED',
      `The authorization server "${url.host}" redirected ${url.pathname}. Redirects are not followed: configure the final address.`,
    );
  }
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const reader = body?.getReader();
  try {
    for (;;) {
      const read = await raceAbort(reader ? reader.read() : Promise.resolve(undefined), signal);
      if (!read || read.done) break;
      bytes += read.value.length;
      if (bytes > MAX_RESPONSE_BYTES) {
        throw new TholeError(
          'AUTH_SERVER_FAILED',
          `The response of the authorization server "${url.host}" has more than ${MAX_RESPONSE_BYTES} bytes.`,
        );
      }
      chunks.push(read.value);
    }
  } catch (error) {
    reader?.cancel().catch(() => undefined);
    throw error;
  }
  return new Response(status === 204 ? null : await new Blob(chunks).bytes(), { status, headers });
}

function timeoutError(url: URL, timeoutMs: number): TholeError {
  return new TholeError(
    'AUTH_SERVER_FAILED',
    `The authorization server "${url.host}" did not answer in ${timeoutMs} ms. Try again later.`,
    { retryable: true },
  );
}

/** Returns the secrets in a request. The server, or the `fetch` of an application, may repeat them in its errors. */
export function secretsIn({ headers, body }: AuthRequest): string[] {
  const authorization = headers['authorization'] ?? '';
  const members = secretMembers.map((name) => body?.get(name) ?? '');
  return [authorization.replace(/^\w+ /, ''), ...members];
}

function unreachableError(url: URL, cause: Error): TholeError {
  return new TholeError(
    'AUTH_SERVER_FAILED',
    `The authorization server "${url.host}" cannot be reached. Check its address and the network.`,
    { retryable: true, cause },
  );
}
