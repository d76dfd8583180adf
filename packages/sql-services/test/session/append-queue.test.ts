import { TholeError } from '@thole/core';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { AppendQueue } from '../../src/session/append-queue.ts';

/** Milliseconds of the fixed clock, which starts at 0. */
const deadline = 1_000;

interface Work {
  name: string;
  until?: Promise<void>;
}

/** Creates a queue that records each write: one name, or the names of a batch joined by `+`. */
function createQueue(fails: (names: string) => unknown = () => undefined): {
  writes: string[];
  runtime: FixedRuntime;
  append(id: string, work: Work, deadlineMs?: number): Promise<string>;
} {
  const writes: string[] = [];
  const runtime = new FixedRuntime();
  const work = async (all: readonly Work[]): Promise<void> => {
    const names = all.map(({ name }) => name).join('+');
    writes.push(names);
    for (const { until } of all) await until;
    const error = fails(names);
    if (error) throw error as Error;
  };
  const queue = new AppendQueue<Work, string>(runtime, {
    appendOne: async (append) => (await work([append]), append.name),
    appendBatch: async (all) => (await work(all), all.map(({ name }) => name)),
  });
  return { writes, runtime, append: (id, append, deadlineMs = deadline) => queue.append(id, append, deadlineMs) };
}

describe('AppendQueue', () => {
  it('stores one append per session, and then all waiting appends together, in order', async () => {
    const { append, writes, runtime } = createQueue();
    const first = Promise.withResolvers<void>();
    const all = [
      append('a', { name: '1', until: first.promise }),
      append('a', { name: '2' }),
      append('a', { name: '3' }),
    ];
    await append('b', { name: 'another session' });
    expect(writes).toEqual(['1', 'another session']);
    first.resolve();
    expect(await Promise.all(all)).toEqual(['1', '2', '3']);
    expect(writes.slice(2)).toEqual(['2+3']);
    expect(await append('a', { name: '4' })).toBe('4');
    expect(runtime.pending).toBe(0);
  });

  it('stores the appends of a failed batch one by one', async () => {
    const { append, writes } = createQueue(
      (names) => /\+|3/.test(names) && new TholeError('STORE_UNAVAILABLE', 'Failed.'),
    );
    const all = ['1', '2', '3', '4'].map((name) => append('a', { name }));
    const ended = await Promise.allSettled(all);
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(writes).toEqual(['1', '2+3+4', '2', '3', '4']);
  });

  it('does not repeat a batch with an unknown outcome (contract 7)', async () => {
    const { append, writes } = createQueue(
      (names) => names.includes('+') && new TholeError('STORE_OUTCOME_UNKNOWN', 'The batch may be stored.'),
    );
    const ended = await Promise.allSettled(['1', '2', '3'].map((name) => append('a', { name })));
    expect(ended.map((each) => (each.status === 'rejected' ? (each.reason as TholeError).code : each.value))).toEqual([
      '1',
      'STORE_OUTCOME_UNKNOWN',
      'STORE_OUTCOME_UNKNOWN',
    ]);
    expect(writes).toEqual(['1', '2+3']);
  });

  it('stores at most 64 appends together', async () => {
    const { append, writes } = createQueue();
    await Promise.all(Array.from({ length: 100 }, (_, i) => append('a', { name: String(i) })));
    expect(writes.map((names) => names.split('+').length)).toEqual([1, 64, 35]);
  });

  it('rejects a waiting append at its deadline and keeps the order of the others', async () => {
    const { append, writes, runtime } = createQueue();
    const stuck = Promise.withResolvers<void>();
    const first = append('a', { name: '1', until: stuck.promise });
    const second = append('a', { name: '2' });
    second.catch(() => {});
    await runtime.advance(1_001);
    await expect(second).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    const third = append('a', { name: '3' }, 5_000);
    stuck.resolve();
    await Promise.all([first, third]);
    expect(writes).toEqual(['1', '3']);
    expect(runtime.pending).toBe(0);
  });

  it('rejects appends of a failed batch whose deadline has passed', async () => {
    const stuck = Promise.withResolvers<void>();
    const { append, writes, runtime } = createQueue(
      (names) => names.includes('+') && new TholeError('STORE_UNAVAILABLE', 'Failed.'),
    );
    const all = [
      append('a', { name: '1' }),
      append('a', { name: '2', until: stuck.promise }),
      append('a', { name: '3' }, 9_000),
    ];
    const ended = Promise.allSettled(all);
    await runtime.advance(2_000);
    stuck.resolve();
    expect((await ended).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(writes).toEqual(['1', '2+3', '3']);
  });
});
