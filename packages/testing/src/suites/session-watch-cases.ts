import assert from 'node:assert/strict';
import type { Event, SessionRef, SessionService, EventWatcher } from '@thole/core';
import type { FixedRuntime } from '../fixed-runtime.ts';
import {
  append,
  eventOf,
  idsOf,
  isDeeplyFrozen,
  createSession,
  numbers,
  refTo,
  same,
  stateEvent,
} from './session-support.ts';
import type { SessionCase } from './session-support.ts';
import { settlesWithin, staysPending } from './waiting.ts';

const needs = ['watch'];

/** The `EventWatcher` of a session service. */
export const sessionWatchCases: readonly SessionCase[] = [
  {
    id: 'watch.old-then-new',
    sentence: 'yields stored events and then new ones, in order and once',
    contracts: [8, 40],
    needs,
    async check(service, { runtime }) {
      await createSession(service);
      await append(service, refTo(), eventOf('e1'), eventOf('e2'));
      const watcher = watch(service, refTo(), 0);
      same(idsOf(await watcher.take(runtime, 2)), ['e1', 'e2']);
      const nextEvents = watcher.take(runtime, 2);
      await append(service, refTo(), eventOf('e3'), eventOf('e4'), eventOf('e3'));
      same(
        (await nextEvents).map((event) => [event.id, event.seq]),
        [
          ['e3', 3],
          ['e4', 4],
        ],
      );
      await staysPending(runtime, watcher.next());
      watcher.stop();
    },
  },
  {
    id: 'watch.after-seq',
    sentence: 'yields only events after the given seq',
    contracts: [8, 40],
    needs,
    async check(service, { runtime }) {
      await createSession(service);
      await append(service, refTo(), ...numbers(4).map((n) => eventOf(`e${n}`)));
      const watcher = watch(service, refTo(), 3);
      same(idsOf(await watcher.take(runtime, 1)), ['e4']);
      watcher.stop();
    },
  },
  {
    id: 'watch.whole-events',
    sentence: 'yields the stored events, frozen and without temp: keys',
    contracts: [4, 9],
    needs,
    async check(service, { runtime }) {
      await createSession(service);
      const watcher = watch(service, refTo(), 0);
      const nextEvents = watcher.take(runtime, 1);
      const [stored] = await append(service, refTo(), stateEvent('e1', { a: [1], 'temp:b': 1 }));
      const [seen] = await nextEvents;
      same(seen, stored);
      assert.ok(isDeeplyFrozen(seen), 'the yielded event must be deeply frozen');
      watcher.stop();
    },
  },
  {
    id: 'watch.ends',
    sentence: 'ends when the signal is aborted: while waiting, before the start, between events',
    contracts: [8, 40],
    needs,
    async check(service, { runtime }) {
      await createSession(service);
      const waiting = watch(service, refTo(), 0);
      const ended = waiting.next();
      await staysPending(runtime, ended);
      waiting.stop();
      same((await settlesWithin(runtime, ended, 5_000)).done, true);
      await append(service, refTo(), eventOf('e1'), eventOf('e2'));
      const before = watch(service, refTo(), 0);
      before.stop();
      same((await settlesWithin(runtime, before.next(), 5_000)).done, true);
      const between = watch(service, refTo(), 0);
      await between.take(runtime, 1);
      between.stop();
      same((await settlesWithin(runtime, between.next(), 5_000)).done, true);
    },
  },
  {
    id: 'watch.several',
    sentence: 'yields all events of the session to several watchers, and none of other sessions',
    contracts: [1, 40],
    needs,
    async check(service, { runtime }) {
      await createSession(service);
      await createSession(service, refTo('s', 'other'));
      const watchers = [watch(service, refTo(), 0), watch(service, refTo(), 0)];
      const nextEvents = Promise.all(watchers.map((watcher) => watcher.take(runtime, 3)));
      await append(service, refTo('s', 'other'), eventOf('not mine'));
      await Promise.all(numbers(3).map((n) => service.appendEvent({ session: refTo(), event: eventOf(`e${n}`) })));
      for (const seen of await nextEvents)
        same(
          seen.map((event) => event.seq),
          [1, 2, 3],
        );
      for (const watcher of watchers) watcher.stop();
    },
  },
];

interface Watcher {
  next(): Promise<IteratorResult<Event>>;
  take(runtime: FixedRuntime, count: number): Promise<Event[]>;
  stop(): void;
}

function watch(service: SessionService, key: SessionRef, afterSeq: number): Watcher {
  const watching: EventWatcher | undefined = service.watching;
  assert.ok(watching, 'A suite that claims "watch" needs service.watching.');
  const controller = new AbortController();
  const events = watching.watch(key, afterSeq, controller.signal)[Symbol.asyncIterator]();
  return {
    next: () => events.next(),
    async take(runtime, count) {
      const taken: Event[] = [];
      for (let i = 0; i < count; i++) {
        const next = await settlesWithin(runtime, events.next(), 10_000);
        assert.equal(next.done ?? false, false, 'the watch ended too early');
        taken.push(next.value as Event);
      }
      return taken;
    },
    stop: () => controller.abort(),
  };
}
