import { StoredArtifactService, systemRuntime } from '@thole/core';
import { invalidInput, isPlainObject, rejectUnknownOptions } from '@thole/core/kit';
import { RedisArtifactStore } from './redis-artifact-store.ts';
import type { RedisClient } from '../client/redis-client.ts';
import { redisOptionNames } from '../client/redis-options.ts';
import type { RedisOptions } from '../client/redis-options.ts';

/** What a `RedisArtifactService` may be told. */
export interface RedisArtifactServiceOptions extends RedisOptions {
  /** Most bytes of one version (32 MiB); over it is `ARTIFACT_TOO_LARGE`. */
  maxBytes?: number | undefined;
}

/** Files in Redis, for any number of processes; each version is one value of at most 512 MB, which is Redis' own limit. */
export class RedisArtifactService extends StoredArtifactService {
  constructor(client: RedisClient, options: RedisArtifactServiceOptions = {}) {
    const given: unknown = options;
    if (!isPlainObject(given)) throw invalidInput('The options of RedisArtifactService', 'an object', given);
    rejectUnknownOptions(options, [...redisOptionNames, 'maxBytes'], 'RedisArtifactService');
    const { maxBytes, ...others } = options;
    const runtime = options.runtime ?? systemRuntime();
    super(new RedisArtifactStore(client, { ...others, runtime }), { runtime, maxBytes });
  }
}
