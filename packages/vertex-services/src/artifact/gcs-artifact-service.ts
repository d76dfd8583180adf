import { StoredArtifactService, systemRuntime, TholeError } from '@thole/core';
import { definedMembers, invalidInput, ObjectArtifactStore, optionNames, rejectUnknownOptions } from '@thole/core/kit';
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

const ownOptionNames = optionNames<Omit<GcsArtifactServiceOptions, keyof GoogleOptions>>({
  bucket: true,
  prefix: true,
  maxBytes: true,
});

/**
 * Artifacts in Google Cloud Storage: one object per version, with ADK's names. If STORAGE_EMULATOR_HOST is set, the
 * service uses that emulator without credentials.
 */
export class GcsArtifactService extends StoredArtifactService {
  readonly #bucket: GcsBucket;

  constructor(options: GcsArtifactServiceOptions) {
    const owner = 'GcsArtifactService';
    rejectUnknownOptions(options, [...googleOptionNames, ...ownOptionNames], owner);
    assertGoogleOptions(options, owner);
    const { bucket: name, prefix, maxBytes, runtime = systemRuntime() } = options;
    if (typeof name !== 'string' || !/^[a-z0-9][a-z0-9._-]+$/.test(name))
      throw new TholeError('INVALID_INPUT', 'bucket must be the name of a bucket, such as my-artifacts.');
    if (prefix !== undefined && typeof prefix !== 'string') throw invalidInput('prefix', 'a string', prefix);
    const bucket = new GcsBucket(name, { ...emulatorOptions(), ...definedMembers(options), runtime });
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
