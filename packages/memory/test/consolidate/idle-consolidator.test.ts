import { createEvent } from '@thole/core';
import type { MemoryService, Session, SessionRef } from '@thole/core';
import { InMemoryArtifactService, InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { IdleConsolidator } from '@thole/memory';
import type { ConsolidationFailure, IdleConsolidatorOptions } from '@thole/memory';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { ann, bob } from '../support/conversations.ts';

const minutes = 60_000;

class Setup {
  readonly runtime = new FixedRuntime();
  readonly sessions = new InMemorySessionService({ runtime: this.runtime });
  readonly inner = new InMemoryMemoryService({ runtime: this.runtime });
  readonly failures: ConsolidationFailure[] = [];
  /** Ids of the sessions that were added to memory, in order. */
  readonly added: string[] = [];
  /** Called when a session is added to memory. */
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
    return new IdleConsolidator({
      sessions,
      memory,
      runtime,
      onError: (failure) => this.failures.push(failure),
      ...options,
    });
  }

  async say(text: string, ref: SessionRef = one): Promise<void> {
    if (!(await this.sessions.getSession(ref))) await this.sessions.createSession(ref);
    const event = createEvent({ author: 'user', content: { role: 'user', parts: [{ text }] } }, this.runtime);
    await this.sessions.appendEvent({ session: ref, event });
  }

  async memoryCount(user = ann): Promise<number> {
    return (await this.inner.listMemories(user)).memories.length;
  }

  exists = async (ref: SessionRef = one): Promise<boolean> => (await this.sessions.getSession(ref)) !== undefined;
}

const one = { ...ann, sessionId: 'one' };
const two = { ...ann, sessionId: 'two' };
const other = { ...bob, sessionId: 'one' };

