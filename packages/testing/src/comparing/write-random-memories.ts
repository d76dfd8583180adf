import type { Event, MemoryService, UserRef } from '@thole/core';
import { eventOf } from '../suites/memory-fixture.ts';
import { RandomChoice } from './random-choice.ts';

/** The owner and the number of random memories. */
export interface RandomMemories extends UserRef {
  seed: number;
  /** Number of turns, in sessions of 40. */
  turns: number;
  /** Number of changes and deletions, spread over the sessions. Default: 0. */
  changes?: number | undefined;
}

const SUBJECTS = 'room floor garden pizza kiwi train Berlin brother violin invoice river holiday doctor coffee'.split(
  ' ',
);
const VERBS = 'likes booked lost painted sold found remembers avoids cleaned wants visited repaired'.split(' ');
const OTHER_WORDS =
  'yesterday quietly again with Anna in spring near the station for 30 euros twice 京都 по-русски'.split(' ');
const TURNS_PER_SESSION = 40;

/**
 * Writes random memories, the same for the same seed in any service: sessions in two steps, facts and their updates,
 * and deletions of facts, turns and sessions. Calls `addEventsToMemory`, and for changes also `listMemories`,
 * `addMemory`, `updateMemory`, `deleteMemory` and `deleteSessionMemory`.
 */
export async function writeRandomMemories(memory: MemoryService, p: RandomMemories): Promise<void> {
  const random = new RandomChoice(p.seed);
  const { appName, userId, turns, changes = 0 } = p;
  const user = { appName, userId };
  const sessions = Math.max(1, Math.ceil(turns / TURNS_PER_SESSION));
  for (let i = 0; i < sessions; i++) {
    const sessionId = `${p.seed}-${i}`;
    const events = Array.from({ length: Math.min(TURNS_PER_SESSION, turns - i * TURNS_PER_SESSION) }, (_, at) =>
      turn(random, i * TURNS_PER_SESSION + at),
    );
    for (const upTo of [events.length >> 1, events.length]) {
      await memory.addEventsToMemory!({ ...user, sessionId, events: events.slice(0, upTo) });
    }
    for (let change = Math.ceil((changes * i) / sessions); change < (changes * (i + 1)) / sessions; change++) {
      await applyChange(memory, random, { ...p, change, sessionId: `${p.seed}-${random.below(i + 1)}` });
    }
  }
}

/** Returns a query of words that occur in the random memories. */
export function randomQuery(random: RandomChoice): string {
  return [...random.pickSome(SUBJECTS, 2), ...random.pickSome([...VERBS, ...OTHER_WORDS], 2)].join(' ');
}

function turn(random: RandomChoice, i: number): Event {
  const sentence = [
    random.pick(SUBJECTS),
    random.pick(VERBS),
    random.pick(SUBJECTS),
    ...random.pickSome(OTHER_WORDS, 4),
  ];
  // Some turns have the same time, and many share words.
  return eventOf(random.pick(['user', 'concierge', 'Anna']), i >> 1, [{ text: sentence.join(' ') }], { id: `e${i}` });
}

async function applyChange(
  memory: MemoryService,
  random: RandomChoice,
  p: RandomMemories & { change: number; sessionId: string },
): Promise<void> {
  const { appName, userId, seed, change, sessionId } = p;
  const user = { appName, userId };
  const content = { parts: [{ text: `${random.pick(SUBJECTS)} ${random.pick(VERBS)} ${random.pick(OTHER_WORDS)}` }] };
  const fact = {
    id: `f${seed}-${random.below(20)}`,
    kind: 'fact' as const,
    content,
    timestamp: 1_600_000_000 + change,
  };
  const { memories } = await memory.listMemories!({ ...user, limit: 5, filter: { sessionId } });
  const ids = memories.map(({ id }) => id);
  switch (random.below(5)) {
    case 0:
      await memory.addMemory!({ ...user, memories: [{ ...fact, evidence: ids.slice(0, 2) }] });
      return;
    case 1:
      await memory.updateMemory!({ ...user, id: fact.id, change: { content, validTo: change } });
      return;
    case 2:
      if (change % 4 === 0) await memory.deleteSessionMemory!({ ...user, sessionId });
      return;
    case 3:
      await memory.deleteMemory!({ ...user, ids: ids.slice(0, 1 + random.below(3)) });
      return;
    default:
      await memory.deleteMemory!({ ...user, ids: [fact.id], keepEvidence: true });
  }
}
