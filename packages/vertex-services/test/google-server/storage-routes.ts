import { GoogleFailure, invalid } from './google-failure.ts';
import type { GoogleAnswer, GoogleRequest, Routes } from './google-server.ts';
import { pageOf } from './message-checks.ts';

interface ServerObject {
  name: string;
  contentType: string;
  metadata: { [name: string]: string };
  timeCreated: string;
  bytes: Buffer;
}

const PATH = /^\/(upload\/)?storage\/v1\/b\/([^/]+)\/o(?:\/([^/]+))?$/;

/** Routes of Cloud Storage. Buckets whose names begin with `missing` do not exist. */
export class StorageRoutes implements Routes {
  readonly #buckets = new Map<string, Map<string, ServerObject>>();

  /** Names of all objects of a bucket. */
  namesIn(bucket: string): string[] {
    return [...(this.#buckets.get(bucket)?.keys() ?? [])].sort();
  }

  /** Stores an object as another program does. */
  put(
    bucket: string,
    {
      name,
      contentType,
      metadata = {},
      text,
    }: Pick<ServerObject, 'name' | 'contentType'> & {
      metadata?: ServerObject['metadata'];
      text: string;
    },
  ): void {
    const object = { name, contentType, metadata, timeCreated: new Date().toISOString(), bytes: Buffer.from(text) };
    this.#bucketOf(bucket).set(name, object);
  }

  answer(request: GoogleRequest): GoogleAnswer | undefined {
    const [, upload, bucketName, encoded] = PATH.exec(request.path) ?? [];
    if (bucketName === undefined) return undefined;
    if (bucketName.startsWith('missing')) throw new GoogleFailure(404, '', 'The specified bucket does not exist.');
    const bucket = this.#bucketOf(bucketName);
    const { method, query } = request;
    if (upload) return method === 'POST' ? insert(request, bucket) : undefined;
    if (encoded === undefined) return method === 'GET' ? list(query, bucket) : undefined;
    const name = decodeURIComponent(encoded);
    const object = bucket.get(name);
    if (!object) throw new GoogleFailure(404, '', `No such object: ${bucketName}/${name}`);
    if (method === 'DELETE') {
      bucket.delete(name);
      return { status: 204 };
    }
    if (query.get('alt') === 'media') return { bytes: object.bytes, headers: { 'content-type': object.contentType } };
    const { contentType, metadata, timeCreated } = object;
    return { json: { contentType, metadata, timeCreated } };
  }

  #bucketOf(name: string): Map<string, ServerObject> {
    const bucket = this.#buckets.get(name) ?? new Map<string, ServerObject>();
    this.#buckets.set(name, bucket);
    return bucket;
  }
}

function insert({ query, headers, bytes }: GoogleRequest, bucket: Map<string, ServerObject>): GoogleAnswer {
  const [, boundary] = /^multipart\/related; boundary=(.+)$/.exec(String(headers['content-type'])) ?? [];
  if (query.get('uploadType') !== 'multipart' || boundary === undefined) throw invalid('Bad multipart upload.');
  const text = bytes.toString('latin1');
  const [, about = '', content = ''] = text.split(`--${boundary}`);
  const start = content.indexOf('\r\n\r\n') + 4;
  const json = Buffer.from(about.slice(about.indexOf('\r\n\r\n') + 4), 'latin1').toString();
  const { name, contentType, metadata } = JSON.parse(json) as ServerObject;
  if (Buffer.byteLength(name) > 1024) throw invalid('The object name is too long.');
  const size = Object.entries(metadata).reduce((sum, [key, value]) => sum + Buffer.byteLength(key + value), 0);
  if (size > 8192) throw invalid('The metadata is too large.');
  if (query.get('ifGenerationMatch') === '0' && bucket.has(name))
    throw new GoogleFailure(412, '', 'At least one of the pre-conditions you specified did not hold.');
  const body = Buffer.from(content.slice(start, -2), 'latin1');
  bucket.set(name, { name, contentType, metadata, timeCreated: new Date().toISOString(), bytes: body });
  return { json: { name } };
}

function list(query: URLSearchParams, bucket: Map<string, ServerObject>): GoogleAnswer {
  const prefix = query.get('prefix') ?? '';
  const names = [...bucket.keys()].filter((name) => name.startsWith(prefix)).sort();
  const { page, ...next } = pageOf(names, query, 50);
  return { json: { ...(page.length > 0 && { items: page.map((name) => ({ name })) }), ...next } };
}
