import { AsyncLocalStorage } from 'node:async_hooks';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Transport } from '@modelcontextprotocol/client';
import { TholeError } from '@thole/core';
import { isPrivateAddress, normalizeHost } from '@thole/core/kit';
import type { McpHeaders, StreamableHTTPConnectionParams } from './connection-params.ts';
import { limitBody } from './limit-body.ts';

/**
 * Called when a response that is a stream of events has ended or broken and cannot be continued. The SDK does not report this
 * to the request, which may still wait for its result.
 */
export type StreamEnd = (failure: TholeError | undefined) => void;

/** One operation: the headers of its requests, and the last error of a request. */
interface RequestScope {
  readonly headers: McpHeaders;
  readonly onStreamEnd?: StreamEnd | undefined;
  failure?: TholeError | undefined;
}

/**
 * Sends the requests to one server for one user: only to public hosts over HTTPS, except `privateHosts`; with the user's
 * headers; without redirects to other hosts; with a limit of each message's size.
 */
export class McpHttp {
  readonly #origin: string;
  readonly #privateHosts: ReadonlySet<string>;
  readonly #fetch: typeof globalThis.fetch | undefined;
  readonly #maxMessageBytes: number;
  readonly #scope = new AsyncLocalStorage<RequestScope>();
  /** Headers of the newest operation, for streams that outlive an operation. */
  #newestHeaders: McpHeaders = {};

  constructor(params: StreamableHTTPConnectionParams, maxMessageBytes: number) {
    this.#origin = new URL(params.url).origin;
    this.#privateHosts = new Set(params.privateHosts?.map(normalizeHost));
    this.#fetch = params.transportOptions?.fetch;
    this.#maxMessageBytes = maxMessageBytes;
  }

  /**
   * Calls `work`, whose requests have these headers. If it fails because a request was refused here or needs a sign-in,
   * throws that error.
   */
  async run<T>(headers: McpHeaders, work: () => Promise<T>, onStreamEnd?: StreamEnd): Promise<T> {
    const scope: RequestScope = { headers, onStreamEnd };
    this.#newestHeaders = headers;
    try {
      return await this.#scope.run(scope, work);
    } catch (error) {
      throw scope.failure ?? error;
    }
  }

  /** Reports the ends of the transport's responses to the operations that wait for them. */
  watch(transport: Transport): void {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      const onStreamEnd = this.#scope.getStore()?.onStreamEnd;
      return send(message, onStreamEnd ? { ...options, onRequestStreamEnd: () => onStreamEnd(undefined) } : options);
    };
  }

  /** The `fetch` of the transport and of the discovery of authorization servers. */
  readonly fetch = async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input);
    const scope = this.#scope.getStore();
    try {
      await this.#assertAllowed(url);
      const response = await this.#send(url, init, scope);
      if (scope && init.method === 'POST') scope.failure = accessErrorOf(url, response);
      this.#assertNoRedirect(url, response);
      return limitBody(response, this.#maxMessageBytes, (failure) => {
        if (scope) scope.failure = failure;
        if (init.method === 'POST') scope?.onStreamEnd?.(failure);
      });
    } catch (error) {
      if (scope && TholeError.is(error)) scope.failure = error;
      throw error;
    }
  };

  async #send(url: URL, init: RequestInit, scope: RequestScope | undefined): Promise<Response> {
    const headers = new Headers(init.headers);
    // A stream that is opened again belongs to an old operation, whose token may have been replaced.
    const userHeaders = init.method === 'POST' && scope ? scope.headers : this.#newestHeaders;
    if (url.origin === this.#origin) for (const [name, value] of Object.entries(userHeaders)) headers.set(name, value);
    return (this.#fetch ?? globalThis.fetch)(url, { ...init, headers, redirect: 'manual' });
  }

  // A name may resolve to another address when the request is sent. TLS then fails, because the certificate must match the
  // name, so no request reaches a private server.
  async #assertAllowed(url: URL): Promise<void> {
    const host = normalizeHost(url.hostname);
    const isHttp = url.protocol === 'http:' || url.protocol === 'https:';
    if (isHttp && this.#privateHosts.has(host)) return;
    if (url.protocol !== 'https:')
      throw serverError(
        `The address on ${url.host} does not begin with https://. If it is yours, add its host to privateHosts.`,
      );
    if (isIP(host) === 0 && this.#fetch) return;
    const addresses = isIP(host) === 0 ? await lookup(host, { all: true }) : [{ address: host }];
    if (!addresses.some(({ address }) => isPrivateAddress(address))) return;
    throw serverError(
      `The host "${host}" has a private address. If it is in your own network, add "${host}" to privateHosts.`,
    );
  }

  #assertNoRedirect(url: URL, { status, headers }: Response): void {
    const location = headers.get('location');
    if (status < 300 || status > 399 || location === null) return;
    const target = URL.parse(location, url);
    if (target?.origin === url.origin) return;
    throw serverError(
      `The server ${url.host} redirects to ${target?.host ?? 'an address that is not valid'}. Redirects to other hosts are not followed.`,
    );
  }
}

/** True if the server answered with status 401: the user must sign in. */
export function isUnauthorized(error: unknown): boolean {
  return TholeError.is(error, 'MCP_SERVER_FAILED') && error.details?.['httpStatus'] === 401;
}

/** Returns the error of a request for which the user has no token or not enough rights. */
function accessErrorOf({ host }: URL, { status, headers }: Response): TholeError | undefined {
  if (status !== 401 && status !== 403) return undefined;
  const message =
    status === 401
      ? `The MCP server "${host}" requires a sign-in. Set auth, or correct header.`
      : `The MCP server "${host}" denied access (status 403). Check the rights of the user and auth.scopes.`;
  const details = { httpStatus: status, challenge: headers.get('www-authenticate') };
  return new TholeError('MCP_SERVER_FAILED', message, { details });
}

function serverError(message: string): TholeError {
  return new TholeError('MCP_SERVER_FAILED', message);
}
