import { TholeError } from '@thole/core';
import { userKeyOf } from '@thole/core/kit';
import type {
  Fence,
  LeaseAnswer,
  LeaseAsk,
  LeaseInfo,
  LeaseState,
  LeaseStore,
  ReleaseOptions,
  SessionHead,
  SessionRef,
} from '@thole/core';
import { toAppMember } from '../client/redis-keys.ts';
import { redisScript } from '../client/redis-script.ts';
import type { ScriptReply } from '../client/script-call.ts';
import { toMarkFields } from '../session/session-marks.ts';
import type { StoreContext } from '../session/store-context.ts';

const addAppLease = redisScript('lease/add-app-lease');
const askLease = redisScript('lease/ask-lease');
const listAppLeases = redisScript('lease/list-app-leases');
const pollLeases = redisScript('lease/poll-leases');
const readLease = redisScript('lease/read-lease');
const readStateVersion = redisScript('session/read-state-version');
const releaseLease = redisScript('lease/release-lease');
const removeAppLease = redisScript('lease/remove-app-lease');
const renewLease = redisScript('lease/renew-lease');
const requestStop = redisScript('lease/request-stop');

/** Milliseconds for which an expired lease is kept. */
const KEEP_EXPIRED_MS = 24 * 60 * 60 * 1000;

/**
 * The atomic steps of leases, each one script. On Cluster the app's list of leases and the version of its state are in another slot:
 * further scripts write and read them.
 */
export class RedisLeaseStore implements LeaseStore {
  readonly #context: StoreContext;
  readonly #placeMs: number;

  /** `placeMs`: milliseconds for which a waiting run keeps its place without another request. */
  constructor(context: StoreContext, { placeMs }: { placeMs: number }) {
    this.#context = context;
    this.#placeMs = placeMs;
  }

