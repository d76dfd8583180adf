import assert from 'node:assert/strict';
import type { UserRef, VectorStore } from '@thole/core';
import { confusableNames, FixedRuntime } from '@thole/testing';
import type { RandomLife } from './live-at-random.ts';

const IDS = ['a', 'a ', 'A', '["s","e"]', '%61', 'b'];
const MODELS = ['m', 'm ', 'M'];

interface Known {
  user: UserRef;
  /** The vectors of each id, by model. */
  vectors: Map<string, Map<string, Float32Array>>;
}

/**
 * Stores and deletes random vectors under the same ids for two users of two apps at a time, whose names are prefixes
 * and encodings of each other. Throws an error with the seed if a user's results differ from those of the user's own
 * vectors.
 */
export async function vectorsAtRandom(store: VectorStore, { seed, operations = 1_200 }: RandomLife): Promise<void> {
  const runtime = new FixedRuntime({ seed });
  const below = (count: number): number => Math.floor(runtime.random() * count);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)]!;
  // All angles differ, so that the score shows the owner.
  let count = 0;
  const nextVector = (): Float32Array => Float32Array.of(Math.cos(++count * 2.4), Math.sin(count * 2.4));
  const known = new Map<string, Known>();
  const knownOf = (user: UserRef): Known => {
    const key = JSON.stringify([user.appName, user.userId]);
    if (!known.has(key)) known.set(key, { user, vectors: new Map() });
    return known.get(key)!;
  };

  async function act({ user, vectors }: Known): Promise<string> {
    const kind = below(10);
    if (kind < 7) {
      const rows = [...new Set([pick(IDS), pick(IDS)])].map((id) => ({
        id,
        model: pick(MODELS),
        vector: nextVector(),
      }));
      await store.upsert(user, rows);
      for (const { id, model, vector } of rows) {
        const models = vectors.get(id) ?? new Map<string, Float32Array>();
        vectors.set(id, models.set(model, vector));
      }
      return 'upsert';
    }
    const ids = kind < 9 ? [pick(IDS), 'unknown'] : 'everything';
    await store.delete(user, ids);
    for (const id of ids === 'everything' ? [...vectors.keys()] : ids) vectors.delete(id);
    return 'delete';
  }

  async function check({ user, vectors }: Known): Promise<void> {
    const [model, vector] = [pick(MODELS), Float32Array.of(1, 0)];
    const own = [...vectors].flatMap(([id, models]) => (models.has(model) ? [{ id, one: models.get(model)! }] : []));
    const found = await store.query(user, { model, vector, limit: 100 });
    const expected = own.map(({ id, one }) => ({ id, score: one[0]! / Math.hypot(...one) }));
    const inOrder = expected.toSorted((a, b) => b.score - a.score);
    assert.deepEqual(
      found.map(({ id }) => id),
      inOrder.map(({ id }) => id),
    );
    for (const [at, { score }] of found.entries())
      assert.ok(Math.abs(score - inOrder[at]!.score) < 1e-4, 'the score of another vector');
    const has = await store.has?.(user, { model, ids: IDS });
    if (has) assert.deepEqual(has.toSorted(), own.map(({ id }) => id).toSorted());
  }

  for (let i = 0; i < operations; i++) {
    const { apps, users } = confusableNames[Math.floor((i * confusableNames.length) / operations)]!;
    const pickUser = (): Known => knownOf({ appName: pick(apps), userId: pick(users) });
    const [one, other] = [pickUser(), pickUser()];
    let doing = 'nothing yet';
    try {
      doing = await act(one);
      for (const each of [one, other]) await check(each);
    } catch (cause) {
      const where = `${JSON.stringify(one.user)}, seen from ${JSON.stringify(other.user)}`;
      throw new Error(`Seed ${seed}, operation ${i} (${doing}) on ${where}: ${(cause as Error).message}`, { cause });
    }
  }
}
