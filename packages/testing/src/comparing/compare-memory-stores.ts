import assert from 'node:assert/strict';
import type { MemoryEntry, MemoryFilter, MemoryScope, MemoryStore } from '@thole/core';
import { confusableNames } from './confusable-names.ts';
import { nextCursor, storedOf } from '../suites/memory-store-support.ts';
import { RandomChoice } from './random-choice.ts';

/** Settings of `compareMemoryStores`. */
export interface MemoryStoreComparison {
  /** Determines all operations. Errors contain it. */
  seed: number;
  /** Number of operations. Default: 1,200. */
  operations?: number | undefined;
}

const IDS = [
  'a',
  'a ',
  'A',
  'ab',
  '"a"',
  'a\0',
  '\ud800',
  '["s","e"]',
  '["s:","e"]',
  '%61',
  'x'.repeat(300),
  '__proto__',
];
const SESSIONS = ['s', 's ', 's:', 'S', '"s"', 's\n', undefined];
const WORDS = ['pizza', 'kiwi', 'a\0b', '\ud83d', 'garden', ''];

/**
 * Runs the same random operations on both stores, for two apps and two users at a time with names from
 * `confusableNames`. Throws at the first result of the subject that differs from the reference. Both stores must be
 * empty.
 */
export async function compareMemoryStores(
  subject: MemoryStore,
  reference: MemoryStore,
  { seed, operations = 1_200 }: MemoryStoreComparison,
): Promise<void> {
  const random = new RandomChoice(seed);
  const isSegmented = [subject, reference].every(({ abilities }) => abilities.segmented !== undefined);
  for (let i = 0; i < operations; i++) {
    const { apps, users } = confusableNames[Math.floor((i * confusableNames.length) / operations)]!;
    const scope = { appName: random.pick(apps), userId: random.pick(users) };
    const other = { appName: random.pick(apps), userId: random.pick(users) };
    const [name, operation] = randomOperation(random, i);
    try {
      assert.deepEqual(await operation(subject, scope), await operation(reference, scope));
      for (const each of [scope, other]) {
        assert.deepEqual(await stateOf(subject, each, isSegmented), await stateOf(reference, each, isSegmented));
      }
    } catch (cause) {
      const where = `${JSON.stringify(scope)}, compared with ${JSON.stringify(other)}`;
      throw new Error(`Seed ${seed}, operation ${i} (${name}) on ${where}: ${(cause as Error).message}`, { cause });
    }
  }
}

type Operation = (store: MemoryStore, scope: MemoryScope) => Promise<unknown>;

function randomOperation(random: RandomChoice, i: number): [string, Operation] {
  const kind = random.below(20);
  if (kind < 9) {
    const entries = random.pickSome(IDS, 4).map((id) => entryOf(random, id, i));
    const mode = random.pick(['ifAbsent', 'ifAbsent', 'ifPresent', 'replace'] as const);
    return [`put ${mode}`, (store, scope) => store.put(scope, entries, mode)];
  }
  if (kind < 12) {
    const ids = random.pickSome(IDS, 3);
    return ['remove ids', (store, scope) => store.remove(scope, { ids }, i)];
  }
  if (kind < 14) {
    const sessionId = random.pick(SESSIONS) ?? 'nobody';
    return ['remove a session', (store, scope) => store.remove(scope, { sessionId }, i)];
  }
  if (kind < 15) {
    const now = i - random.below(50);
    return ['remove everything', (store, scope) => store.remove(scope, 'everything', now)];
  }
  if (kind < 17) {
    const [ids, filter, limit] = [random.pickSome(IDS, 5), filterOf(random, i), 1 + random.below(4)];
    return [
      'get and list',
      async (store, scope) => [await store.get(scope, ids), await pagesOf(store, scope, filter, limit)],
    ];
  }
  const [upTo, missedRemovals] = [random.below(40), random.below(2)];
  return ['save a segment', (store, scope) => saveSegment(store, scope, upTo, missedRemovals)];
}

function entryOf(random: RandomChoice, id: string, i: number): MemoryEntry {
  const [sessionId, timestamp] = [random.pick(SESSIONS), random.pick([i, i - 100.5, undefined])];
  return {
    id,
    kind: random.pick(['turn', 'fact', 'note'] as const),
    content: { parts: [{ text: `${random.pick(WORDS)} ${i}` }] },
    author: random.pick(['user', 'agent']),
    ...(timestamp !== undefined && { timestamp }),
    ...(sessionId !== undefined && { sessionId }),
  };
}

function filterOf(random: RandomChoice, i: number): MemoryFilter {
  return random.pick<MemoryFilter>([
    {},
    { kinds: ['fact'] },
    { kinds: ['turn', 'note'], author: 'user' },
    { from: i - 60, to: i - 10 },
    { sessionId: random.pick(SESSIONS) },
    { validAt: i },
  ]);
}

async function pagesOf(store: MemoryStore, scope: MemoryScope, filter: MemoryFilter, limit: number): Promise<unknown> {
  const pages: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.list(scope, { limit, filter, cursor });
    pages.push(page.memories);
    cursor = nextCursor(page.next, cursor);
  } while (cursor !== undefined);
  return pages;
}

// Saves a segment with the store's number of removals, or with one less, which the store must reject.
async function saveSegment(
  store: MemoryStore,
  scope: MemoryScope,
  upTo: number,
  missedRemovals: number,
): Promise<unknown> {
  const { segmented } = store.abilities;
  const { changes, removals } = await store.since(scope, 0, 1);
  if (!segmented || changes.length === 0) return undefined;
  const segment = { analyzer: 'words', upTo, bytes: Uint8Array.of(upTo, 255) };
  await segmented.saveSegment(scope, segment, { ifRemovals: removals - missedRemovals });
  return undefined;
}

// Returns everything in a scope. The store chooses the order of tombstones of one removal.
async function stateOf(store: MemoryStore, scope: MemoryScope, withSegments: boolean): Promise<unknown> {
  const { changes, removals, more } = await store.since(scope, 0, 1_000);
  const entries = storedOf(changes);
  const removed = changes.flatMap((each) => ('removed' in each ? each.removed : [])).toSorted();
  const segments = withSegments ? await store.abilities.segmented!.loadSegments(scope) : [];
  const furthest = segments.reduce((most, { upTo }) => Math.max(most, upTo), 0);
  return { entries, removed, removals, more, furthest };
}
