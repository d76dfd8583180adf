import { FixedRuntime } from '@thole/testing';
import { expect, it } from 'vitest';
import { SessionLines } from '../src/session/session-lines.ts';

/** By the fixed clock, which begins at zero. */
const deadline = 1_000;

const lines = (): { lines: SessionLines; runtime: FixedRuntime } => {
  const runtime = new FixedRuntime();
  return { lines: new SessionLines(runtime), runtime };
};

it('takes one at a time for each session, in the order in which they came, whatever becomes of them', async () => {
  const done: string[] = [];
  const { lines: one } = lines();
  const first = Promise.withResolvers<void>();
  const work = (name: string, wait: Promise<void> = Promise.resolve()) =>
    one.inTurn('a', deadline, async () => {
      done.push(`${name} begins`);
      await wait;
      done.push(`${name} ends`);
    });
  const all = [work('1', first.promise), work('2', Promise.reject(new Error('no'))), work('3')];
  const other = one.inTurn('b', deadline, async () => done.push('another session'));
  await other;
  expect(done).toEqual(['1 begins', 'another session']);
  first.resolve();
  expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(done.slice(2)).toEqual(['1 ends', '2 begins', '3 begins', '3 ends']);
});

it('gives up waiting after the time of a call, with nothing sent, and keeps the order of those behind', async () => {
  const { lines: one, runtime } = lines();
  const stuck = Promise.withResolvers<void>();
  const first = one.inTurn('a', deadline, () => stuck.promise);
  let sent = 0;
  const second = one.inTurn('a', deadline, async () => sent++);
  second.catch(() => {});
  await runtime.advance(1_001);
  await expect(second).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  const third = one.inTurn('a', 5_000, async () => sent++);
  expect(sent).toBe(0);
  stuck.resolve();
  await Promise.all([first, third]);
  expect(sent).toBe(1);
  expect(runtime.pending).toBe(0);
});