describe('IdleConsolidator.schedule', () => {
  it('adds a session to memory once after 30 idle minutes and deletes it', async () => {
    const setup = new Setup();
    const consolidator = setup.consolidator();
    await setup.say('I am vegetarian.');
    consolidator.schedule(one);
    await setup.runtime.advance(30 * minutes - 1);
    expect([setup.added, await setup.exists()]).toEqual([[], true]);
    await setup.runtime.advance(1);
    expect([setup.added, await setup.exists(), await setup.memoryCount()]).toEqual([['one'], false, 1]);
    await setup.runtime.advance(600 * minutes);
    expect([setup.added.length, setup.runtime.pending]).toEqual([1, 0]);
  });

  it('adds a session with an open request to memory, and keeps it until the answer arrives', async () => {
    const setup = new Setup();
    const consolidator = setup.consolidator();
    await setup.say('Book it.');
    const append = (openInterrupts: number, id: string): Promise<unknown> =>
      setup.sessions.appendEvent({
        session: one,
        event: createEvent({ id, author: 'user', content: { role: 'user', parts: [{ text: id }] } }, setup.runtime),
        marks: { openInterrupts },
      });
    await append(1, 'request');
    consolidator.schedule(one);
    await setup.runtime.advance(30 * minutes);
    expect([setup.added, await setup.exists()]).toEqual([['one'], true]);
    await append(0, 'answer');
    consolidator.schedule(one);
    await setup.runtime.advance(30 * minutes);
    expect([setup.added, await setup.exists()]).toEqual([['one', 'one'], false]);
  });

  it('starts the idle time again with each turn, also for fractions of a minute', async () => {
    const setup = new Setup();
    const consolidator = setup.consolidator({ idleMs: 0.5 * minutes + 0.25 });
    for (let turn = 0; turn < 4; turn++) {
      await setup.say(`Turn ${turn}.`);
      consolidator.schedule(one);
      await setup.runtime.advance(0.5 * minutes);
    }
    expect([setup.added, setup.runtime.pending]).toEqual([[], 1]);
    await setup.runtime.advance(1);
    expect([setup.added, await setup.memoryCount()]).toEqual([['one'], 4]);
  });

  it('waits longer if another process has had a run', async () => {
    const setup = new Setup();
    const consolidator = setup.consolidator();
    await setup.say('First.');
    consolidator.schedule(one);
    await setup.runtime.advance(20 * minutes);
    await setup.say('Elsewhere.');
    await setup.runtime.advance(29 * minutes);
    expect(setup.added).toEqual([]);
    await setup.runtime.advance(1 * minutes);
    expect([setup.added, await setup.memoryCount()]).toEqual([['one'], 2]);
  });

  it('schedules sessions of users and sessions of one user separately', async () => {
    const setup = new Setup();
    const consolidator = setup.consolidator();
    for (const ref of [one, two, other]) await setup.say('Hello.', ref);
    for (const ref of [one, other]) consolidator.schedule(ref);
    await setup.runtime.advance(30 * minutes);
    expect(await Promise.all([one, two, other].map(setup.exists))).toEqual([false, true, false]);
    expect([await setup.memoryCount(ann), await setup.memoryCount(bob)]).toEqual([1, 1]);
  });

  it('deletes the artifacts of a deleted session only', async () => {
    const setup = new Setup();
    const artifacts = new InMemoryArtifactService();
    for (const ref of [one, two]) await setup.say('Hello.', ref);
    for (const file of [
      { ...one, filename: 'a.txt' },
      { ...two, filename: 'b.txt' },
      { ...one, filename: 'user:c.txt' },
    ])
      await artifacts.saveArtifact({ ...file, artifact: { text: 'x' } });
    await setup.consolidator({ artifacts }).consolidate(one);
    expect(await artifacts.listArtifactKeys(one)).toEqual(['user:c.txt']);
    expect(await artifacts.listArtifactKeys(two)).toEqual(['b.txt', 'user:c.txt']);
  });

  it('does nothing after cancel', async () => {
    const setup = new Setup();
    const consolidator = setup.consolidator();
    await setup.say('Hello.');
    consolidator.schedule(one);
    consolidator.cancel(one);
    await setup.runtime.advance(60 * minutes);
    expect(setup.added).toEqual([]);
  });

  it('keeps a session without messages', async () => {
    const setup = new Setup();
    const consolidator = setup.consolidator();
    await setup.sessions.createSession({ ...one, state: { step: 'prepared' } });
    await setup.sessions.updateState({ ...one, stateDelta: { step: 'more' } });
    consolidator.schedule(one);
    await setup.runtime.advance(60 * minutes);
    expect([setup.added, await setup.exists(), setup.failures]).toEqual([[], true, []]);
  });

  it('ignores a session that was never stored', async () => {
    const setup = new Setup();
    setup.consolidator().schedule(one);
    await setup.runtime.advance(60 * minutes);
    expect([setup.added, setup.failures, setup.runtime.pending]).toEqual([[], [], 0]);
  });

  it('does nothing with enabled: false, except for consolidate', async () => {
    const setup = new Setup();
    const consolidator = setup.consolidator({ enabled: false });
    await setup.say('Hello.');
    consolidator.schedule(one);
    await setup.runtime.advance(60 * minutes);
    expect(await consolidator.sweep(ann)).toEqual({ consolidated: 0, failed: 0, scheduled: 0 });
    expect([setup.added, setup.runtime.pending]).toEqual([[], 0]);
    expect(await consolidator.consolidate(one)).toBe('deleted');
  });
});

