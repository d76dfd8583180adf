import { textOf } from '@thole/core';
import type { LeasePolicy } from '@thole/core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { isLong, until } from '../servers/index.ts';
import { backends, describeBackends } from './backends.ts';
import type { Database } from './backends.ts';
import { Child } from './child.ts';
import type { Told } from './children/take-turns.ts';
import { sharedPair } from './child-pair.ts';
import { openSessions } from './open-sessions.ts';

describeBackends(backends, (backend) => {
  let database: Database;
  let sessions = 0;
  beforeAll(async () => void (database = await backend.open()));
  afterAll(() => database.remove());
  const children = sharedPair(() => new Child<Told>({ program: 'take-turns.ts', isShared: true }, database.url));

  it('lets a run wait for a run of another process, and read its events (contract 13)', async () => {
    const { first, second, texts } = await twoRunners('queue');
    first.say({ run: 'one' });
    expect(await first.next()).toEqual(asked('one'));
    second.say({ run: 'two' });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(second.told.slice(second.told.findLastIndex((each) => 'ready' in each))).toEqual([{ ready: true }]);
    first.say({ answer: 'ONE' });
    expect(await first.next()).toEqual({ done: 'ONE' });
    expect(await second.next()).toEqual(asked('one', 'ONE', 'two'));
    second.say({ answer: 'TWO' });
    expect(await second.next()).toEqual({ done: 'TWO' });
    expect(await texts()).toEqual(['one', 'ONE', 'two', 'TWO']);
  });

  it('rejects a run while another process runs, with the policy reject (contract 13)', async () => {
    const { first, second, texts } = await twoRunners('reject');
    first.say({ run: 'one' });
    expect(await first.next()).toEqual(asked('one'));
    second.say({ run: 'two' });
    expect(await second.next()).toEqual({ failed: 'SESSION_BUSY' });
    first.say({ answer: 'ONE' });
    expect(await first.next()).toEqual({ done: 'ONE' });
    expect(await texts()).toEqual(['one', 'ONE']);
  });

  it('ends the run of another process before a new run begins, with the policy interrupt (contract 13)', async () => {
    const { first, second, texts } = await twoRunners('interrupt');
    first.say({ run: 'one' });
    expect(await first.next()).toEqual(asked('one'));
    second.say({ run: 'two' });
    expect(await first.next()).toEqual({ failed: 'RUN_INTERRUPTED' });
    expect(await second.next()).toEqual(asked('one', 'two'));
    second.say({ answer: 'TWO' });
    expect(await second.next()).toEqual({ done: 'TWO' });
    expect((await texts()).filter((text) => text !== '')).toEqual(['one', 'two', 'TWO']);
  });

  it('stores nothing of a process that was paused for longer than its lease (contract 13)', async () => {
    // The long series uses the runner's default lease of 30 s.
    const { first, second, texts } = await twoRunners('queue', isLong ? undefined : 2_000);
    first.say({ run: 'one' });
    expect(await first.next()).toEqual(asked('one'));
    first.pause();
    second.say({ run: 'two' });
    expect(await second.next()).toEqual(asked('one', 'two'));
    first.say({ answer: 'ONE' });
    first.resume();
    expect(await first.next()).toEqual({ failed: 'LEASE_LOST' });
    second.say({ answer: 'TWO' });
    expect(await second.next()).toEqual({ done: 'TWO' });
    // The second is the record that closes the invocation of the first process.
    expect(await texts()).toEqual(['one', '', 'two', 'TWO']);
  });

  it('starts a run after the session’s process was killed and its lease has expired (contract 13)', async () => {
    const { first, second, texts } = await twoRunners('queue', isLong ? undefined : 2_000);
    first.say({ run: 'one' });
    expect(await first.next()).toEqual(asked('one'));
    children.forget();
    await first.kill();
    second.say({ run: 'two' });
    expect(await second.next()).toEqual(asked('one', 'two'));
    second.say({ answer: 'TWO' });
    expect(await second.next()).toEqual({ done: 'TWO' });
    // The second is the record that closes the invocation of the first process.
    expect(await texts()).toEqual(['one', '', 'two', 'TWO']);
  });

  async function twoRunners(
    policy: LeasePolicy,
    ttlMs?: number,
  ): Promise<{ first: Child<Told>; second: Child<Told>; texts(): Promise<string[]> }> {
    const { service, close } = await openSessions(database.url);
    onTestFinished(close);
    const ref = { appName: 'app', userId: 'ann', sessionId: `s${sessions++}` };
    const [first, second] = children.get();
    for (const child of [first, second]) child.say({ open: { ref, policy, ttlMs } });
    for (const child of [first, second]) expect(await child.next()).toEqual({ ready: true });
    const texts = async (): Promise<string[]> => {
      await until(async () => (await service.leasing!.current(ref)) === undefined, { limitMs: 10_000 }).catch(() => {});
      return (await service.getSession(ref))!.events.map((event) => textOf(event.content));
    };
    return { first, second, texts };
  }
});

function asked(...texts: string[]): Told {
  return { asked: texts, mood: '' };
}
