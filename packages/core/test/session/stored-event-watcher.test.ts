import { createEvent, StoredEventWatcher, TholeError } from '@thole/core';
import type { Event, EventReader } from '@thole/core';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';

const key = { appName: 'app', userId: 'u', sessionId: 's' };

/** A session whose events are stored by other processes. */
class OtherProcess implements EventReader {
  reads = 0;
  incarnation = 'first';
  events: Event[] = [];
  failure: Error | undefined;
  readonly subscribers = new Set<() => void>();

  store(...ids: string[]): void {
    for (const id of ids) {
      const event = createEvent({ id, author: 'agent' });
      this.events.push({ ...event, seq: this.events.length + 1 });
    }
  }

  async readAfter(_key: unknown, afterSeq: number, limit: number): ReturnType<EventReader['readAfter']> {
    this.reads++;
    if (this.failure) throw this.failure;
    return { incarnation: this.incarnation, events: this.events.slice(afterSeq, afterSeq + limit) };
  }
}

class PushingProcess extends OtherProcess {
  subscribe(_key: unknown, wake: () => void): () => void {
    this.subscribers.add(wake);
    return () => void this.subscribers.delete(wake);
  }
}

function watched(watcher: StoredEventWatcher): { ids: string[]; stop(): void; ended: Promise<void> } {
  const controller = new AbortController();
  const ids: string[] = [];
  const collect = async (): Promise<void> => {
    for await (const event of watcher.watch(key, 0, controller.signal)) ids.push(event.id);
  };
  return { ids, stop: () => controller.abort(), ended: collect() };
}

describe('StoredEventWatcher', () => {
  it('rejects wrong options (contract 42)', () => {
    const create = (options: object): unknown =>
      new StoredEventWatcher(new OtherProcess(), new FixedRuntime(), options);
    expect(() => create({ pollMS: 5 })).toThrow('StoredEventWatcher has no option pollMS. Did you mean pollMs?');
    expect(() => create({ pollMs: Number.NaN })).toThrow(
      'pollMs must be a number of milliseconds above 0, or Infinity.',
    );
  });

  it('yields events of other processes at the next poll, and own events after notify (contract 8)', async () => {
    const [runtime, reader] = [new FixedRuntime(), new OtherProcess()];
    const watcher = new StoredEventWatcher(reader, runtime, { pollMs: 1_000 });
    const { ids, stop, ended } = watched(watcher);
    await runtime.advance(0);
    reader.store('e1');
    await runtime.advance(500);
    expect(ids).toEqual([]);
    await runtime.advance(1_000);
    expect(ids).toEqual(['e1']);
    reader.store('e2');
    watcher.notify({ ...key, sessionId: 'other' });
    await runtime.advance(0);
    expect(ids).toEqual(['e1']);
    watcher.notify(key);
    await runtime.advance(0);
    expect(ids).toEqual(['e1', 'e2']);
    stop();
    await ended;
    expect(runtime.pending).toBe(0);
  });

  it('reads a long history page by page without a pause', async () => {
    const [runtime, reader] = [new FixedRuntime(), new OtherProcess()];
    reader.store(...Array.from({ length: 250 }, (_, i) => `e${i}`));
    const { ids, stop } = watched(new StoredEventWatcher(reader, runtime));
    await runtime.advance(0);
    expect([ids.length, ids.at(-1), reader.reads]).toEqual([250, 'e249', 3]);
    stop();
  });

  it('reads after a wake-up of the store, and unsubscribes at the end', async () => {
    const [runtime, reader] = [new FixedRuntime(), new PushingProcess()];
    const { ids, stop, ended } = watched(new StoredEventWatcher(reader, runtime, { pollMs: Infinity }));
    await runtime.advance(60_000);
    reader.store('e1');
    for (const wake of reader.subscribers) wake();
    await runtime.advance(0);
    expect([ids, runtime.pending]).toEqual([['e1'], 0]);
    stop();
    await ended;
    expect(reader.subscribers.size).toBe(0);
  });

  it('yields all events of a session that was deleted and created again', async () => {
    const [runtime, reader] = [new FixedRuntime(), new OtherProcess()];
    reader.store('e1', 'e2');
    const { ids, stop } = watched(new StoredEventWatcher(reader, runtime));
    await runtime.advance(0);
    [reader.incarnation, reader.events] = ['second', []];
    reader.store('f1');
    await runtime.advance(1_000);
    expect(ids).toEqual(['e1', 'e2', 'f1']);
    stop();
  });

  it('reads again later when the store becomes unavailable after the first read', async () => {
    const [runtime, reader] = [new FixedRuntime(), new OtherProcess()];
    const { ids, stop, ended } = watched(new StoredEventWatcher(reader, runtime));
    await runtime.advance(0);
    reader.failure = new TholeError('STORE_UNAVAILABLE', 'down');
    await runtime.advance(2_000);
    reader.store('e1');
    reader.failure = undefined;
    await runtime.advance(1_000);
    expect([ids, runtime.logs[0]?.level]).toEqual([['e1'], 'warn']);
    stop();
    await ended;
  });

  it('throws if the first read fails, and later for errors other than STORE_UNAVAILABLE', async () => {
    const [runtime, reader] = [new FixedRuntime(), new OtherProcess()];
    reader.failure = new TholeError('STORE_UNAVAILABLE', 'down');
    await expect(watched(new StoredEventWatcher(reader, runtime)).ended).rejects.toMatchObject({ message: 'down' });
    reader.failure = undefined;
    const { ended } = watched(new StoredEventWatcher(reader, runtime));
    await runtime.advance(0);
    reader.failure = new TholeError('STORE_VERSION', 'newer');
    await Promise.all([expect(ended).rejects.toMatchObject({ code: 'STORE_VERSION' }), runtime.advance(1_000)]);
  });

  it('ends without an error when the signal is aborted during a read', async () => {
    const [runtime, reader] = [new FixedRuntime(), new OtherProcess()];
    reader.readAfter = () => new Promise(() => {});
    const { ids, stop, ended } = watched(new StoredEventWatcher(reader, runtime));
    await runtime.advance(0);
    stop();
    await ended;
    expect(ids).toEqual([]);
  });
});
