import { StoredLeaseManager, TholeError } from '@thole/core';
import { InMemoryLeaseStore } from '@thole/core/kit';
import type { Lease, LeaseAsk, LeaseRequest, LeaseStore, ReleaseOptions } from '@thole/core';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';

const key = { appName: 'app', userId: 'u', sessionId: 's' };

function requestOf(invocationId: string, more: Partial<LeaseRequest> = {}): LeaseRequest {
  return {
    ...{ invocationId, holder: 'runner', policy: 'queue', waitMs: 30_000, maxWaiting: 16 },
    ...{ ttlMs: 10_000, cleanupMs: 2_000 },
    ...more,
  };
}

/** A lease store that answers with promises after `delayMs`, records its calls and fails on request. */
class RemoteStore implements LeaseStore {
  readonly calls: string[] = [];
  delayMs = 0;
  failure: ((step: string) => Error | undefined) | undefined;
  readonly #store: LeaseStore;
  readonly #runtime: FixedRuntime;

  constructor(store: LeaseStore, runtime: FixedRuntime) {
    this.#store = store;
    this.#runtime = runtime;
  }

  ask(...p: Parameters<LeaseStore['ask']>): ReturnType<LeaseStore['ask']> {
    return this.#call(`ask ${p[1].invocationId}`, () => this.#store.ask(...p));
  }
  renew(...p: Parameters<LeaseStore['renew']>): ReturnType<LeaseStore['renew']> {
    return this.#call('renew', () => this.#store.renew(...p));
  }
  release(...p: Parameters<LeaseStore['release']>): ReturnType<LeaseStore['release']> {
    return this.#call('release', () => this.#store.release(...p));
  }
  requestStop(...p: Parameters<LeaseStore['requestStop']>): ReturnType<LeaseStore['requestStop']> {
    return this.#call('requestStop', () => this.#store.requestStop(...p));
  }
  poll(...p: Parameters<LeaseStore['poll']>): ReturnType<LeaseStore['poll']> {
    return this.#call(`poll ${p[0].length}`, () => this.#store.poll(...p));
  }
  current(...p: Parameters<LeaseStore['current']>): ReturnType<LeaseStore['current']> {
    return this.#store.current(...p);
  }
  leases(appName: string): ReturnType<LeaseStore['leases']> {
    return this.#store.leases(appName);
  }

  async #call<T>(step: string, call: () => T | Promise<T>): Promise<T> {
    this.calls.push(step);
    if (this.delayMs > 0) await this.#runtime.sleep(this.delayMs);
    const result = await call();
    const failure = this.failure?.(step);
    if (failure) throw failure;
    return result;
  }
}

/** Managers of several processes over one store. */
function setUp(options: { pollMs?: number; firstPauseMs?: number } = {}): {
  runtime: FixedRuntime;
  store: RemoteStore;
  one: StoredLeaseManager;
  other: StoredLeaseManager;
} {
  const runtime = new FixedRuntime();
  const store = new RemoteStore(new InMemoryLeaseStore(runtime), runtime);
  const [one, other] = [1, 2].map(() => new StoredLeaseManager(store, runtime, options)) as [
    StoredLeaseManager,
    StoredLeaseManager,
  ];
  return { runtime, store, one, other };
}

async function within<T>(runtime: FixedRuntime, ms: number, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const settle = (): void => void (isSettled = true);
  promise.then(settle, settle);
  for (let passed = 0; !isSettled && passed < ms; passed += 10) await runtime.advance(10);
  expect(isSettled).toBe(true);
  return promise;
}

