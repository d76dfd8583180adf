import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface ServerObject {
  bytes: Buffer;
  contentType: string;
  metadata: { [name: string]: string };
}

/** Number of names on a page of a list. */
const PAGE = 50;

/**
 * Simulates the REST API of S3 with path-style addresses: conditional puts, gets, lists and deletions. Buckets whose names
 * begin with `missing` do not exist, those with `denied` allow nothing, and those with `elsewhere` are in another region.
 */
export class S3Server {
  readonly buckets: Map<string, Map<string, ServerObject>> = new Map();
  /** Number of next requests whose connection is closed after their work, without an answer. */
  cuts = 0;
  /** Returns the status with which a request fails before its work. */
  failWith: (method: string) => number | undefined = () => undefined;
  /** Answers a request instead of this server. Returns false if it does not. */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean = () => false;
  /** Is called after the work of a PUT or GET of an object, before its answer. */
  beforeAnswer: (request: IncomingMessage) => Promise<void> = async () => {};
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(): Promise<S3Server> {
    const server = new S3Server();
    await new Promise<void>((resolve) => void server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (this.intercept(request, response)) return;
    const { pathname, searchParams } = new URL(request.url!, this.url);
    const [, bucketName = '', ...rest] = pathname.split('/');
    const key = decodeURIComponent(rest.join('/'));
    const fail = (status: number, code: string): void => {
      response.writeHead(status, { 'content-type': 'application/xml' });
      response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`);
    };
    const failure = this.failWith(request.method!);
    if (failure !== undefined) return fail(failure, failure === 503 ? 'SlowDown' : 'InternalError');
    const authorization = String(request.headers['authorization']);
    if (!authorization.startsWith('AWS4-HMAC-SHA256 ')) return fail(403, 'AccessDenied');
    // As in S3: the endpoint of us-east-1 checks the region of the signature, the others redirect.
    if (bucketName.startsWith('elsewhere'))
      return authorization.includes('/us-east-1/s3/')
        ? fail(400, 'AuthorizationHeaderMalformed')
        : fail(301, 'PermanentRedirect');
    if (bucketName.startsWith('missing')) return fail(404, 'NoSuchBucket');
    if (bucketName.startsWith('denied')) return fail(403, 'AccessDenied');
    const bucket = this.buckets.get(bucketName) ?? new Map<string, ServerObject>();
    this.buckets.set(bucketName, bucket);
    const found = bucket.get(key);
    if (request.method === 'PUT') {
      if (request.headers['if-none-match'] === '*' && found) return fail(412, 'PreconditionFailed');
      const metadata = metadataOf(request);
      const size = Object.entries(metadata).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
      if (size > 2048) return fail(400, 'MetadataTooLarge');
      if (Buffer.byteLength(key) > 1024) return fail(400, 'KeyTooLongError');
      const contentType = String(request.headers['content-type']);
      bucket.set(key, { bytes: Buffer.concat(chunks), contentType, metadata });
      await this.beforeAnswer(request);
      if (this.cuts > 0 && this.cuts-- > 0) return void response.destroy();
      return void response.writeHead(200, { etag: '"1"' }).end();
    }
    if (request.method === 'DELETE') {
      bucket.delete(key);
      return void response.writeHead(204).end();
    }
    if (key === '') return list(bucket, searchParams, response);
    await this.beforeAnswer(request);
    if (!found) return fail(404, 'NoSuchKey');
    const metadata = Object.entries(found.metadata).map(([name, value]) => [`x-amz-meta-${name}`, value]);
    const headers = { 'content-type': found.contentType, ...Object.fromEntries(metadata) };
    response.writeHead(200, { ...headers, 'last-modified': new Date().toUTCString() }).end(found.bytes);
  }
}

function metadataOf({ headers }: IncomingMessage): { [name: string]: string } {
  const entries = Object.entries(headers).filter(([name]) => name.startsWith('x-amz-meta-'));
  return Object.fromEntries(entries.map(([name, value]) => [name.slice('x-amz-meta-'.length), String(value)]));
}

function list(bucket: Map<string, ServerObject>, query: URLSearchParams, response: ServerResponse): void {
  const names = [...bucket.keys()].filter((name) => name.startsWith(query.get('prefix') ?? '')).sort();
  const start = Number(query.get('continuation-token') ?? 0);
  const page = names.slice(start, start + PAGE);
  const next = start + PAGE < names.length ? `<NextContinuationToken>${start + PAGE}</NextContinuationToken>` : '';
  const contents = page.map((name) => `<Contents><Key>${escapeXml(name)}</Key></Contents>`).join('');
  response.writeHead(200, { 'content-type': 'application/xml' });
  response.end(
    `<?xml version="1.0"?><ListBucketResult><IsTruncated>${next !== ''}</IsTruncated>${contents}${next}</ListBucketResult>`,
  );
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
