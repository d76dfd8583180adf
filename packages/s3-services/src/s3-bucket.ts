import { DeleteObjectCommand, GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import type { ListObjectsV2CommandOutput, S3Client } from '@aws-sdk/client-s3';
import { TholeError } from '@thole/core';
import type { ObjectBucket, StoredObject } from '@thole/core/kit';
import { mapS3Error, readS3Failure } from './map-s3-error.ts';

/** Maximum number of retries of a write that conflicts with another write of the same name. */
const MAX_CONFLICTS = 5;

/** A bucket of Amazon S3 or a compatible server. */
export class S3Bucket implements ObjectBucket {
  readonly #client: S3Client;
  readonly #bucket: string;

  constructor(client: S3Client, bucket: string) {
    this.#client = client;
    this.#bucket = bucket;
  }

  async putIfAbsent(
    name: string,
    bytes: Uint8Array,
    { contentType, metadata }: { contentType: string; metadata: { [name: string]: string } },
  ): Promise<boolean> {
    const put = { Key: name, Body: bytes, ContentType: contentType, Metadata: metadata, IfNoneMatch: '*' };
    for (let conflicts = 0; ; conflicts++) {
      try {
        await this.#client.send(new PutObjectCommand({ Bucket: this.#bucket, ...put }));
        return true;
      } catch (error) {
        const { status, attempts } = readS3Failure(error);
        // After an attempt without an answer, this call may have stored the object itself.
        if (status === 412 && attempts === 1) return false;
        if (status !== 409 || conflicts === MAX_CONFLICTS) throw await this.#errorFor(error, true);
      }
    }
  }

  async get(name: string): Promise<StoredObject | undefined> {
    try {
      const found = await this.#client.send(new GetObjectCommand({ Bucket: this.#bucket, Key: name }));
      return {
        bytes: (await found.Body?.transformToByteArray()) ?? new Uint8Array(),
        contentType: found.ContentType,
        metadata: found.Metadata ?? {},
        createTime: (found.LastModified?.getTime() ?? 0) / 1000,
      };
    } catch (error) {
      const { status, name: code } = readS3Failure(error);
      if (status === 404 && code !== 'NoSuchBucket') return undefined;
      throw await this.#errorFor(error, false);
    }
  }

  async list(prefix: string): Promise<string[]> {
    const names: string[] = [];
    let token: string | undefined;
    try {
      do {
        const query = { Bucket: this.#bucket, Prefix: prefix, ContinuationToken: token };
        const page = await this.#client.send(new ListObjectsV2Command(query));
        assertList(page, token);
        names.push(...(page.Contents ?? []).flatMap(({ Key }) => Key ?? []));
        token = page.NextContinuationToken;
      } while (token !== undefined);
      return names;
    } catch (error) {
      throw await this.#errorFor(error, false);
    }
  }

  async remove(name: string): Promise<void> {
    try {
      await this.#client.send(new DeleteObjectCommand({ Bucket: this.#bucket, Key: name }));
    } catch (error) {
      throw await this.#errorFor(error, true);
    }
  }

  async #errorFor(error: unknown, isWrite: boolean): Promise<TholeError> {
    return mapS3Error(error, { bucket: this.#bucket, isWrite, host: await hostOf(this.#client) });
  }
}

/** Returns host and port of the client's endpoint. Undefined for the endpoints of Amazon. */
async function hostOf({ config }: S3Client): Promise<string | undefined> {
  try {
    const endpoint = await config.endpoint?.();
    return endpoint && `${endpoint.hostname}${endpoint.port === undefined ? '' : `:${endpoint.port}`}`;
  } catch {
    return undefined;
  }
}

/**
 * Throws `STORE_UNAVAILABLE` if the server does not speak the S3 protocol, or repeats a page. The SDK reads a web page as an
 * empty list.
 */
function assertList(page: ListObjectsV2CommandOutput, token: string | undefined): void {
  if (page.Name === undefined && page.IsTruncated === undefined)
    throw new TholeError(
      'STORE_UNAVAILABLE',
      'The server did not answer with a list of objects. Check that endpoint is the address of the S3 API.',
      { retryable: false },
    );
  if (token !== undefined && page.NextContinuationToken === token)
    throw new TholeError('STORE_UNAVAILABLE', 'S3 returned the same page of a list again.', { retryable: false });
}