describe('IdleConsolidator in several processes', () => {
  it('consolidates a session once', async () => {
    const setup = new Setup();
    const consolidators = [1, 2, 3].map(() => setup.consolidator());
    await setup.say('Hello.');
    for (const consolidator of consolidators) consolidator.schedule(one);
    await setup.runtime.advance(30 * minutes);
    expect([setup.added, await setup.exists(), setup.failures]).toEqual([['one'], false, []]);
  });

  it('waits for a consolidation that renews its lease', async () => {
    const setup = new Setup();
    const consolidators = [1, 2].map(() => setup.consolidator());
    setup.onAdd = () => setup.runtime.sleep(200_000);
    await setup.say('Hello.');
    for (const consolidator of consolidators) consolidator.schedule(one);
    await setup.runtime.advance(40 * minutes);
    expect([setup.added, await setup.exists(), setup.failures]).toEqual([['one'], false, []]);
    expect(setup.runtime.pending).toBe(0);
  });

  it('consolidates the sessions of a crashed process after its lease has ended', async () => {
    const setup = new Setup();
    const key = { ...ann, sessionId: 'thole:consolidation' };
    const deadProcess = { invocationId: 'dead', holder: 'dead', policy: 'reject' as const };
    await setup.sessions.leasing!.lease(key, { ...deadProcess, waitMs: 0, maxWaiting: 0, ttlMs: 30_000, cleanupMs: 0 });
    await setup.say('Hello.');
    const consolidating = setup.consolidator().consolidate(one);
    await setup.runtime.advance(29_999);
    expect(setup.added).toEqual([]);
    await setup.runtime.advance(2);
    expect(await consolidating).toBe('deleted');
  });

  it('marks kept sessions, so that they are consolidated again only after new messages', async () => {
    const setup = new Setup();
    const consolidators = [1, 2].map(() => setup.consolidator({ keep: true }));
    await setup.say('Hello.');
    for (const consolidator of consolidators) consolidator.schedule(one);
    await setup.runtime.advance(30 * minutes);
    expect([setup.added, await setup.exists()]).toEqual([['one'], true]);
    expect(await consolidators[0]!.sweep(ann), 'the mark is not a turn').toEqual({
      consolidated: 0,
      failed: 0,
      scheduled: 0,
    });
    await setup.runtime.advance(60 * minutes);
    expect(await consolidators[1]!.sweep(ann)).toEqual({ consolidated: 0, failed: 0, scheduled: 0 });
    expect(await consolidators[1]!.consolidate(one)).toBe('unchanged');
    await setup.say('Back again.');
    await setup.runtime.advance(30 * minutes);
    expect(await consolidators[1]!.sweep(ann)).toEqual({ consolidated: 1, failed: 0, scheduled: 0 });
    expect([setup.added.length, await setup.memoryCount()]).toEqual([2, 2]);
  });
});

describe('IdleConsolidator with a session whose time is in the future', () => {
  /** Stores a message of a process whose clock is a day ahead. */
  async function sayTomorrow(setup: Setup, ref: SessionRef): Promise<void> {
    await setup.sessions.createSession(ref);
    const content = { role: 'user' as const, parts: [{ text: 'Hello.' }] };
    const event = createEvent({ author: 'user', content, timestamp: setup.runtime.now() + 86_400 }, setup.runtime);
    await setup.sessions.appendEvent({ session: ref, event });
  }

  it('adds it to memory when it has had no new event for the idle time', async () => {
    const setup = new Setup();
    await sayTomorrow(setup, one);
    expect(await setup.consolidator().sweep(ann)).toEqual({ consolidated: 0, failed: 0, scheduled: 1 });
    await setup.runtime.advance(30 * minutes - 1);
    expect(setup.added).toEqual([]);
    await setup.runtime.advance(1);
    expect([setup.added, await setup.exists()]).toEqual([['one'], false]);
  });

  it('waits longer after a new event, and after a new session with its id', async () => {
    const setup = new Setup();
    const consolidator = setup.consolidator();
    await sayTomorrow(setup, one);
    await sayTomorrow(setup, two);
    await consolidator.sweep(ann);
    await setup.runtime.advance(29 * minutes);
    await setup.say('Again.', one);
    await setup.sessions.deleteSession(two);
    await sayTomorrow(setup, two);
    await setup.runtime.advance(30 * minutes);
    expect(setup.added).toEqual([]);
    await setup.runtime.advance(1 * minutes);
    expect(setup.added.toSorted()).toEqual(['one', 'two']);
  });

  it('gives up after the last attempt', async () => {
    const setup = new Setup();
    setup.onAdd = () => Promise.reject(new Error('offline'));
    await sayTomorrow(setup, one);
    setup.consolidator({ maxAttempts: 2 }).schedule(one);
    await setup.runtime.advance(120 * minutes);
    expect([setup.added.length, setup.failures.map(({ attempt }) => attempt), setup.runtime.pending]).toEqual([
      2,
      [1, 2],
      0,
    ]);
  });
});

