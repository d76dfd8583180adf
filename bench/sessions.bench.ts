// Measures appends and reads in short and in long sessions.
import type { Event, SessionRef } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { Figures } from './support/figures.ts';
import { clearNursery, cpuOf, inTurns } from './support/measure.ts';
import { eventAt } from './support/ours.ts';

const samples = 100;
const service = new InMemorySessionService();
const refOf = (sessionId: string): SessionRef => ({ appName: 'app', userId: 'u', sessionId });

async function session(sessionId: string, length: number): Promise<SessionRef> {
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

const few = 10;
const [long, middle, short] = [10_000, 5_000, 10];
const longOnes = await Promise.all(Array.from({ length: few }, (_, i) => session(`long-${i}`, long)));
const middleOne = await session('middle', middle);
const shortOne = await session('short', short);
const costs = {
  appendShort: [0],
  appendLong: [0],
  read: [0],
  slice: [0],
  clone: [0],
  newestShort: [0],
  newestLong: [0],
};
const stored = (await service.getSession(middleOne))!.events;
let kept: unknown;

for (let sample = -20; sample < samples; sample++) {
  if (sample === 0) for (const cost of Object.values(costs)) cost.length = 0;
  // Ten appends to each of ten sessions. Short sessions are created again for each sample, because they would grow.
  const shortOnes = await Promise.all(longOnes.map((_, i) => session(`short-${i}`, short)));
  const batches = [...shortOnes, ...longOnes].map(() => eventsOf(10));
  const appendAll = async (refs: SessionRef[]): Promise<void> => {
    for (const ref of refs) await append(ref, batches.pop()!);
  };
  clearNursery();
  await inTurns(Math.abs(sample), [
    async () => void costs.appendShort.push(await cpuOf(few * 10, () => appendAll(shortOnes))),
    async () => void costs.appendLong.push(await cpuOf(few * 10, () => appendAll(longOnes))),
  ]);
  for (const ref of shortOnes) await service.deleteSession(ref);
  clearNursery();
  await inTurns(Math.abs(sample), [
    async () => void costs.read.push(await cpuOf(50, () => times(50, () => service.getSession(middleOne)))),
    async () => void costs.slice.push(await cpuOf(50, () => times(50, async () => stored.slice()))),
    async () => void costs.clone.push(await cpuOf(1, () => times(1, async () => structuredClone(stored)))),
  ]);
  const newest = (ref: SessionRef) => () => service.getSession({ ...ref, numRecentEvents: 1 });
  clearNursery();
  await inTurns(Math.abs(sample), [
    async () => void costs.newestShort.push(await cpuOf(200, () => times(200, newest(shortOne)))),
    async () => void costs.newestLong.push(await cpuOf(200, () => times(200, newest(longOnes[0]!)))),
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
const again = (await service.getSession(middleOne))!.events;
const cloned = again.filter((event, i) => event !== stored[i]).length;
figures.add('events cloned by getSession, of 5,000', String(cloned), '0', cloned, 0);
figures.end();

async function times(count: number, work: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < count; i++) kept = await work();
  void kept;
}
