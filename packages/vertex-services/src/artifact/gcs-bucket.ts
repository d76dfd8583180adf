import { TholeError } from '@thole/core';
import type { JsonObject } from '@thole/core';
import type { ObjectBucket, StoredObject } from '@thole/core/kit';
import { GoogleClient } from '../client/google-client.ts';
import type { GoogleOptions } from '../client/google-options.ts';
import { googleMessageOf, httpStatusOf } from '../client/map-google-error.ts';
import { multipartBody } from '../client/multipart-body.ts';
import { parseSeconds } from '../client/wire-time.ts';

/** A bucket of Cloud Storage, over its JSON API. */
export class GcsBucket implements ObjectBucket {
  readonly #client: GoogleClient;
  readonly #bucket: string;
  readonly #baseUrl: string;

  constructor(bucket: string, options: GoogleOptions) {
    this.#client = new GoogleClient(options, {
      product: 'Cloud Storage',
      role: '"Storage Object User" (roles/storage.objectUser)',
      api: 'storage.googleapis.com',
    });
    this.#bucket = bucket;
    this.#baseUrl = (options.baseUrl ?? 'https://storage.googleapis.com').replace(/\/+$/, '');
  }

  async putIfAbsent(
    name: string,
    bytes: Uint8Array,
    { contentType, metadata }: { contentType: string; metadata: { [name: string]: string } },
  ): Promise<boolean> {
    try {
      await this.#client.json({
        method: 'POST',
        url: `${this.#baseUrl}/upload/storage/v1/b/${encodeURIComponent(this.#bucket)}/o`,
        query: { uploadType: 'multipart', ifGenerationMatch: 0, fields: 'name' },
        body: multipartBody({ name, contentType, metadata }, bytes, contentType),
      });
      return true;
    } catch (error) {
      if (httpStatusOf(error) === 412) return false;
      throw this.#explain(error);
    }
  }

  async get(name: string): Promise<StoredObject | undefined> {
    const url = `${this.#objectsUrl()}/${encodeURIComponent(name)}`;
    try {
      const [attributes, bytes] = await Promise.all([
        this.#client.json({ url, query: { fields: 'contentType,metadata,timeCreated' } }),
        this.#client.bytes({ url, query: { alt: 'media' } }),
      ]);
      return {
        bytes,
        contentType: attributes['contentType'] as string | undefined,
        metadata: (attributes['metadata'] ?? {}) as { [name: string]: string },
        createTime: parseSeconds(attributes['timeCreated']),
      };
    } catch (error) {
      if (isMissingObject(error)) return undefined;
      throw this.#explain(error);
    }
  }

  async list(prefix: string): Promise<string[]> {
    const names: string[] = [];
    let pageToken: string | undefined;
    do {
      const query = { prefix, pageToken, fields: 'items(name),nextPageToken' };
      const page = await this.#client.json({ url: this.#objectsUrl(), query }).catch((error: unknown) => {
        throw this.#explain(error);
      });
      for (const item of (page['items'] ?? []) as JsonObject[]) names.push(item['name'] as string);
      pageToken = this.#client.nextPageToken(page, pageToken);
    } while (pageToken !== undefined);
    return names;
  }

  async remove(name: string): Promise<void> {
    try {
      await this.#client.bytes({ method: 'DELETE', url: `${this.#objectsUrl()}/${encodeURIComponent(name)}` });
    } catch (error) {
      if (!isMissingObject(error)) throw this.#explain(error);
    }
  }

  #objectsUrl(): string {
    return `${this.#baseUrl}/storage/v1/b/${encodeURIComponent(this.#bucket)}/o`;
  }

  #explain(error: unknown): unknown {
    if (httpStatusOf(error) !== 404) return error;
    const message = `The bucket "${this.#bucket}" does not exist. Create it, or check the name.`;
    return new TholeError('STORE_UNAVAILABLE', message, { retryable: false, cause: error });
  }
}

/** True if the object does not exist. False if the bucket does not exist. */
function isMissingObject(error: unknown): boolean {
  return httpStatusOf(error) === 404 && !/bucket does not exist/i.test(googleMessageOf(error));
}
