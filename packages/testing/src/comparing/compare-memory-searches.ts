import assert from 'node:assert/strict';
import type { MemoryEntry, MemoryFilter, MemoryService, UserRef } from '@thole/core';
import { longAgo } from '../suites/memory-fixture.ts';
import { RandomChoice } from './random-choice.ts';
import { randomQuery } from './write-random-memories.ts';

/** The searches to compare and the memory to search. */
export interface MemorySearchComparison extends UserRef {
  seed: number;
  /** Number of searches. Default: 60. */
  searches?: number | undefined;
}

/**
 * Runs the same searches on both services. Throws if the subject returns other entries, or another order, than the
 * reference.
 */
export async function compareMemorySearches(
  subject: MemoryService,
  reference: MemoryService,
  { appName, userId, seed, searches = 60 }: MemorySearchComparison,
): Promise<void> {
  const random = new RandomChoice(seed);
  const user = { appName, userId };
  for (let i = 0; i < searches; i++) {
    const request = {
      ...user,
      query: randomQuery(random),
      limit: random.pick([1, 5, 20, 200]),
      minScore: random.pick([undefined, undefined, 0.5]),
      filter: filterOf(random, seed),
    };
    const [actual, expected] = [await subject.searchMemory(request), await reference.searchMemory(request)];
    const where = `seed ${seed}, search ${i}`;
    assert.deepEqual(actual.memories.map(withoutScore), expected.memories.map(withoutScore), where);
    for (const [at, { score }] of actual.memories.entries()) {
      const difference = Math.abs(score! - expected.memories[at]!.score!);
      assert.ok(difference <= 1e-9 * Math.abs(score!), `${where}: the score of result ${at} differs`);
    }
  }
}

function withoutScore(found: MemoryEntry): Omit<MemoryEntry, 'score'> {
  const { score: _, ...entry } = found;
  return entry;
}

function filterOf(random: RandomChoice, seed: number): MemoryFilter | undefined {
  return random.pick<MemoryFilter | undefined>([
    undefined,
    undefined,
    { kinds: ['turn'] },
    { author: 'Anna' },
    { from: longAgo + 3_000, to: longAgo + 40_000 },
    { sessionId: `${seed}-1` },
  ]);
}