describe('IdleConsolidator.sweep', () => {
  it('consolidates idle sessions of all users and schedules the others', async () => {
    const setup = new Setup();
    await setup.say('Old.', one);
    await setup.say('Old too.', other);
    await setup.runtime.advance(20 * minutes);
    await setup.say('Newer.', two);
    await setup.runtime.advance(15 * minutes);
    const [consolidator, late] = [setup.consolidator(), setup.consolidator()];
    const reports = await Promise.all([consolidator.sweep({ appName: 'hotel' }), late.sweep({ appName: 'hotel' })]);
    expect(reports[0]!.consolidated + reports[1]!.consolidated).toBe(2);
    expect(reports[0]).toMatchObject({ scheduled: 1, failed: 0 });
    expect(setup.added.toSorted()).toEqual(['one', 'one']);
    await setup.runtime.advance(15 * minutes - 1);
    expect(await setup.exists(two)).toBe(true);
    await setup.runtime.advance(1);
    expect([await setup.exists(two), setup.added.length]).toEqual([false, 3]);
  });

  it('consolidates sessions of one user if a user is given', async () => {
    const setup = new Setup();
    for (const ref of [one, other]) await setup.say('Old.', ref);
    await setup.runtime.advance(60 * minutes);
    expect(await setup.consolidator().sweep(bob)).toMatchObject({ consolidated: 1 });
    expect(await setup.exists(one)).toBe(true);
  });

  it('consolidates more sessions than fit on a page', async () => {
    const setup = new Setup();
    for (let i = 0; i < 130; i++) await setup.say('Old.', { ...ann, sessionId: `s${i}` });
    await setup.runtime.advance(60 * minutes);
    expect(await setup.consolidator().sweep(ann)).toEqual({ consolidated: 130, failed: 0, scheduled: 0 });
    expect((await setup.sessions.listSessions(ann)).total).toBe(0);
  });

  it('reads all pages if sessions are deleted while the store reads a page', async () => {
    const setup = new Setup();
    for (let i = 0; i < 110; i++) await setup.say('Hello.', { ...ann, sessionId: `s${i}` });
    const list = setup.sessions.listSessions.bind(setup.sessions);
    setup.sessions.listSessions = async (p) => {
      const page = await list(p);
      return p.offset === 0 ? { ...page, sessions: page.sessions.slice(1) } : page;
    };
    await setup.runtime.advance(30 * minutes);
    expect(await setup.consolidator().sweep(ann)).toEqual({ consolidated: 109, failed: 0, scheduled: 0 });
  });
});

describe('Runs during a consolidation', () => {
  it('do not wait, because the lease of the session is free', async () => {
    const setup = new Setup();
    let lease: unknown = 'not read';
    setup.onAdd = async () => {
      lease = await setup.sessions.leasing!.current(one);
    };
    await setup.say('Hello.');
    expect(await setup.consolidator().consolidate(one)).toBe('deleted');
    expect(lease).toBeUndefined();
  });

  it('keep the session if they add messages', async () => {
    const setup = new Setup();
    const consolidator = setup.consolidator();
    await setup.say('Hello.');
    setup.onAdd = () => (setup.added.length === 1 ? setup.say('And another thing.') : undefined);
    consolidator.schedule(one);
    await setup.runtime.advance(30 * minutes);
    expect([setup.added.length, await setup.exists(), setup.failures]).toEqual([1, true, []]);
    await setup.runtime.advance(30 * minutes);
    expect([setup.added.length, await setup.exists(), await setup.memoryCount()]).toEqual([2, false, 2]);
  });

  it.each([false, true])('keep a new session with the same id and number of events (keep: %s)', async (keep) => {
    const setup = new Setup();
    const consolidator = setup.consolidator({ keep });
    await setup.say('Hello.');
    setup.onAdd = async () => {
      if (setup.added.length > 1) return;
      await setup.sessions.deleteSession(one);
      await setup.say('Hello again, and not yet in memory.');
    };
    consolidator.schedule(one);
    await setup.runtime.advance(30 * minutes);
    expect([setup.added.length, await setup.exists(), await setup.memoryCount()]).toEqual([1, true, 1]);
    if (keep) expect(await consolidator.sweep(ann), 'it is not in memory').toMatchObject({ scheduled: 1 });
    await setup.runtime.advance(30 * minutes);
    expect([setup.added.length, await setup.exists(), await setup.memoryCount()]).toEqual([2, keep, 2]);
    expect(setup.failures).toEqual([]);
  });

  it.each([false, true])('may delete the session, which is not a failure (keep: %s)', async (keep) => {
    const setup = new Setup();
    const consolidator = setup.consolidator({ keep });
    await setup.say('Hello.');
    setup.onAdd = async () => void (await setup.sessions.deleteSession(one));
    expect(await consolidator.consolidate(one)).toBe('gone');
    await setup.say('Hello.');
    consolidator.schedule(one);
    await setup.runtime.advance(60 * minutes);
    expect([setup.added.length, setup.failures, setup.runtime.pending]).toEqual([2, [], 0]);
  });

  it('keep the session while they hold its lease', async () => {
    const setup = new Setup();
    const consolidator = setup.consolidator();
    await setup.say('Hello.');
    const run = await setup.sessions.leasing!.lease(one, {
      ...{ invocationId: 'run', holder: 'runner', policy: 'queue' as const },
      ...{ waitMs: 0, maxWaiting: 0, ttlMs: 1e9, cleanupMs: 0 },
    });
    consolidator.schedule(one);
    await setup.runtime.advance(30 * minutes);
    expect([await setup.exists(), setup.failures]).toEqual([true, []]);
    await run.release();
    await setup.runtime.advance(30 * minutes);
    expect(await setup.exists()).toBe(false);
  });
});

