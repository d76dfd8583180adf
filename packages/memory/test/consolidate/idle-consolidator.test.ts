import { createEvent } from '@thole/core';
import type { MemoryService, Session, SessionRef } from '@thole/core';
import { InMemoryArtifactService, InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { IdleConsolidator } from '@thole/memory';
import type { ConsolidationFailure, IdleConsolidatorOptions } from '@thole/memory';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { ann, bob } from '../support/talks.ts';

const minutes = 60_000;

class House {
  readonly runtime = new FixedRuntime();
  readonly sessions = new InMemorySessionService({ runtime: this.runtime });
  readonly inner = new InMemoryMemoryService({ runtime: this.runtime });
  readonly failures: ConsolidationFailure[] = [];
  /** Ids of the sessions that went into memory, in order. */
  readonly added: string[] = [];
  /** What memory does with a session, next to keeping it. */
  onAdd: (session: Session) => void | Promise<void> = () => {};
  readonly memory: MemoryService = {
    searchMemory: (p) => this.inner.searchMemory(p),
    addSessionToMemory: async (session, call) => {
      this.added.push(session.id);
      await this.onAdd(session);
      await this.inner.addSessionToMemory(session, call);
    },
  };

  consolidator(options: Partial<IdleConsolidatorOptions> = {}): IdleConsolidator {
    const { sessions, memory, runtime } = this;
    return new IdleConsolidator({ sessions, memory, runtime, onError: (one) => this.failures.push(one), ...options });
  }

  async say(text: string, ref: SessionRef = one): Promise<void> {
    if (!(await this.sessions.getSession(ref))) await this.sessions.createSession(ref);
    const event = createEvent({ author: 'user', content: { role: 'user', parts: [{ text }] } }, this.runtime);
    await this.sessions.appendEvent({ session: ref, event });
  }

  async remembered(user = ann): Promise<number> {
    return (await this.inner.listMemories(user)).memories.length;
  }

  isThere = async (ref: SessionRef = one): Promise<boolean> => (await this.sessions.getSession(ref)) !== undefined;
}

const one = { ...ann, sessionId: 'one' };
const two = { ...ann, sessionId: 'two' };
const other = { ...bob, sessionId: 'one' };

describe('going quiet', () => {
  it('puts a session into memory after 30 minutes of quiet, once, and deletes it', async () => {
    const house = new House();
    const consolidator = house.consolidator();
    await house.say('I am vegetarian.');
    consolidator.schedule(one);
    await house.runtime.advance(30 * minutes - 1);
    expect([house.added, await house.isThere()]).toEqual([[], true]);
    await house.runtime.advance(1);
    expect([house.added, await house.isThere(), await house.remembered()]).toEqual([['one'], false, 1]);
    await house.runtime.advance(600 * minutes);
    expect([house.added.length, house.runtime.pending]).toEqual([1, 0]);
  });

  it('each turn arms it anew, for fractions of a minute too', async () => {
    const house = new House();
    const consolidator = house.consolidator({ idleMs: 0.5 * minutes + 0.25 });
    for (let turn = 0; turn < 4; turn++) {
      await house.say(`Turn ${turn}.`);
      consolidator.schedule(one);
      await house.runtime.advance(0.5 * minutes);
    }
    expect([house.added, house.runtime.pending]).toEqual([[], 1]);
    await house.runtime.advance(1);
    expect([house.added, await house.remembered()]).toEqual([['one'], 4]);
  });

  it('waits on where another process has had a turn meanwhile', async () => {
    const house = new House();
    const consolidator = house.consolidator();
    await house.say('First.');
    consolidator.schedule(one);
    await house.runtime.advance(20 * minutes);
    await house.say('Elsewhere.');
    await house.runtime.advance(29 * minutes);
    expect(house.added).toEqual([]);
    await house.runtime.advance(1 * minutes);
    expect([house.added, await house.remembered()]).toEqual([['one'], 2]);
  });

  it('sessions are their own: of users, and of channels of one user', async () => {
    const house = new House();
    const consolidator = house.consolidator();
    for (const ref of [one, two, other]) await house.say('Hello.', ref);
    for (const ref of [one, other]) consolidator.schedule(ref);
    await house.runtime.advance(30 * minutes);
    expect(await Promise.all([one, two, other].map(house.isThere))).toEqual([false, true, false]);
    expect([await house.remembered(ann), await house.remembered(bob)]).toEqual([1, 1]);
  });

  it('what a deleted session has saved goes with it, and nothing else', async () => {
    const house = new House();
    const artifacts = new InMemoryArtifactService();
    for (const ref of [one, two]) await house.say('Hello.', ref);
    for (const file of [
      { ...one, filename: 'a.txt' },
      { ...two, filename: 'b.txt' },
      { ...one, filename: 'user:c.txt' },
    ])
      await artifacts.saveArtifact({ ...file, artifact: { text: 'x' } });
    await house.consolidator({ artifacts }).consolidate(one);
    expect(await artifacts.listArtifactKeys(one)).toEqual(['user:c.txt']);
    expect(await artifacts.listArtifactKeys(two)).toEqual(['b.txt', 'user:c.txt']);
  });

  it('disarm takes it back', async () => {
    const house = new House();
    const consolidator = house.consolidator();
    await house.say('Hello.');
    consolidator.schedule(one);
    consolidator.cancel(one);
    await house.runtime.advance(60 * minutes);
    expect(house.added).toEqual([]);
  });

  it('a session in which nobody has spoken is left alone', async () => {
    const house = new House();
    const consolidator = house.consolidator();
    await house.sessions.createSession({ ...one, state: { step: 'prepared' } });
    await house.sessions.updateState({ ...one, stateDelta: { step: 'more' } });
    consolidator.schedule(one);
    await house.runtime.advance(60 * minutes);
    expect([house.added, await house.isThere(), house.failures]).toEqual([[], true, []]);
  });

  it('what was never kept, such as the session of an ephemeral run, leaves nothing and is no failure', async () => {
    const house = new House();
    house.consolidator().schedule(one);
    await house.runtime.advance(60 * minutes);
    expect([house.added, house.failures, house.runtime.pending]).toEqual([[], [], 0]);
  });

  it('with enabled: false nothing is armed and nothing swept, but what is asked for is done', async () => {
    const house = new House();
    const consolidator = house.consolidator({ enabled: false });
    await house.say('Hello.');
    consolidator.schedule(one);
    await house.runtime.advance(60 * minutes);
    expect(await consolidator.sweep(ann)).toEqual({ consolidated: 0, failed: 0, scheduled: 0 });
    expect([house.added, house.runtime.pending]).toEqual([[], 0]);
    expect(await consolidator.consolidate(one)).toBe('deleted');
  });
});

describe('several processes', () => {
  it('consolidate a session once, whoever comes first', async () => {
    const house = new House();
    const consolidators = [1, 2, 3].map(() => house.consolidator());
    await house.say('Hello.');
    for (const consolidator of consolidators) consolidator.schedule(one);
    await house.runtime.advance(30 * minutes);
    expect([house.added, await house.isThere(), house.failures]).toEqual([['one'], false, []]);
  });

  it('wait for one that takes longer than its lease, which it renews', async () => {
    const house = new House();
    const consolidators = [1, 2].map(() => house.consolidator());
    house.onAdd = () => house.runtime.sleep(200_000);
    await house.say('Hello.');
    for (const consolidator of consolidators) consolidator.schedule(one);
    await house.runtime.advance(40 * minutes);
    expect([house.added, await house.isThere(), house.failures]).toEqual([['one'], false, []]);
    expect(house.runtime.pending).toBe(0);
  });

  it('take up the sessions of one that died, once its lease has run out', async () => {
    const house = new House();
    const key = { ...ann, sessionId: 'thole:consolidation' };
    const dead = { invocationId: 'dead', holder: 'dead', policy: 'reject' as const };
    await house.sessions.leasing!.lease(key, { ...dead, waitMs: 0, maxWaiting: 0, ttlMs: 30_000, cleanupMs: 0 });
    await house.say('Hello.');
    const consolidating = house.consolidator().consolidate(one);
    await house.runtime.advance(29_999);
    expect(house.added).toEqual([]);
    await house.runtime.advance(2);
    expect(await consolidating).toBe('deleted');
  });

  it('that keep sessions mark them, so that they are not consolidated again before somebody speaks', async () => {
    const house = new House();
    const consolidators = [1, 2].map(() => house.consolidator({ keep: true }));
    await house.say('Hello.');
    for (const consolidator of consolidators) consolidator.schedule(one);
    await house.runtime.advance(30 * minutes);
    expect([house.added, await house.isThere()]).toEqual([['one'], true]);
    expect(await consolidators[0]!.sweep(ann), 'its mark is no turn').toEqual({
      consolidated: 0,
      failed: 0,
      scheduled: 0,
    });
    await house.runtime.advance(60 * minutes);
    expect(await consolidators[1]!.sweep(ann)).toEqual({ consolidated: 0, failed: 0, scheduled: 0 });
    expect(await consolidators[1]!.consolidate(one)).toBe('unchanged');
    await house.say('Back again.');
    await house.runtime.advance(30 * minutes);
    expect(await consolidators[1]!.sweep(ann)).toEqual({ consolidated: 1, failed: 0, scheduled: 0 });
    expect([house.added.length, await house.remembered()]).toEqual([2, 2]);
  });

  it('a sweep at the start takes what went quiet while nothing ran, of all users, and arms for the rest', async () => {
    const house = new House();
    await house.say('Old.', one);
    await house.say('Old too.', other);
    await house.runtime.advance(20 * minutes);
    await house.say('Newer.', two);
    await house.runtime.advance(15 * minutes);
    const [consolidator, late] = [house.consolidator(), house.consolidator()];
    const reports = await Promise.all([consolidator.sweep({ appName: 'hotel' }), late.sweep({ appName: 'hotel' })]);
    expect(reports[0]!.consolidated + reports[1]!.consolidated).toBe(2);
    expect(reports[0]).toMatchObject({ scheduled: 1, failed: 0 });
    expect(house.added.toSorted()).toEqual(['one', 'one']);
    await house.runtime.advance(15 * minutes - 1);
    expect(await house.isThere(two)).toBe(true);
    await house.runtime.advance(1);
    expect([await house.isThere(two), house.added.length]).toEqual([false, 3]);
  });

  it('a sweep looks at one user where one is named', async () => {
    const house = new House();
    for (const ref of [one, other]) await house.say('Old.', ref);
    await house.runtime.advance(60 * minutes);
    expect(await house.consolidator().sweep(bob)).toMatchObject({ consolidated: 1 });
    expect(await house.isThere(one)).toBe(true);
  });

  it('a sweep takes more sessions than a page holds', async () => {
    const house = new House();
    for (let i = 0; i < 130; i++) await house.say('Old.', { ...ann, sessionId: `s${i}` });
    await house.runtime.advance(60 * minutes);
    expect(await house.consolidator().sweep(ann)).toEqual({ consolidated: 130, failed: 0, scheduled: 0 });
    expect((await house.sessions.listSessions(ann)).total).toBe(0);
  });
});

describe('turns', () => {
  it('never wait for a consolidation: the session’s lease is free while memory works', async () => {
    const house = new House();
    let leased: unknown = 'never asked';
    house.onAdd = async () => {
      leased = await house.sessions.leasing!.current(one);
    };
    await house.say('Hello.');
    expect(await house.consolidator().consolidate(one)).toBe('deleted');
    expect(leased).toBeUndefined();
  });

  it('a session in which something is said meanwhile is in memory and stays', async () => {
    const house = new House();
    const consolidator = house.consolidator();
    await house.say('Hello.');
    house.onAdd = () => (house.added.length === 1 ? house.say('And another thing.') : undefined);
    consolidator.schedule(one);
    await house.runtime.advance(30 * minutes);
    expect([house.added.length, await house.isThere(), house.failures]).toEqual([1, true, []]);
    await house.runtime.advance(30 * minutes);
    expect([house.added.length, await house.isThere(), await house.remembered()]).toEqual([2, false, 2]);
  });

  it.each([false, true])(
    'a session that was cleared and began again meanwhile stays, though it is as long by now (keep: %s)',
    async (keep) => {
      const house = new House();
      const consolidator = house.consolidator({ keep });
      await house.say('Hello.');
      house.onAdd = async () => {
        if (house.added.length > 1) return;
        await house.sessions.deleteSession(one);
        await house.say('Hello again, and not yet in memory.');
      };
      consolidator.schedule(one);
      await house.runtime.advance(30 * minutes);
      expect([house.added.length, await house.isThere(), await house.remembered()]).toEqual([1, true, 1]);
      if (keep) expect(await consolidator.sweep(ann), 'it is none that is in memory').toMatchObject({ scheduled: 1 });
      await house.runtime.advance(30 * minutes);
      expect([house.added.length, await house.isThere(), await house.remembered()]).toEqual([2, keep, 2]);
      expect(house.failures).toEqual([]);
    },
  );

  it.each([false, true])(
    'a session that is deleted meanwhile is gone, which is no failure (keep: %s)',
    async (keep) => {
      const house = new House();
      const consolidator = house.consolidator({ keep });
      await house.say('Hello.');
      house.onAdd = async () => void (await house.sessions.deleteSession(one));
      expect(await consolidator.consolidate(one)).toBe('gone');
      await house.say('Hello.');
      consolidator.schedule(one);
      await house.runtime.advance(60 * minutes);
      expect([house.added.length, house.failures, house.runtime.pending]).toEqual([2, [], 0]);
    },
  );

  it('a session in which a run is going on stays, though it has stored nothing yet', async () => {
    const house = new House();
    const consolidator = house.consolidator();
    await house.say('Hello.');
    const run = await house.sessions.leasing!.lease(one, {
      ...{ invocationId: 'run', holder: 'runner', policy: 'queue' as const },
      ...{ waitMs: 0, maxWaiting: 0, ttlMs: 1e9, cleanupMs: 0 },
    });
    consolidator.schedule(one);
    await house.runtime.advance(30 * minutes);
    expect([await house.isThere(), house.failures]).toEqual([true, []]);
    await run.release();
    await house.runtime.advance(30 * minutes);
    expect(await house.isThere()).toBe(false);
  });
});

describe('failures', () => {
  it('keep the session, reach onError, and are tried again with growing waits', async () => {
    const house = new House();
    const consolidator = house.consolidator({ retryMs: 1000 });
    let left = 3;
    house.onAdd = () => {
      if (left-- > 0) throw new Error('The model is out.');
    };
    await house.say('Hello.');
    consolidator.schedule(one);
    await house.runtime.advance(30 * minutes);
    expect(await house.isThere()).toBe(true);
    await house.runtime.advance(1 * minutes);
    expect([house.added.length, await house.isThere(), await house.remembered()]).toEqual([4, false, 1]);
    expect(house.failures.map(({ attempt, session }) => [attempt, session])).toEqual([1, 2, 3].map((n) => [n, one]));
    const waits = house.failures.map(({ retryInMs }) => retryInMs!);
    waits.forEach((wait, i) => expect(wait).toBeGreaterThanOrEqual(500 * 2 ** i));
    waits.forEach((wait, i) => expect(wait).toBeLessThan(1500 * 2 ** i));
    expect(JSON.stringify(house.runtime.logs)).not.toContain('The model is out');
  });

  it('end after maxAttempts; the next turn or sweep begins anew', async () => {
    const house = new House();
    const consolidator = house.consolidator({ maxAttempts: 2, retryMs: 10 });
    house.onAdd = () => Promise.reject(new Error('out'));
    await house.say('Hello.');
    consolidator.schedule(one);
    await house.runtime.advance(300 * minutes);
    expect(house.failures.map(({ retryInMs }) => retryInMs === undefined)).toEqual([false, true]);
    expect(house.runtime.pending).toBe(0);
    house.onAdd = () => {};
    expect(await consolidator.sweep(ann)).toMatchObject({ consolidated: 1 });
  });

  it('of one session do not keep a sweep from the others, and what onError throws is only logged', async () => {
    const house = new House();
    const consolidator = house.consolidator({
      onError: () => {
        throw new Error('so what');
      },
    });
    house.onAdd = (session) => (session.id === 'one' ? Promise.reject(new Error('out')) : undefined);
    for (const ref of [one, two]) await house.say('Old.', ref);
    await house.runtime.advance(60 * minutes);
    expect(await consolidator.sweep(ann)).toEqual({ consolidated: 1, failed: 1, scheduled: 0 });
    expect(await house.isThere(one)).toBe(true);
  });

  it('of a consolidation that was asked for are thrown', async () => {
    const house = new House();
    house.onAdd = () => Promise.reject(new Error('out'));
    await house.say('Hello.');
    await expect(house.consolidator().consolidate(one)).rejects.toThrow('out');
    expect(await house.isThere()).toBe(true);
  });
});

describe('the end', () => {
  it('stopping consolidates nothing, and no timer holds the process', async () => {
    const house = new House();
    const consolidator = house.consolidator();
    await house.say('Hello.');
    consolidator.schedule(one);
    await consolidator.close();
    expect(house.runtime.pending).toBe(0);
    consolidator.schedule(one);
    await house.runtime.advance(60 * minutes);
    expect([house.added, await house.isThere()]).toEqual([[], true]);
    expect(await house.consolidator().sweep(ann)).toMatchObject({ consolidated: 1 });
  });

  it('what is under way when it closes stops, and the session stays', async () => {
    const house = new House();
    const consolidator = house.consolidator();
    await house.say('Hello.');
    let go = (): void => {};
    house.onAdd = () => new Promise((resolve) => (go = resolve));
    consolidator.schedule(one);
    await house.runtime.advance(30 * minutes);
    const closing = consolidator.close();
    go();
    await closing;
    expect([await house.isThere(), house.failures]).toEqual([true, []]);
  });

  it('idle waits for what is under way', async () => {
    const house = new House();
    const consolidator = house.consolidator();
    await house.say('Hello.');
    void consolidator.consolidate(one);
    await consolidator.idle();
    expect(await house.isThere()).toBe(false);
  });
});

it('refuses what cannot work, by name', () => {
  const { sessions, memory } = new House();
  const bad: [object, string][] = [
    [{ memory }, 'sessions'],
    [{ sessions }, 'memory'],
    [{ sessions, memory, idleMs: 0 }, 'idleMs'],
    [{ sessions, memory, idleMs: '30' }, 'idleMs'],
    [{ sessions, memory, leaseTtlMs: Infinity }, 'leaseTtlMs'],
    [{ sessions, memory, idleMinutes: 30 }, 'idleMinutes'],
    [{ sessions, memory, concurrency: 0 }, 'concurrency'],
    [{ sessions, memory, maxAttempts: 0 }, 'maxAttempts'],
  ];
  for (const [options, name] of bad)
    expect(() => new IdleConsolidator(options as IdleConsolidatorOptions), name).toThrow(name);
});
