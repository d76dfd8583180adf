import type { S3Client } from '@aws-sdk/client-s3';
import { StoredArtifactService, systemRuntime, TholeError } from '@thole/core';
import { invalidInput, ObjectArtifactStore, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { Runtime } from '@thole/core';
import { createS3Client } from './create-s3-client.ts';
import { S3Bucket } from './s3-bucket.ts';

/** Options of `S3ArtifactService`. */
export interface S3ArtifactServiceOptions {
  /** Name of the bucket. It must exist. */
  bucket: string;
  /** Start of all object names, such as `artifacts`. Default: none. */
  prefix?: string | undefined;
  /** Client to use, which the caller closes. Not together with `region` or `endpoint`. Default: a new client. */
  client?: S3Client | undefined;
  /** Region of the bucket. Default: the region of the environment. */
  region?: string | undefined;
  /** Address of a compatible server, such as MinIO. Default: Amazon S3. */
  endpoint?: string | undefined;
  /** Maximum size of one version in bytes. Default: 32 MiB. */
  maxBytes?: number | undefined;
  /** Clock of the versions' times. Default: `systemRuntime()`. */
  runtime?: Runtime | undefined;
}

const names = optionNames<S3ArtifactServiceOptions>({
  bucket: true,
  prefix: true,
  client: true,
  region: true,
  endpoint: true,
  maxBytes: true,
  runtime: true,
});

/** Artifacts in Amazon S3 or a compatible server that supports conditional writes: one object per version. */
export class S3ArtifactService extends StoredArtifactService {
  readonly #client: S3Client;
  readonly #bucket: S3Bucket;
  readonly #ownsClient: boolean;

  constructor(options: S3ArtifactServiceOptions) {
    rejectUnknownOptions(options, names, 'S3ArtifactService');
    const { bucket: name, prefix, region, endpoint, maxBytes, runtime = systemRuntime() } = options;
    if (typeof name !== 'string' || name === '')
      throw new TholeError('INVALID_INPUT', 'bucket must be the name of a bucket, such as my-artifacts.');
    for (const [option, value] of Object.entries({ prefix, region, endpoint }))
      if (value !== undefined && typeof value !== 'string') throw invalidInput(option, 'a string', value);
    if (options.client !== undefined && (region !== undefined || endpoint !== undefined))
      throw new TholeError(
        'INVALID_INPUT',
        'S3ArtifactService accepts either client, or region and endpoint, but not both.',
      );
    assertEndpoint(endpoint);
    if (region === '')
      throw new TholeError('INVALID_INPUT', 'region must be the region of the bucket, such as eu-west-1.');
    const client = options.client ?? createS3Client({ region, endpoint });
    const bucket = new S3Bucket(client, name);
    super(new ObjectArtifactStore(bucket, { runtime, prefix }), { runtime, maxBytes });
    this.#client = client;
    this.#bucket = bucket;
    this.#ownsClient = options.client === undefined;
  }

  /** Resolves if the bucket can be listed. Throws `STORE_UNAVAILABLE` otherwise. */
  async ping(): Promise<void> {
    await this.#bucket.list('thole-ping/');
  }

  /** Closes the connections, unless `client` was given. */
  async close(): Promise<void> {
    if (this.#ownsClient) this.#client.destroy();
  }
}

// The message must not contain the address: it may contain a password.
function assertEndpoint(endpoint: string | undefined): void {
  const url = endpoint === undefined ? undefined : URL.parse(endpoint);
  if (url === undefined) return;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new TholeError('INVALID_INPUT', 'endpoint must be an http or https URL, such as http://127.0.0.1:9000.');
  if (url.username !== '' || url.password !== '')
    throw new TholeError(
      'INVALID_INPUT',
      'endpoint must be a URL without user name and password. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
    );
}
