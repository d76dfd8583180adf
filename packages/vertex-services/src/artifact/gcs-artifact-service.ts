import { StoredArtifactService, systemRuntime, TholeError } from '@thole/core';
import { invalidInput, ObjectArtifactStore, rejectUnknownOptions } from '@thole/core/kit';
import { assertGoogleOptions, assertHttpUrl, googleOptionNames } from '../client/google-options.ts';
import type { GoogleOptions } from '../client/google-options.ts';
import { processEnv } from '../client/google-place.ts';
import { GcsBucket } from './gcs-bucket.ts';

/** Options of `GcsArtifactService`. */
export interface GcsArtifactServiceOptions extends GoogleOptions {
  /** Name of the bucket. It must exist. */
  bucket: string;
  /** Start of all object names, such as `artifacts`. Default: none. */
  prefix?: string | undefined;
  /** Maximum size of one version in bytes. Default: 32 MiB. */
  maxBytes?: number | undefined;
}

/**
 * Artifacts in Google Cloud Storage: one object per version, with ADK's names. If STORAGE_EMULATOR_HOST is set, the
 * service uses that emulator without credentials.
 */
export class GcsArtifactService extends StoredArtifactService {
  readonly #bucket: GcsBucket;

  constructor(options: GcsArtifactServiceOptions) {
    rejectUnknownOptions(options, [...googleOptionNames, 'bucket', 'prefix', 'maxBytes'], 'GcsArtifactService');
    assertGoogleOptions(options, 'GcsArtifactService');
    const { bucket: name, prefix, maxBytes, runtime = systemRuntime() } = options;
    if (typeof name !== 'string' || !/^[a-z0-9][a-z0-9._-]+$/.test(name))
      throw new TholeError('INVALID_INPUT', 'bucket must be the name of a bucket, such as my-artifacts.');
    if (prefix !== undefined && typeof prefix !== 'string') throw invalidInput('prefix', 'a string', prefix);
    const bucket = new GcsBucket(name, { ...emulatorOptions(), ...pickGoogleOptions(options), runtime });
    super(new ObjectArtifactStore(bucket, { runtime, prefix }), { runtime, maxBytes });
    this.#bucket = bucket;
  }

  /** Resolves if the bucket can be listed. Throws `STORE_UNAVAILABLE` otherwise. */
  async ping(): Promise<void> {
    await this.#bucket.list('thole-ping/');
  }
}

function emulatorOptions(): GoogleOptions {
  const host = processEnv()['STORAGE_EMULATOR_HOST'];
  if (host === undefined || host === '') return {};
  const baseUrl = host.includes('://') ? host : `http://${host}`;
  assertHttpUrl('STORAGE_EMULATOR_HOST', baseUrl);
  return { baseUrl, googleAuthOptions: false };
}

function pickGoogleOptions(options: GcsArtifactServiceOptions): GoogleOptions {
  const members = Object.entries(options).filter(
    ([name, value]) => googleOptionNames.includes(name) && value !== undefined,
  );
  return Object.fromEntries(members);
}
