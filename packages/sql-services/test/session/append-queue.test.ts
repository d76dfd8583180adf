import { TholeError } from '@thole/core';
import { FixedRuntime } from '@thole/testing';
import { expect, it } from 'vitest';
import { AppendQueue } from '../../src/session/append-queue.ts';

/** By the fixed clock, which begins at zero. */
const deadline = 1_000;

interface Work {
  name: string;
  until?: Promise<void>;
}

/** Tells what is done: a name alone, several joined by `+`. */
function lines(fails: (names: string) => unknown = () => undefined): {
  done: string[];
  runtime: FixedRuntime;
  append(id: string, work: Work, deadlineMs?: number): Promise<string>;
} {
  const done: string[] = [];
  const runtime = new FixedRuntime();
  const work = async (all: readonly Work[]): Promise<void> => {
    const names = all.map(({ name }) => name).join('+');
    done.push(names);
    for (const { until } of all) await until;
    const error = fails(names);
    if (error) throw error as Error;
  };
  const made = new AppendQueue<Work, string>(runtime, {
    appendOne: async (one) => (await work([one]), one.name),
    appendBatch: async (all) => (await work(all), all.map(({ name }) => name)),
  });
  return { done, runtime, append: (id, one, deadlineMs = deadline) => made.append(id, one, deadlineMs) };
}

it('takes one at a time for each session; those that come meanwhile are stored together, in their order', async () => {
  const { append, done, runtime } = lines();
  const first = Promise.withResolvers<void>();
  const all = [
    append('a', { name: '1', until: first.promise }),
    append('a', { name: '2' }),
    append('a', { name: '3' }),
  ];
  await append('b', { name: 'another session' });
  expect(done).toEqual(['1', 'another session']);
  first.resolve();
  expect(await Promise.all(all)).toEqual(['1', '2', '3']);
  expect(done.slice(2)).toEqual(['2+3']);
  expect(await append('a', { name: '4' })).toBe('4');
  expect(runtime.pending).toBe(0);
});

it('stores one by one what cannot be stored together: one that fails takes no other along', async () => {
  const { append, done } = lines((names) => /\+|3/.test(names) && new TholeError('STORE_UNAVAILABLE', 'No.'));
  const all = ['1', '2', '3', '4'].map((name) => append('a', { name }));
  const ended = await Promise.allSettled(all);
  expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(done).toEqual(['1', '2+3+4', '2', '3', '4']);
});

it('does not store again what may be stored: all of them are told that nobody knows (contract 7)', async () => {
  const { append, done } = lines(
    (names) => names.includes('+') && new TholeError('STORE_OUTCOME_UNKNOWN', 'Who knows.'),
  );
  const ended = await Promise.allSettled(['1', '2', '3'].map((name) => append('a', { name })));
  expect(ended.map((each) => (each.status === 'rejected' ? (each.reason as TholeError).code : each.value))).toEqual([
    '1',
    'STORE_OUTCOME_UNKNOWN',
    'STORE_OUTCOME_UNKNOWN',
  ]);
  expect(done).toEqual(['1', '2+3']);
});

it('stores no more than 64 together', async () => {
  const { append, done } = lines();
  await Promise.all(Array.from({ length: 100 }, (_, i) => append('a', { name: String(i) })));
  expect(done.map((names) => names.split('+').length)).toEqual([1, 64, 35]);
});

it('gives up waiting after the time of a call, with nothing sent, and keeps the order of those behind', async () => {
  const { append, done, runtime } = lines();
  const stuck = Promise.withResolvers<void>();
  const first = append('a', { name: '1', until: stuck.promise });
  const second = append('a', { name: '2' });
  second.catch(() => {});
  await runtime.advance(1_001);
  await expect(second).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  const third = append('a', { name: '3' }, 5_000);
  stuck.resolve();
  await Promise.all([first, third]);
  expect(done).toEqual(['1', '3']);
  expect(runtime.pending).toBe(0);
});

it('refuses one by one those whose time passed while they could not be stored together', async () => {
  const stuck = Promise.withResolvers<void>();
  const { append, done, runtime } = lines((names) => names.includes('+') && new TholeError('STORE_UNAVAILABLE', 'No.'));
  const all = [
    append('a', { name: '1' }),
    append('a', { name: '2', until: stuck.promise }),
    append('a', { name: '3' }, 9_000),
  ];
  const ended = Promise.allSettled(all);
  await runtime.advance(2_000);
  stuck.resolve();
  expect((await ended).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(done).toEqual(['1', '2+3', '3']);
});
