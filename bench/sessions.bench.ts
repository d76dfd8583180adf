// Measures appends and reads in short and in long sessions.
import type { Event, SessionRef } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { Figures } from './support/figures.ts';
import { clearNursery, cpuOf, inTurns } from './support/measure.ts';
import { eventAt } from './support/ours.ts';

const samples = 100;
const service = new InMemorySessionService();
const refOf = (sessionId: string): SessionRef => ({ appName: 'app', userId: 'u', sessionId });

async function createSession(sessionId: string, length: number): Promise<SessionRef> {
  const ref = refOf(sessionId);
  await service.createSession(ref);
  await append(ref, eventsOf(length));
  return ref;
}

function eventsOf(length: number): Event[] {
  return Array.from({ length }, (_, i) => eventAt(i));
}

async function append(ref: SessionRef, events: Event[]): Promise<void> {
  for (const event of events) await service.appendEvent({ session: ref, event });
}

const sessionCount = 10;
const [long, middle, short] = [10_000, 5_000, 10];
const longSessions = await Promise.all(
  Array.from({ length: sessionCount }, (_, i) => createSession(`long-${i}`, long)),
);
const middleSession = await createSession('middle', middle);
const shortSession = await createSession('short', short);
const costs = {
  appendShort: [0],
  appendLong: [0],
  read: [0],
  slice: [0],
  clone: [0],
  newestShort: [0],
  newestLong: [0],
};
const stored = (await service.getSession(middleSession))!.events;
let lastResult: unknown;

for (let sample = -20; sample < samples; sample++) {
  if (sample === 0) for (const cost of Object.values(costs)) cost.length = 0;
  // Ten appends to each of ten sessions. Short sessions are created again for each sample, because they would grow.
  const shortSessions = await Promise.all(longSessions.map((_, i) => createSession(`short-${i}`, short)));
  const batches = [...shortSessions, ...longSessions].map(() => eventsOf(10));
  const appendAll = async (refs: SessionRef[]): Promise<void> => {
    for (const ref of refs) await append(ref, batches.pop()!);
  };
  clearNursery();
  await inTurns(Math.abs(sample), [
    async () => void costs.appendShort.push(await cpuOf(sessionCount * 10, () => appendAll(shortSessions))),
    async () => void costs.appendLong.push(await cpuOf(sessionCount * 10, () => appendAll(longSessions))),
  ]);
  for (const ref of shortSessions) await service.deleteSession(ref);
  clearNursery();
  await inTurns(Math.abs(sample), [
    async () => void costs.read.push(await cpuOf(50, () => repeat(50, () => service.getSession(middleSession)))),
    async () => void costs.slice.push(await cpuOf(50, () => repeat(50, async () => stored.slice()))),
    async () => void costs.clone.push(await cpuOf(1, () => repeat(1, async () => structuredClone(stored)))),
  ]);
  const newest = (ref: SessionRef) => () => service.getSession({ ...ref, numRecentEvents: 1 });
  clearNursery();
  await inTurns(Math.abs(sample), [
    async () => void costs.newestShort.push(await cpuOf(200, () => repeat(200, newest(shortSession)))),
    async () => void costs.newestLong.push(await cpuOf(200, () => repeat(200, newest(longSessions[0]!)))),
  ]);
}

const figures = new Figures();
const of = (name: string, list: number[]): { samples: number[]; of: string } => ({ samples: list, of: name });
figures.compare(
  'appendEvent, 10,000 events against 10',
  of('long', costs.appendLong),
  of('short', costs.appendShort),
  1.3,
);
figures.compare(
  'getSession of 5,000 events',
  { samples: costs.read },
  of('structuredClone of them', costs.clone),
  1 / 100,
);
figures.compare('getSession of 5,000 events', { samples: costs.read }, of('slice of them', costs.slice), 3);
figures.compare(
  'newest event alone, 10,000 events against 10',
  of('long', costs.newestLong),
  of('short', costs.newestShort),
  1.3,
);
const readAgain = (await service.getSession(middleSession))!.events;
const cloned = readAgain.filter((event, i) => event !== stored[i]).length;
figures.add('events cloned by getSession, of 5,000', String(cloned), '0', cloned, 0);
figures.end();

/** Calls a function N times. Stores its result, so that the engine does not remove the call. */
async function repeat(count: number, work: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < count; i++) lastResult = await work();
  void lastResult;
}