  /** Throws `STORE_UNAVAILABLE` even if the outcome is unknown, because the caller releases the fence after each failure. */
  ask(key: SessionRef, ask: LeaseAsk): Promise<LeaseAnswer> {
    const { calls, mode, runtime } = this.#context;
    const startedAt = runtime.monotonic();
    const asking = calls.withDeadline(() => mode.run(() => this.#ask(key, ask, startedAt), { isWrite: false }));
    return asking.catch((cause: unknown) => {
      if (!TholeError.is(cause, 'STORE_OUTCOME_UNKNOWN')) throw cause;
      throw new TholeError('STORE_UNAVAILABLE', (cause as TholeError).message, { cause });
    });
  }

  renew(
    key: SessionRef,
    fence: Fence,
    ttlMs: number,
  ): Promise<{ head: SessionHead | undefined; expiresInMs: number } | undefined> {
    return this.#write(() => this.#renew(key, fence, ttlMs));
  }

  release(key: SessionRef, fence: Fence, options: ReleaseOptions): Promise<boolean> {
    return this.#write(() => this.#release(key, fence, options));
  }

  async requestStop(key: SessionRef, invocationId: string): Promise<Fence | undefined> {
    const { calls, keys } = this.#context;
    const call = { script: requestStop, keys: [keys.session(key).lease], args: [invocationId] };
    const [fence] = (await calls.write(call)) as string[];
    return fence;
  }

  poll(leases: readonly { key: SessionRef; fence: Fence }[]): Promise<(LeaseState | undefined)[]> {
    return this.#context.mode.run(() => this.#poll(leases), { isWrite: false });
  }

  async current(key: SessionRef): Promise<LeaseInfo | undefined> {
    return (await this.#read(key))?.info;
  }

  async *leases(appName: string): AsyncIterable<LeaseInfo> {
    const { calls, keys } = this.#context;
    const { leases } = keys.app(appName);
    const members = (await calls.read({ script: listAppLeases, keys: [leases] })) as string[];
    for (const member of members) {
      const [userId, sessionId, fence] = JSON.parse(member) as [string, string, string];
      const found = await this.#read({ appName, userId, sessionId });
      if (found?.fence === fence) yield found.info;
      else await calls.write({ script: removeAppLease, keys: [leases], args: [member] });
    }
  }

  /** Runs a step that writes: one script, or on Cluster several scripts within one time limit. */
  #write<T>(work: () => Promise<T>): Promise<T> {
    const { calls, mode } = this.#context;
    const step = (): Promise<T> => (this.#context.outbox ? calls.withDeadline(work, { isWriting: true }) : work());
    return mode.run(step, { isWrite: true });
  }

  async #ask(key: SessionRef, ask: LeaseAsk, startedAt: number): Promise<LeaseAnswer> {
    const { calls, keys, outbox } = this.#context;
    const { lease, queue, waiterDeadlines, record, events, user } = keys.session(key);
    const app = keys.app(key.appName);
    const member = toMember(key, ask.fence);
    const reply = (await calls.write({
      script: askLease,
      keys: [
        ...[lease, queue, waiterDeadlines, record, events, user.state],
        ...(outbox ? [user.outbox] : [app.state, app.leases]),
      ],
      args: [
        ...[ask.fence, ask.invocationId, ask.holder, ask.process ?? '', ask.policy, ask.isFirst ? '1' : ''],
        ...[ask.maxWaiting, ask.ttlMs, ask.cleanupMs, ask.deadFence ?? ''],
        ...[member, this.#placeMs, KEEP_EXPIRED_MS],
      ],
    })) as ScriptReply[];
    if (reply[0] !== 'GRANTED') return toRefusal(reply as (string | number)[]);
    const [, head, entries] = reply as [string, ScriptReply[], ScriptReply[]];
    if (outbox) {
      await outbox.deliver(key, entries, startedAt);
      await calls.write({ script: addAppLease, keys: [app.leases], args: [member] });
    }
    return { kind: 'granted', head: await this.#toHead(key, head) };
  }

  async #renew(
    key: SessionRef,
    fence: Fence,
    ttlMs: number,
  ): Promise<{ head: SessionHead | undefined; expiresInMs: number } | undefined> {
    const { calls, keys, outbox } = this.#context;
    const { lease, queue, record, events, user } = keys.session(key);
    const appState = outbox ? [] : [keys.app(key.appName).state];
    const reply = await calls.write({
      script: renewLease,
      keys: [lease, queue, record, events, user.state, ...appState],
      args: [fence, ttlMs, KEEP_EXPIRED_MS],
    });
    const [status, expiresInMs, head] = reply as [string, number, ScriptReply[]];
    if (status !== 'OK') return undefined;
    return { expiresInMs: Number(expiresInMs), head: await this.#toHead(key, head) };
  }

  async #release(key: SessionRef, fence: Fence, { ifLastSeq, marks }: ReleaseOptions): Promise<boolean> {
    const { calls, keys, runtime, outbox } = this.#context;
    const startedAt = runtime.monotonic();
    const { lease, queue, waiterDeadlines, record, user } = keys.session(key);
    const { leases } = keys.app(key.appName);
    const member = toMember(key, fence);
    const [released, ...entries] = (await calls.write({
      script: releaseLease,
      keys: [lease, queue, waiterDeadlines, record, user.state, ...(outbox ? [] : [leases])],
      args: [fence, member, toAppMember(key), String(ifLastSeq ?? ''), ...toMarkFields(marks)],
    })) as ScriptReply[];
    if (Number(released) === 0) return false;
    // The entry of the marks also removes the lease from the app's list.
    if (entries.length > 0) await outbox?.deliver(key, entries, startedAt);
    else if (outbox) await calls.write({ script: removeAppLease, keys: [leases], args: [member] });
    return true;
  }

  async #poll(leases: readonly { key: SessionRef; fence: Fence }[]): Promise<(LeaseState | undefined)[]> {
    const { calls, keys, outbox } = this.#context;
    // On Cluster one script can read the leases of one user.
    const groups = outbox ? [...Map.groupBy(leases, ({ key }) => userKeyOf(key)).values()] : [leases];
    const states = new Map<Fence, LeaseState>();
    const readGroup = async (group: typeof leases): Promise<void> => {
      const leaseKeys = group.map(({ key }) => keys.session(key).lease);
      const call = { script: pollLeases, keys: leaseKeys, args: group.map(({ fence }) => fence) };
      const replies = (await calls.read(call)) as [number?, string?][];
      for (const [i, [expiresInMs, by]] of replies.entries()) {
        if (expiresInMs === undefined) continue;
        const stop = by === undefined ? undefined : { by: by === '' ? undefined : by };
        states.set(group[i]!.fence, { expiresInMs: Number(expiresInMs), stop });
      }
    };
    await Promise.all(groups.map(readGroup));
    return leases.map(({ fence }) => states.get(fence));
  }

  async #read({ appName, userId, sessionId }: SessionRef): Promise<{ fence: Fence; info: LeaseInfo } | undefined> {
    const { calls, keys, runtime } = this.#context;
    const key = { appName, userId, sessionId };
    const reply = await calls.read({ script: readLease, keys: [keys.session(key).lease] });
    const [fence, invocationId, holder, expiresInMs, process] = reply as string[];
    if (fence === undefined) return undefined;
    const leftMs = Number(expiresInMs);
    // By the clock of this machine, which may differ from the server's.
    const expiresAt = runtime.now() + leftMs / 1000;
    const info = { key, invocationId: invocationId!, holder: holder!, expiresAt, expired: leftMs <= 0 };
    return { fence, info: { ...info, ...(process && { process }) } };
  }

  async #toHead(key: SessionRef, reply: ScriptReply[]): Promise<SessionHead | undefined> {
    const [incarnation, lastSeq, lastEventId, userVersion, appVersion] = reply as (string | number)[];
    if (incarnation === undefined) return undefined;
    const { calls, keys, outbox } = this.#context;
    const readAppVersion = { script: readStateVersion, keys: [keys.app(key.appName).state] };
    return {
      incarnation: String(incarnation),
      lastSeq: Number(lastSeq),
      lastEventId: lastEventId === '' ? undefined : (JSON.parse(String(lastEventId)) as string),
      appVersion: Number(outbox ? await calls.read(readAppVersion) : appVersion),
      userVersion: Number(userVersion),
    };
  }
}

/** Returns the member of the app's list for a lease. It contains the fence, so removing it never removes another lease. */
function toMember(key: SessionRef, fence: Fence): string {
  return JSON.stringify([key.userId, key.sessionId, fence]);
}

function toRefusal([status, waiting, fence, invocationId, process, expiresInMs]: readonly (
  | string
  | number
)[]): LeaseAnswer {
  if (status === 'OVERTAKEN') return { kind: 'overtaken' };
  const heldBy =
    fence === undefined
      ? undefined
      : {
          fence: String(fence),
          invocationId: String(invocationId),
          process: process === '' ? undefined : String(process),
          expiresInMs: Number(expiresInMs),
        };
  return { kind: status === 'BUSY' ? 'busy' : 'waiting', heldBy, waiting: Number(waiting) };
}
