import { encodeBase64, decodeBase64, decodeText, encodeText } from '@thole/core/kit';
import type { MemoryScope, IndexSegment, IndexSnapshots, TextCodec } from '@thole/core';
import { assertVersion } from '../client/assert-version.ts';
import type { RedisCalls } from '../client/redis-calls.ts';
import type { RedisKeys } from '../client/redis-keys.ts';
import { redisScript } from '../client/redis-script.ts';
import { assertLogVersion } from './assert-log-version.ts';

const loadSegments = redisScript('memory/load-segments');
const saveSegment = redisScript('memory/save-segment');

/** Saves segments of derived indexes as bytes, or with a codec as the encoded base64 text. */
export class RedisIndexSnapshots implements IndexSnapshots {
  readonly #calls: RedisCalls;
  readonly #keys: RedisKeys;
  readonly #codec: TextCodec | undefined;

  constructor(calls: RedisCalls, keys: RedisKeys, codec: TextCodec | undefined) {
    this.#calls = calls;
    this.#keys = keys;
    this.#codec = codec;
  }

  async loadSegments(scope: MemoryScope): Promise<IndexSegment[]> {
    const { segments: key } = this.#keys.memory(scope);
    const reply = (await this.#calls.read({ script: loadSegments, keys: [key], bytes: true })) as Buffer[];
    const values = new Map<string, Buffer>();
    for (let i = 0; i < reply.length; i += 2) values.set(reply[i]!.toString(), reply[i + 1]!);
    if (values.size === 0) return [];
    assertVersion(values.get('v')?.toString(), 'An index segment');
    const segments: IndexSegment[] = [];
    for (const [field, value] of values) {
      if (!field.startsWith('u')) continue;
      const name = field.slice(1);
      const [upTo, encoding] = value.toString().split(' ');
      const content = values.get(`b${name}`)!;
      const bytes =
        encoding === 'encoded'
          ? decodeBase64(await decodeText(this.#codec, content.toString()))!
          : new Uint8Array(content);
      segments.push({ analyzer: JSON.parse(name) as string, upTo: Number(upTo), bytes });
    }
    return segments.sort((a, b) => a.upTo - b.upTo);
  }

  async saveSegment(
    scope: MemoryScope,
    segment: IndexSegment,
    { ifRemovals }: { ifRemovals: number },
  ): Promise<boolean> {
    const { head, segments } = this.#keys.memory(scope);
    const { analyzer, upTo, bytes } = segment;
    const codec = this.#codec;
    const content = codec ? await encodeText(codec, encodeBase64(bytes)) : Buffer.from(bytes);
    const args = [JSON.stringify(analyzer), upTo, ifRemovals, codec ? 'encoded' : '', content];
    const reply = await this.#calls.write({ script: saveSegment, keys: [head, segments], args });
    assertLogVersion(reply);
    return Number(reply) === 1;
  }
}
