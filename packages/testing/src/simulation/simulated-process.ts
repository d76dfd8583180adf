import { TholeError } from '@thole/core';
import type { CancelTimer, Event, Lease, LeaseManager, Runtime, SessionService } from '@thole/core';
import type { Gate } from './trip-app.ts';
import type { SimulatedWorld } from './simulated-world.ts';

/**
 * The fate of a process at a point: it continues, dies, closes its runner and then dies, pauses for two minutes, or an append to
 * its store fails.
 */
export type Fate = 'lives' | 'dies' | 'closes' | 'stalls' | 'fails';

const STALL_MS = 120_000;

/**
 * A process that may die at each wait. After its death its waits never end, its timers do not fire, and its leases expire by the
 * clock. `fateAt` returns its fate at each point, in the order of the points.
 */
export class SimulatedProcess {
  readonly runtime: Runtime;
  readonly gate: Gate;
  /** All points that were passed, in order. */
  readonly points: string[] = [];
  isDead = false;
  /** Closes the runner of the process. */
  close: () => Promise<void> = async () => {};
  readonly #fateAt: (point: string, index: number) => Fate;
  readonly #clock: Runtime;
  #stall: Promise<void> | undefined;

  constructor(runtime: Runtime, fateAt: (point: string, index: number) => Fate = () => 'lives') {
    this.#fateAt = fateAt;
    this.#clock = runtime;
    this.runtime = this.#runtimeOf(runtime);
    this.gate = async (point) => void (await this.#pass(point));
  }

  /** True while the process pauses. */
  get isStalled(): boolean {
    return this.#stall !== undefined;
  }

  /** Ends the process at once, without closing its runner. */
  die(): void {
    this.isDead = true;
  }

  /** Returns the service as this process uses it. It reports stored and acknowledged events to `world`. */
  serviceOf(service: SessionService, world: SimulatedWorld): SessionService {
    const call = <R>(name: string, fn: () => Promise<R>, onStored?: (result: R) => void): Promise<R> =>
      this.#call(name, fn, onStored);
    const { leasing, watching } = service;
    return {
      isDurable: true,
      ...(leasing && { leasing: this.#leasingOf(leasing) }),
      ...(watching && { watching }),
      createSession: (p) => call('createSession', () => service.createSession(p)),
      getSession: (p) => call('getSession', () => service.getSession(p)),
      listSessions: (p) => call('listSessions', () => service.listSessions(p)),
      listWaitingSessions: (p) => call('listWaitingSessions', () => service.listWaitingSessions!(p)),
      deleteSession: (p) => call('deleteSession', () => service.deleteSession(p)),
      appendEvent: async (p) => {
        const { userId } = p.session;
        const stored = await call(
          'appendEvent',
          () => service.appendEvent(p),
          (event: Event) => {
            if (!event.partial) world.store(userId, event);
          },
        );
        if (!stored.partial) world.acknowledge(userId, stored);
        return stored;
      },
      updateState: (p) => call('updateState', () => service.updateState(p)),
      getUserState: (p) => call('getUserState', () => service.getUserState(p)),
      deleteUserData: (p) => call('deleteUserData', () => service.deleteUserData(p)),
    };
  }

  #leasingOf(leasing: LeaseManager): LeaseManager {
    return {
      lease: async (key, request) => {
        const lease = await this.#call('lease', () => leasing.lease(key, request));
        return this.#leaseOf(lease);
      },
      current: (key) => this.#call('currentLease', () => leasing.current(key)),
      leases: (appName) => leasing.leases(appName),
      requestStop: (key, id) => this.#call('requestStop', () => leasing.requestStop(key, id)),
    };
  }

  #leaseOf(lease: Lease): Lease {
    return {
      fence: lease.fence,
      head: lease.head,
      get lost() {
        return lease.lost;
      },
      get stop() {
        return lease.stop;
      },
      renew: () => this.#call('renew', () => lease.renew()),
      release: (options) => this.#call('release', () => lease.release(options)),
    };
  }

  async #call<R>(name: string, fn: () => Promise<R>, onStored?: (result: R) => void): Promise<R> {
    const isAppend = name === 'appendEvent';
    const before = await this.#pass(`${name}: begins`);
    if (isAppend && before === 'fails') throw new TholeError('STORE_UNAVAILABLE', 'The store cannot be reached.');
    const result = await fn();
    onStored?.(result);
    const after = await this.#pass(`${name}: ends`);
    if (isAppend && after === 'fails')
      throw new TholeError('STORE_OUTCOME_UNKNOWN', 'The answer of the store was lost.');
    return result;
  }

  async #pass(point: string): Promise<Fate> {
    if (this.isDead) return never();
    if (this.#stall) await this.#stall;
    const fate = this.#fateAt(point, this.points.push(point) - 1);
    if (fate === 'dies') {
      this.die();
      return never();
    }
    if (fate === 'closes') void this.close().then(() => this.die());
    if (fate === 'stalls') {
      this.#stall = this.#clock.sleep(STALL_MS);
      await this.#stall;
      this.#stall = undefined;
    }
    await Promise.resolve();
    return this.isDead ? never() : fate;
  }

  #fire(fn: () => void): void {
    if (this.isDead) return;
    if (this.#stall) void this.#stall.then(() => this.#fire(fn));
    else fn();
  }

  #runtimeOf(runtime: Runtime): Runtime {
    return {
      now: () => runtime.now(),
      monotonic: () => runtime.monotonic(),
      newId: (kind) => runtime.newId(kind),
      random: () => runtime.random(),
      sleep: async (ms, signal) => {
        await runtime.sleep(ms, signal);
        if (this.#stall) await this.#stall;
        if (this.isDead) await never();
      },
      timer: (ms, fn, options): CancelTimer => runtime.timer(ms, () => this.#fire(fn), options),
      logger: runtime.logger,
      tracer: runtime.tracer,
    };
  }
}

function never(): Promise<never> {
  return new Promise(() => {});
}
