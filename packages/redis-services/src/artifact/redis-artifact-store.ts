import { encodeBase64, decodeBase64, decodeText, encodeText, isEncoded } from '@thole/core/kit';
import type { ArtifactKey, ArtifactMeta, ArtifactScope, ArtifactStore, Runtime, TextCodec } from '@thole/core';
import { assertVersion } from '../client/assert-version.ts';
import { openRedis } from '../client/open-redis.ts';
import type { RedisCalls } from '../client/redis-calls.ts';
import type { RedisClient } from '../client/redis-client.ts';
import type { RedisKeys } from '../client/redis-keys.ts';
import type { RedisOptions } from '../client/redis-options.ts';
import { redisScript } from '../client/redis-script.ts';

const getArtifact = redisScript('artifact/get-artifact');
const listArtifacts = redisScript('artifact/list-artifacts');
const listVersions = redisScript('artifact/list-versions');
const putArtifact = redisScript('artifact/put-artifact');
const removeArtifact = redisScript('artifact/remove-artifact');
const removeArtifacts = redisScript('artifact/remove-artifacts');

/** Stores artifacts in Redis as bytes, or with a codec as the encoded base64 text. */
export class RedisArtifactStore implements ArtifactStore {
  readonly specVersion = 1;
  readonly #runtime: Runtime;
  readonly #keys: RedisKeys;
  readonly #calls: RedisCalls;
  readonly #codec: TextCodec | undefined;

  constructor(client: RedisClient, options: RedisOptions = {}) {
    const { calls, keys, runtime, codec } = openRedis(client, options, 'RedisArtifactStore');
    this.#runtime = runtime;
    this.#keys = keys;
    this.#calls = calls;
    this.#codec = codec;
  }

  async put(key: ArtifactKey, bytes: Uint8Array, meta: ArtifactMeta): Promise<number> {
    const versions = this.#keys.artifact(key);
    const { names, counts, sessions, user } = this.#keys.artifacts(key);
    const idempotencyKey = user.idempotencyKey(this.#runtime.newId('version'));
    const content = this.#codec ? await encodeText(this.#codec, encodeBase64(bytes)) : Buffer.from(bytes);
    const metaText = JSON.stringify({ v: 1, meta });
    const version = await this.#calls.write({
      script: putArtifact,
      keys: [versions, names, counts, sessions, idempotencyKey],
      args: [
        key.filename,
        key.sessionId ?? '',
        content,
        this.#codec ? await encodeText(this.#codec, metaText) : metaText,
        this.#calls.timeoutMs * 2,
      ],
    });
    return Number(version);
  }

  async get(
    key: ArtifactKey,
    version?: number,
  ): Promise<{ version: number; bytes: Uint8Array; meta: ArtifactMeta } | undefined> {
    const versions = this.#keys.artifact(key);
    const call = { script: getArtifact, keys: [versions], args: [version ?? ''], bytes: true };
    const [foundVersion, content, metaBytes] = (await this.#calls.read(call)) as Buffer[];
    if (foundVersion === undefined) return undefined;
    const metaText = metaBytes!.toString();
    const { v, meta } = JSON.parse(await decodeText(this.#codec, metaText)) as { v: unknown; meta: ArtifactMeta };
    assertVersion(v, `Artifact "${key.filename}"`);
    // The bytes of a version may begin with any byte, so only its metadata shows whether it is encoded.
    const bytes = isEncoded(metaText)
      ? decodeBase64(await decodeText(this.#codec, content!.toString()))!
      : new Uint8Array(content!);
    return { version: Number(foundVersion.toString()), bytes, meta };
  }

  async versions(key: ArtifactKey): Promise<number[]> {
    const versions = this.#keys.artifact(key);
    const fields = (await this.#calls.read({ script: listVersions, keys: [versions] })) as string[];
    return fields.map(Number).sort((a, b) => a - b);
  }

  async names(scope: ArtifactScope): Promise<string[]> {
    const { names } = this.#keys.artifacts(scope);
    return (await this.#calls.read({ script: listArtifacts, keys: [names] })) as string[];
  }

  async remove(key: ArtifactKey): Promise<void> {
    const versions = this.#keys.artifact(key);
    const { names } = this.#keys.artifacts(key);
    await this.#calls.write({ script: removeArtifact, keys: [versions, names], args: [key.filename] });
  }

  async removeAll(scope: ArtifactScope): Promise<void> {
    const { names, sessions } = this.#keys.artifacts({ appName: scope.appName, userId: scope.userId });
    await this.#calls.write({ script: removeArtifacts, keys: [names, sessions], args: [scope.sessionId ?? ''] });
  }

  /** Resolves if the server answers. Throws `STORE_UNAVAILABLE` if it does not answer in time. */
  ping(): Promise<void> {
    return this.#calls.ping();
  }
}