describe('StoredLeaseManager', () => {
  it('rejects wrong options (contract 42)', () => {
    const runtime = new FixedRuntime();
    const create = (options: object): unknown =>
      new StoredLeaseManager(new InMemoryLeaseStore(runtime), runtime, options);
    expect(() => create({ pollMS: 5 })).toThrow('StoredLeaseManager has no option pollMS. Did you mean pollMs?');
    for (const name of ['pollMs', 'firstPauseMs'])
      expect(() => create({ [name]: 0 })).toThrow(`${name} must be a number of milliseconds above 0, or Infinity.`);
  });

  it('grants, renews and releases without timers if the store never polls (contract 13)', async () => {
    const runtime = new FixedRuntime();
    const manager = new StoredLeaseManager(new InMemoryLeaseStore(runtime), runtime, { pollMs: Infinity });
    let lease: Lease | undefined;
    void manager.lease(key, requestOf('i1')).then((granted) => (lease = granted));
    await Promise.resolve();
    expect([lease !== undefined, runtime.pending]).toEqual([true, 0]);
    await lease!.renew();
    expect([await lease!.release(), await lease!.release(), await manager.current(key)]).toEqual([
      true,
      true,
      undefined,
    ]);
  });

  it('asks the store in the order of the requests (contract 13)', async () => {
    const { runtime, store, one } = setUp();
    const order: string[] = [];
    const runs = ['i1', 'i2', 'i3', 'i4'].map(async (id, i) => {
      store.delayMs = 40 - 10 * i;
      const lease = await one.lease(key, requestOf(id));
      order.push(id);
      await lease.release();
    });
    await within(runtime, 5_000, Promise.all(runs));
    expect(order).toEqual(['i1', 'i2', 'i3', 'i4']);
    expect(store.calls.filter((call) => call.startsWith('ask')).slice(0, 4)).toEqual([
      'ask i1',
      'ask i2',
      'ask i3',
      'ask i4',
    ]);
  });

  it('wakes a waiting run of this process as soon as the lease is released', async () => {
    const { runtime, one } = setUp({ pollMs: 60_000 });
    const lease = await one.lease(key, requestOf('i1', { ttlMs: 100_000 }));
    const next = one.lease(key, requestOf('i2'));
    await runtime.advance(100);
    await lease.release();
    await runtime.advance(0);
    await (await next).release();
    expect(runtime.pending).toBe(0);
  });

  it('asks again after each pause, because another process may release the lease', async () => {
    const { runtime, store, one, other } = setUp({ pollMs: 400, firstPauseMs: 20 });
    const lease = await one.lease(key, requestOf('i1', { ttlMs: 100_000 }));
    const next = other.lease(key, requestOf('i2'));
    await runtime.advance(2_000);
    const asks = store.calls.filter((call) => call === 'ask i2').length;
    // 20, 30, 45 … up to 400 ms, each ± a quarter.
    expect(asks).toBeGreaterThan(8);
    expect(asks).toBeLessThan(16);
    await lease.release();
    await within(runtime, 500, next);
  });

  it('asks again when the lease of another process expires, even if the next poll is later', async () => {
    const { runtime, one, other } = setUp({ pollMs: 60_000 });
    await one.lease(key, requestOf('i1', { ttlMs: 1_000 }));
    const next = other.lease(key, requestOf('i2'));
    await runtime.advance(1_000);
    expect((await next).lost.aborted).toBe(false);
  });

  it('notifies a holder in another process of stop requests and of a lost lease', async () => {
    const { runtime, one, other } = setUp();
    const errors: string[] = [];
    const onEnd = (error: TholeError): void => void errors.push(error.message);
    const lease = await one.lease(key, requestOf('i1', { ttlMs: 3_000, onEnd }));
    expect(await other.requestStop(key, 'i1')).toBe(true);
    await runtime.advance(700);
    expect(lease.stop.reason).toMatchObject({ code: 'RUN_ABORTED' });
    const next = other.lease(key, requestOf('i2'));
    await runtime.advance(4_000);
    await next;
    expect(lease.lost.reason).toMatchObject({ code: 'LEASE_LOST' });
    expect(errors).toEqual(['Invocation "i1" was cancelled.', 'Invocation "i1" no longer holds session "s".']);
  });

  it('notifies a holder of this process at once, without a poll', async () => {
    const { runtime, one } = setUp({ pollMs: 60_000 });
    const lease = await one.lease(key, requestOf('i1'));
    const next = one.lease(key, requestOf('i2', { policy: 'interrupt', cleanupMs: 1_000 }));
    await runtime.advance(0);
    expect(lease.stop.reason).toMatchObject({
      code: 'RUN_INTERRUPTED',
      message: 'Invocation "i2" interrupted invocation "i1".',
    });
    await runtime.advance(1_000);
    await next;
    expect(lease.lost.reason).toMatchObject({ code: 'LEASE_LOST' });
  });

  it('throws SESSION_BUSY with the holder and the reason', async () => {
    const { runtime, one } = setUp();
    await one.lease(key, requestOf('i1', { ttlMs: 100_000 }));
    await expect(one.lease(key, requestOf('i2', { policy: 'reject' }))).rejects.toThrow(
      'Session "s" is busy: invocation "i1" holds it.',
    );
    const waiting = one.lease(key, requestOf('i2', { waitMs: 1_000 }));
    await runtime.advance(0);
    await expect(one.lease(key, requestOf('i3', { maxWaiting: 1 }))).rejects.toThrow(
      'Session "s" is busy: invocation "i1" holds it, and 1 run waits for it.',
    );
    await expect(within(runtime, 2_000, waiting)).rejects.toThrow(
      'Session "s" is busy: invocation "i1" holds it; waited 1000 ms.',
    );
  });

  it('leaves the line before it reports the end of the waiting time', async () => {
    const { runtime, one, other } = setUp();
    const lease = await one.lease(key, requestOf('i1', { ttlMs: 100_000 }));
    await expect(within(runtime, 2_000, other.lease(key, requestOf('i2', { waitMs: 1_000 })))).rejects.toThrow('busy');
    await lease.release();
    await (await one.lease(key, requestOf('i3', { policy: 'reject' }))).release();
  });

  it('throws the signal’s reason during an ask, and releases a lease that the ask grants', async () => {
    const { runtime, store, one } = setUp();
    store.delayMs = 100;
    const controller = new AbortController();
    const reason = new Error('enough');
    const leaving = one.lease(key, requestOf('i1', { signal: controller.signal }));
    const next = one.lease(key, requestOf('i2'));
    await runtime.advance(10);
    controller.abort(reason);
    await expect(leaving).rejects.toBe(reason);
    expect((await within(runtime, 1_000, next)).lost.aborted).toBe(false);
    expect((await one.current(key))?.invocationId).toBe('i2');
  });

  it('does not ask for a run whose signal is aborted before its turn', async () => {
    const { runtime, store, one } = setUp();
    store.delayMs = 100;
    const controller = new AbortController();
    const first = one.lease(key, requestOf('i1'));
    const second = one.lease(key, requestOf('i2', { signal: controller.signal }));
    controller.abort();
    await expect(second).rejects.toThrow();
    await within(runtime, 1_000, first);
    expect(store.calls).not.toContain('ask i2');
  });

  it('releases the lease that an ask without an answer may have got', async () => {
    const { runtime, store, one, other } = setUp();
    store.failure = (step) => (step === 'ask i1' ? new TholeError('STORE_OUTCOME_UNKNOWN', 'lost') : undefined);
    await expect(one.lease(key, requestOf('i1'))).rejects.toMatchObject({ code: 'STORE_OUTCOME_UNKNOWN' });
    await runtime.advance(0);
    await (await other.lease(key, requestOf('i2', { policy: 'reject' }))).release();
  });

  it('takes over the session of a dead process, only once', async () => {
    const runtime = new FixedRuntime();
    const store = new RemoteStore(new InMemoryLeaseStore(runtime), runtime);
    const dead = new StoredLeaseManager(store, runtime, { processes: { own: 'dead', isDead: () => false } });
    const alive = new StoredLeaseManager(store, runtime, {
      processes: { own: 'alive', isDead: (name) => name === 'dead' },
    });
    await dead.lease(key, requestOf('i1', { ttlMs: 1e6 }));
    for (const policy of ['reject', 'queue', 'interrupt'] as const) {
      const lease = await alive.lease(key, requestOf(`i-${policy}`, { policy }));
      await expect(alive.lease(key, requestOf('i', { policy: 'reject' }))).rejects.toMatchObject({
        code: 'SESSION_BUSY',
      });
      await lease.release();
      await dead.lease(key, requestOf('i1', { ttlMs: 1e6 }));
    }
  });

  it('reports the lease of a dead process as expired, without the name of its process (contract 13)', async () => {
    const runtime = new FixedRuntime();
    const store = new InMemoryLeaseStore(runtime);
    const [dead, alive] = ['dead', 'alive'].map(
      (own) => new StoredLeaseManager(store, runtime, { processes: { own, isDead: (name) => name === 'dead' } }),
    );
    await dead!.lease(key, requestOf('i1'));
    const info = { key, invocationId: 'i1', holder: 'runner', expiresAt: 1_700_000_010, expired: true };
    expect(await alive!.current(key)).toEqual(info);
    expect(await Array.fromAsync(alive!.leases('app'))).toEqual([info]);
    await alive!.lease(key, requestOf('i2'));
    expect(await alive!.current(key)).toEqual({ ...info, invocationId: 'i2', expired: false });
  });

  it('loses only the lease that expires while the store does not answer', async () => {
    const { runtime, store, one } = setUp();
    const [short, long] = [
      await one.lease(key, requestOf('i1', { ttlMs: 2_000 })),
      await one.lease({ ...key, sessionId: 's2' }, requestOf('i2', { ttlMs: 60_000 })),
    ];
    store.failure = () => new TholeError('STORE_UNAVAILABLE', 'down');
    await runtime.advance(1_900);
    expect(short.lost.aborted).toBe(false);
    await runtime.advance(1_000);
    expect([short.lost.aborted, long.lost.aborted]).toEqual([true, false]);
    expect(runtime.logs.some(({ message }) => message === 'The leases of this process could not be polled.')).toBe(
      true,
    );
  });

  it('keeps an expired lease that the store still has', async () => {
    const { runtime, one } = setUp();
    const lease = await one.lease(key, requestOf('i1', { ttlMs: 1_000 }));
    await runtime.advance(60_000);
    expect(lease.lost.aborted).toBe(false);
    await lease.renew();
    await expect(one.lease(key, requestOf('i2', { policy: 'reject' }))).rejects.toMatchObject({ code: 'SESSION_BUSY' });
  });

  it('polls 100 leases in one call, and stops with the last lease', async () => {
    const { runtime, store, one } = setUp();
    const leases = await Promise.all(
      Array.from({ length: 150 }, (_, i) => one.lease({ ...key, sessionId: `s${i}` }, requestOf(`i${i}`))),
    );
    await runtime.advance(700);
    expect(store.calls.filter((call) => call.startsWith('poll'))).toEqual(['poll 100', 'poll 50']);
    await Promise.all(leases.map((lease) => lease.release()));
    expect(runtime.pending).toBe(0);
  });

  it('does not report a lease as lost if it is released during a poll', async () => {
    const { runtime, store, one } = setUp();
    const errors: string[] = [];
    const lease = await one.lease(key, requestOf('i1', { onEnd: (error) => errors.push(error.code) }));
    store.delayMs = 200;
    await runtime.advance(700);
    const releasing = lease.release();
    await runtime.advance(1_000);
    expect([await releasing, errors, store.calls.includes('poll 1')]).toEqual([true, [], true]);
  });

  it('throws LEASE_LOST when a released lease is renewed, without calling onEnd', async () => {
    const { one } = setUp();
    const errors: string[] = [];
    const lease = await one.lease(key, requestOf('i1', { onEnd: (error) => errors.push(error.code) }));
    await lease.release();
    await expect(lease.renew()).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(errors).toEqual([]);
  });

  it('keeps a lease whose release is refused, with its stop requests (contract 13)', async () => {
    const runtime = new FixedRuntime();
    let lastSeq = 1;
    const head = { incarnation: 'i', appVersion: 0, userVersion: 0 };
    const sessions = {
      headOf: () => ({ ...head, lastSeq }),
      finish: (_: unknown, { ifLastSeq }: ReleaseOptions) => ifLastSeq === lastSeq,
    };
    const store = new RemoteStore(new InMemoryLeaseStore(runtime, sessions), runtime);
    const [one, other] = [new StoredLeaseManager(store, runtime), new StoredLeaseManager(store, runtime)];
    const lease = await one.lease(key, requestOf('i1'));
    const next = other.lease(key, requestOf('i2'));
    lastSeq = 2;
    expect(await lease.release({ ifLastSeq: 1 })).toBe(false);
    await runtime.advance(1_000);
    expect((await one.current(key))?.invocationId).toBe('i1');
    await other.requestStop(key, 'i1');
    await runtime.advance(1_000);
    expect([lease.stop.aborted, lease.lost.aborted]).toEqual([true, false]);
    expect(await lease.release({ ifLastSeq: 2 })).toBe(true);
    await within(runtime, 1_000, next);
  });

  it('never grants a session to two runs of three processes (contract 13)', async () => {
    const runtime = new FixedRuntime();
    const store = new RemoteStore(new InMemoryLeaseStore(runtime), runtime);
    const managers = [1, 2, 3].map(() => new StoredLeaseManager(store, runtime, { pollMs: 100 }));
    const policies: LeaseAsk['policy'][] = ['queue', 'queue', 'interrupt', 'reject'];
    let holders = 0;
    const outcomes: string[] = [];
    const runs = Array.from({ length: 24 }, async (_, i) => {
      await runtime.sleep(i * 37);
      try {
        const lease = await managers[i % 3]!.lease(key, requestOf(`i${i}`, { policy: policies[i % 4]! }));
        expect(++holders).toBe(1);
        await runtime.sleep(250);
        holders--;
        await lease.release();
        outcomes.push('done');
      } catch (error) {
        outcomes.push((error as TholeError).code);
      }
    });
    await within(runtime, 30_000, Promise.all(runs));
    expect(new Set(outcomes)).toEqual(new Set(['done', 'SESSION_BUSY', 'RUN_INTERRUPTED']));
    expect([runtime.pending, await Array.fromAsync(managers[0]!.leases('app'))]).toEqual([0, []]);
  });
});