describe('Failures of IdleConsolidator', () => {
  it('keep the session, call onError and are retried with growing waits', async () => {
    const setup = new Setup();
    const consolidator = setup.consolidator({ retryMs: 1000 });
    let remainingFailures = 3;
    setup.onAdd = () => {
      if (remainingFailures-- > 0) throw new Error('The model is out.');
    };
    await setup.say('Hello.');
    consolidator.schedule(one);
    await setup.runtime.advance(30 * minutes);
    expect(await setup.exists()).toBe(true);
    await setup.runtime.advance(1 * minutes);
    expect([setup.added.length, await setup.exists(), await setup.memoryCount()]).toEqual([4, false, 1]);
    expect(setup.failures.map(({ attempt, session }) => [attempt, session])).toEqual([1, 2, 3].map((n) => [n, one]));
    const waits = setup.failures.map(({ retryInMs }) => retryInMs!);
    waits.forEach((wait, i) => expect(wait).toBeGreaterThanOrEqual(500 * 2 ** i));
    waits.forEach((wait, i) => expect(wait).toBeLessThan(1500 * 2 ** i));
    expect(JSON.stringify(setup.runtime.logs)).not.toContain('The model is out');
  });

  it('to read the session are retried', async () => {
    const setup = new Setup();
    const { sessions } = setup;
    const consolidator = setup.consolidator({ retryMs: 1000 });
    await setup.say('Hello.');
    consolidator.schedule(one);
    const getSession = sessions.getSession.bind(sessions);
    sessions.getSession = async () => {
      sessions.getSession = getSession;
      throw new Error('The store is out.');
    };
    await setup.runtime.advance(31 * minutes);
    expect(setup.failures.map(({ attempt, session }) => [attempt, session])).toEqual([[1, one]]);
    expect([await setup.exists(), await setup.memoryCount()]).toEqual([false, 1]);
  });

  it('end after maxAttempts until the next turn or sweep', async () => {
    const setup = new Setup();
    const consolidator = setup.consolidator({ maxAttempts: 2, retryMs: 10 });
    setup.onAdd = () => Promise.reject(new Error('out'));
    await setup.say('Hello.');
    consolidator.schedule(one);
    await setup.runtime.advance(300 * minutes);
    expect(setup.failures.map(({ retryInMs }) => retryInMs === undefined)).toEqual([false, true]);
    expect(setup.runtime.pending).toBe(0);
    setup.onAdd = () => {};
    expect(await consolidator.sweep(ann)).toMatchObject({ consolidated: 1 });
  });

  it('of one session do not stop a sweep, and errors of onError are logged', async () => {
    const setup = new Setup();
    const consolidator = setup.consolidator({
      onError: () => {
        throw new Error('so what');
      },
    });
    setup.onAdd = (session) => (session.id === 'one' ? Promise.reject(new Error('out')) : undefined);
    for (const ref of [one, two]) await setup.say('Old.', ref);
    await setup.runtime.advance(60 * minutes);
    expect(await consolidator.sweep(ann)).toEqual({ consolidated: 1, failed: 1, scheduled: 0 });
    expect(await setup.exists(one)).toBe(true);
  });

  it('of a call that its caller has aborted do not affect other calls for the session', async () => {
    const setup = new Setup();
    const consolidator = setup.consolidator();
    const started = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    setup.onAdd = () => {
      started.resolve();
      return ended.promise;
    };
    await setup.say('Hello.');
    const abort = new AbortController();
    const aborted = consolidator.consolidate({ ...one, signal: abort.signal });
    await started.promise;
    const others = [consolidator.consolidate(one), consolidator.consolidate({ ...one, signal: AbortSignal.any([]) })];
    const late = consolidator.consolidate({ ...one, signal: AbortSignal.abort(new Error('late')) });
    abort.abort(new Error('stopped'));
    await expect(aborted).rejects.toThrow('stopped');
    await expect(late).rejects.toThrow('late');
    ended.resolve();
    expect(await Promise.all(others)).toEqual(['deleted', 'deleted']);
    expect([setup.added, await setup.memoryCount()]).toEqual([['one', 'one'], 1]);
  });

  it('of an aborted call keep the schedule of the session', async () => {
    const setup = new Setup();
    const consolidator = setup.consolidator();
    await setup.say('Hello.');
    consolidator.schedule(one);
    const call = consolidator.consolidate({ ...one, signal: AbortSignal.abort(new Error('stopped')) });
    await expect(call).rejects.toThrow('stopped');
    await setup.runtime.advance(30 * minutes);
    expect([setup.added, await setup.exists()]).toEqual([['one'], false]);
  });

  it('of consolidate for invalid arguments and after close are rejections', async () => {
    const consolidator = new Setup().consolidator();
    const invalid = consolidator.consolidate({ ...ann } as SessionRef);
    await expect(invalid).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await consolidator.close();
    const closed = consolidator.consolidate(one);
    await expect(closed).rejects.toMatchObject({ code: 'RUN_ABORTED' });
  });

  it('of consolidate are thrown', async () => {
    const setup = new Setup();
    setup.onAdd = () => Promise.reject(new Error('out'));
    await setup.say('Hello.');
    await expect(setup.consolidator().consolidate(one)).rejects.toThrow('out');
    expect(await setup.exists()).toBe(true);
  });
});

