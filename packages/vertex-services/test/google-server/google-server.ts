import { createVerify, generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GoogleFailure } from './google-failure.ts';
import { MemoryRoutes } from './memory-routes.ts';
import { Operations } from './operations.ts';
import { RagRoutes } from './rag-routes.ts';
import { ResourceRoutes } from './resource-routes.ts';
import { SessionRoutes } from './session-routes.ts';
import { StorageRoutes } from './storage-routes.ts';

/** A request as the routes see it. */
export interface GoogleRequest {
  readonly method: string;
  /** Path without the query, still encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  readonly bytes: Buffer;
  /** The parsed JSON of the body. */
  readonly json: { readonly [name: string]: unknown };
}

/** An answer of a route: JSON, or bytes. */
export interface GoogleAnswer {
  readonly status?: number;
  readonly json?: unknown;
  readonly bytes?: Uint8Array;
  readonly headers?: { readonly [name: string]: string };
}

/** A failure to inject into the next requests that match. */
export interface Fault {
  /** Words that method and path must contain, such as `POST :appendEvent`. */
  readonly on: string;
  /** Number of requests that fail. Default: 1. */
  times?: number;
  /** True if the server does the work of the request before it fails. */
  readonly afterWork?: boolean;
  /** The failing answer; `cut` closes the connection, `silence` never answers. */
  readonly answer: GoogleAnswer | 'cut' | 'silence';
}

/** Routes of one API. `answer` returns undefined for requests of other routes. */
export interface Routes {
  answer(request: GoogleRequest): GoogleAnswer | Promise<GoogleAnswer> | undefined;
}

const CLIENT_EMAIL = 'thole@hotel.iam.gserviceaccount.com';
const keys: { privateKey: string; publicKey: string } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

/** A service-account key that the token route of the server accepts. */
export const serviceAccount: { readonly [name: string]: string } = {
  type: 'service_account',
  project_id: 'hotel',
  private_key_id: 'key-1',
  private_key: keys.privateKey,
  client_email: CLIENT_EMAIL,
  client_id: '1',
  token_uri: 'https://oauth2.googleapis.com/token',
};

/**
 * Simulates the REST APIs of Vertex AI Agent Engine, Memory Bank, RAG Engine, Cloud Storage and the token server, as they
 * are documented. The server is equally strict: unknown members, invalid names and missing tokens are errors.
 */
export class GoogleServer {
  readonly requests: GoogleRequest[] = [];
  readonly faults: Fault[] = [];
  /** Number of access tokens that were issued. */
  tokens = 0;
  /** True if requests without credentials are also answered, as emulators do. */
  isEmulator = false;
  readonly operations: Operations = new Operations();
  readonly sessions: SessionRoutes = new SessionRoutes(this.operations);
  readonly memory: MemoryRoutes = new MemoryRoutes(this.operations, this.sessions);
  readonly rag: RagRoutes = new RagRoutes(this.operations);
  readonly resources: ResourceRoutes = new ResourceRoutes(this.operations);
  readonly storage: StorageRoutes = new StorageRoutes();
  readonly #server: Server;
  readonly #valid = new Set<string>();

  private constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  /** Starts a server on 127.0.0.1. */
  static async start(): Promise<GoogleServer> {
    const server = new GoogleServer();
    await new Promise<void>((resolve) => void server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The platform's `fetch`, which sends requests for Google's addresses to this server. */
  get fetch(): typeof globalThis.fetch {
    return (input, init) => {
      const url = input instanceof Request ? input.url : String(input);
      return fetch(url.replace(/^https:\/\/[a-z0-9.-]*googleapis\.com/, this.url), init);
    };
  }

  /** Options of a service that uses this server with the service account. */
  get options(): { fetch: typeof globalThis.fetch; googleAuthOptions: { credentials: typeof serviceAccount } } {
    return { fetch: this.fetch, googleAuthOptions: { credentials: serviceAccount } };
  }

  /** Makes all tokens invalid, as if they were revoked. */
  revokeTokens(): void {
    this.#valid.clear();
  }

  /** Returns the requests whose method and path contain all words, such as `POST` and `:appendEvent`. */
  requestsOn(...words: string[]): GoogleRequest[] {
    return this.requests.filter(({ method, path }) => words.every((word) => `${method} ${path}`.includes(word)));
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const url = new URL(incoming.url!, this.url);
    const bytes = Buffer.concat(chunks);
    const isJson = String(incoming.headers['content-type']).startsWith('application/json');
    const request: GoogleRequest = {
      method: incoming.method!,
      path: url.pathname,
      query: url.searchParams,
      headers: incoming.headers,
      bytes,
      json: isJson && bytes.length > 0 ? JSON.parse(bytes.toString()) : {},
    };
    this.requests.push(request);
    const fault = this.faults.find(({ on }) =>
      on.split(' ').every((word) => `${request.method} ${request.path}`.includes(word)),
    );
    if (fault && (fault.times = (fault.times ?? 1) - 1) === 0) this.faults.splice(this.faults.indexOf(fault), 1);
    if (fault?.afterWork) await this.#answer(request);
    if (fault?.answer === 'silence') return;
    if (fault?.answer === 'cut') return void response.destroy();
    const { status = 200, json, bytes: content, headers } = fault ? fault.answer : await this.#answer(request);
    if (content) return void response.writeHead(status, headers).end(content);
    const text = json === undefined ? '' : JSON.stringify(json);
    response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8', ...headers }).end(text);
  }

  async #answer(request: GoogleRequest): Promise<GoogleAnswer> {
    try {
      if (request.path === '/token') return this.#issueToken(request);
      if (request.path.startsWith('/computeMetadata/')) return this.#machineToken();
      const token = String(request.headers['authorization']).replace('Bearer ', '');
      const isAnonymous = this.isEmulator && request.headers['authorization'] === undefined;
      if (!isAnonymous && !this.#valid.has(token))
        throw new GoogleFailure(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.');
      for (const routes of [
        ...[this.operations, this.sessions, this.memory, this.rag, this.storage, this.resources],
      ] as Routes[]) {
        const answer = routes.answer(request);
        if (answer) return await answer;
      }
      throw new GoogleFailure(404, 'NOT_FOUND', `There is no method ${request.method} ${request.path}.`);
    } catch (error) {
      if (error instanceof GoogleFailure) return { status: error.code, json: { error: error.body } };
      return {
        status: 500,
        json: { error: { code: 500, status: 'INTERNAL', message: String((error as Error).stack) } },
      };
    }
  }

  #issueToken({ bytes }: GoogleRequest): GoogleAnswer {
    const [header, claims, signature] = new URLSearchParams(bytes.toString()).get('assertion')!.split('.');
    const isSigned = createVerify('RSA-SHA256')
      .update(`${header}.${claims}`)
      .verify(keys.publicKey, signature!, 'base64url');
    const { iss, scope } = JSON.parse(Buffer.from(claims!, 'base64url').toString()) as { iss: string; scope: string };
    if (!isSigned || iss !== CLIENT_EMAIL || !scope.includes('cloud-platform'))
      return { status: 400, json: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' } };
    return { json: this.#newToken() };
  }

  /** Answers as the metadata server of a machine in Google Cloud does. */
  #machineToken(): GoogleAnswer {
    return { json: this.#newToken(), headers: { 'metadata-flavor': 'Google' } };
  }

  #newToken(): object {
    const token = `ya29.token-${++this.tokens}`;
    this.#valid.add(token);
    return { access_token: token, expires_in: 3599, token_type: 'Bearer' };
  }
}
