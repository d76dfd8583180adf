import assert from 'node:assert/strict';
import type { Event, SessionRef, SessionService, EventWatcher } from '@thole/core';
import type { FixedRuntime } from '../fixed-runtime.ts';
import { append, eventOf, idsOf, isDeeplyFrozen, made, numbers, refTo, same, writing } from './session-support.ts';
import type { SessionCase } from './session-support.ts';
import { settles, waits } from './waiting.ts';

const needs = ['watch'];

export const sessionWatchCases: readonly SessionCase[] = [
  {
    id: 'watch.old-then-new',
    sentence: 'a watcher sees what is stored already and then what comes, in order and once',
    contracts: [8, 40],
    needs,
    async check(service, { runtime }) {
      await made(service);
      await append(service, refTo(), eventOf('e1'), eventOf('e2'));
      const watcher = watch(service, refTo(), 0);
      same(idsOf(await watcher.take(runtime, 2)), ['e1', 'e2']);
      const coming = watcher.take(runtime, 2);
      await append(service, refTo(), eventOf('e3'), eventOf('e4'), eventOf('e3'));
      same(
        (await coming).map((event) => [event.id, event.seq]),
        [
          ['e3', 3],
          ['e4', 4],
        ],
      );
      await waits(runtime, watcher.next());
      watcher.stop();
    },
  },
  {
    id: 'watch.after-seq',
    sentence: 'a watcher that names a seq sees only what came after it',
    contracts: [8, 40],
    needs,
    async check(service, { runtime }) {
      await made(service);
      await append(service, refTo(), ...numbers(4).map((n) => eventOf(`e${n}`)));
      const watcher = watch(service, refTo(), 3);
      same(idsOf(await watcher.take(runtime, 1)), ['e4']);
      watcher.stop();
    },
  },
  {
    id: 'watch.whole-events',
    sentence: 'a watched event is the stored one, frozen, without temp:',
    contracts: [4, 9],
    needs,
    async check(service, { runtime }) {
      await made(service);
      const watcher = watch(service, refTo(), 0);
      const coming = watcher.take(runtime, 1);
      const [stored] = await append(service, refTo(), writing('e1', { a: [1], 'temp:b': 1 }));
      const [seen] = await coming;
      same(seen, stored);
      assert.ok(isDeeplyFrozen(seen));
      watcher.stop();
    },
  },
  {
    id: 'watch.ends',
    sentence: 'an aborted watch just ends, while it waits, before it begins, and with events still to come',
    contracts: [8, 40],
    needs,
    async check(service, { runtime }) {
      await made(service);
      const waiting = watch(service, refTo(), 0);
      const ended = waiting.next();
      await waits(runtime, ended);
      waiting.stop();
      same((await settles(runtime, ended, 5_000)).done, true);
      await append(service, refTo(), eventOf('e1'), eventOf('e2'));
      const before = watch(service, refTo(), 0);
      before.stop();
      same((await settles(runtime, before.next(), 5_000)).done, true);
      const between = watch(service, refTo(), 0);
      await between.take(runtime, 1);
      between.stop();
      same((await settles(runtime, between.next(), 5_000)).done, true);
    },
  },
  {
    id: 'watch.apart',
    sentence: 'several watch one session, each sees everything, and nobody sees another session’s events',
    contracts: [1, 40],
    needs,
    async check(service, { runtime }) {
      await made(service);
      await made(service, refTo('s', 'other'));
      const watchers = [watch(service, refTo(), 0), watch(service, refTo(), 0)];
      const coming = Promise.all(watchers.map((watcher) => watcher.take(runtime, 3)));
      await append(service, refTo('s', 'other'), eventOf('not mine'));
      await Promise.all(numbers(3).map((n) => service.appendEvent({ session: refTo(), event: eventOf(`e${n}`) })));
      for (const seen of await coming)
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
  assert.ok(watching, 'the service has no watching: do not claim watch');
  const controller = new AbortController();
  const events = watching.watch(key, afterSeq, controller.signal)[Symbol.asyncIterator]();
  return {
    next: () => events.next(),
    async take(runtime, count) {
      const taken: Event[] = [];
      for (let i = 0; i < count; i++) {
        const next = await settles(runtime, events.next(), 10_000);
        assert.equal(next.done ?? false, false, 'the watch ended too early');
        taken.push(next.value as Event);
      }
      return taken;
    },
    stop: () => controller.abort(),
  };
}