describe('IdleConsolidator.close and idle', () => {
  it('cancel all schedules without consolidating', async () => {
    const setup = new Setup();
    const consolidator = setup.consolidator();
    await setup.say('Hello.');
    consolidator.schedule(one);
    await consolidator.close();
    expect(setup.runtime.pending).toBe(0);
    consolidator.schedule(one);
    await setup.runtime.advance(60 * minutes);
    expect([setup.added, await setup.exists()]).toEqual([[], true]);
    expect(await setup.consolidator().sweep(ann)).toMatchObject({ consolidated: 1 });
  });

  it('stop a running consolidation and keep the session', async () => {
    const setup = new Setup();
    const consolidator = setup.consolidator();
    await setup.say('Hello.');
    const { promise, resolve } = Promise.withResolvers<void>();
    setup.onAdd = () => promise;
    consolidator.schedule(one);
    await setup.runtime.advance(30 * minutes);
    const closing = consolidator.close();
    resolve();
    await closing;
    expect([await setup.exists(), setup.failures]).toEqual([true, []]);
  });

  it('wait for a running consolidation', async () => {
    const setup = new Setup();
    const consolidator = setup.consolidator();
    await setup.say('Hello.');
    void consolidator.consolidate(one);
    await consolidator.idle();
    expect(await setup.exists()).toBe(false);
  });
});

describe('IdleConsolidator options', () => {
  it('are rejected with INVALID_INPUT or MEMORY_NOT_CONFIGURED and the name of the option', () => {
    const { sessions, memory } = new Setup();
    const invalid: [object, string][] = [
      [{ memory }, 'sessions'],
      [{ sessions }, 'memory'],
      [{ sessions, memory, idleMs: 0 }, 'idleMs'],
      [{ sessions, memory, idleMs: '30' }, 'idleMs'],
      [{ sessions, memory, leaseTtlMs: Infinity }, 'leaseTtlMs'],
      [{ sessions, memory, idleMinutes: 30 }, 'idleMinutes'],
      [{ sessions, memory, concurrency: 0 }, 'concurrency'],
      [{ sessions, memory, maxAttempts: 0 }, 'maxAttempts'],
      [{ sessions, memory, keep: 'no' }, 'keep must be a boolean'],
      [{ sessions, memory, enabled: 'false' }, 'enabled must be a boolean'],
    ];
    for (const [options, name] of invalid)
      expect(() => new IdleConsolidator(options as IdleConsolidatorOptions), name).toThrow(name);
  });
});
