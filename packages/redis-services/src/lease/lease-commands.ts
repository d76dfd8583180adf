import { readFileSync, readlinkSync } from 'node:fs';
import { kill } from 'node:process';
import { TholeError } from '@thole/core';
import { LeaseProcesses } from '@thole/core/kit';
import type { LeaseInfo, LeaseRequest, Runtime, SessionHead, SessionRef } from '@thole/core';
import { redisScript } from '../client/redis-script.ts';
import type { ScriptReply } from '../client/script-call.ts';
import type { RedisCalls } from '../client/redis-calls.ts';
import type { RedisKeys } from '../client/redis-keys.ts';
import type { StoreContext } from '../session/store-context.ts';

const acquireLease = redisScript('lease/ask-lease');
const forgetAppLeases = redisScript('lease/forget-app-leases');
const listAppLeases = redisScript('lease/list-app-leases');
const lookAtLease = redisScript('lease/look-at-lease');
const noteAppLease = redisScript('lease/note-app-lease');
const readWrites = redisScript('session/read-state-version');
const releaseLease = redisScript('lease/release-lease');
const renewLease = redisScript('lease/renew-lease');
const requestStop = redisScript('lease/request-stop');

/** What asking for a session came to. */
export type Asked =
  | { readonly outcome: 'OK'; readonly head: SessionHead | undefined }
  | { readonly outcome: 'INTERRUPTED' }
  | {
      readonly outcome: 'WAIT' | 'BUSY';
      readonly invocationId: string;
      readonly waiting: number;
      /** Token and process of the lease that is in the way; '' where there is none. */
      readonly heldToken: string;
      readonly heldBy: string;
    };

/** What changes from one question to the next of a run that waits. */
export interface Asking {
  readonly isFirst: boolean;
  /** The token of a lease whose process is dead; '' for none. */
  readonly dead: string;
}

/** What renewing came to. */
export interface Renewed {
  readonly leftMs: number;
  readonly head: SessionHead | undefined;
}

/** A lease as its hash says it. */
export interface SeenLease {
  readonly token: string;
  readonly info: LeaseInfo;
  readonly leftMs: number;
  /** The code that the holder is to stop with; '' unless it is asked to. */
  readonly why: string;
  /** The invocation that it gives way to. */
  readonly by: string;
}

/** A waiter that has not asked again for so long, and for several looks, is gone. */
const [WAITER_LIVES_MS, SEVERAL] = [10_000, 4];
/** A lease is remembered for so long after it ran out. */
const REMEMBERED_MS = 24 * 60 * 60 * 1000;

/** The scripts about leases. On Cluster the app's list of leases and its state's version live elsewhere. */
export class LeaseCommands {
  readonly #calls: RedisCalls;
  readonly #keys: RedisKeys;
  readonly #runtime: Runtime;
  readonly #parts: StoreContext;
  readonly #waiterLivesMs: number;
  readonly #processes: LeaseProcesses = new LeaseProcesses({
    readText: (path) => readFileSync(path, 'utf8'),
    readLink: (path) => readlinkSync(path),
    kill,
  });

  constructor(p: StoreContext) {
    this.#waiterLivesMs = Math.max(WAITER_LIVES_MS, p.pollMs * SEVERAL);
    this.#calls = p.calls;
    this.#keys = p.keys;
    this.#runtime = p.runtime;
    this.#parts = p;
  }

  /** What is not given in time is `STORE_UNAVAILABLE`; it may have been given, so it is to be released. */
  acquire(key: SessionRef, token: string, request: LeaseRequest, asking: Asking): Promise<Asked> {
    const began = this.#runtime.monotonic();
    return this.#calls
      .withDeadline(() =>
        this.#parts.mode.run(() => this.#acquire(key, token, request, asking, began), { isWrite: false }),
      )
      .catch((cause: unknown) => {
        if (!TholeError.is(cause, 'STORE_OUTCOME_UNKNOWN')) throw cause;
        throw new TholeError('STORE_UNAVAILABLE', (cause as TholeError).message, { cause });
      });
  }

  async #acquire(
    key: SessionRef,
    token: string,
    request: LeaseRequest,
    { isFirst, dead }: Asking,
    began: number,
  ): Promise<Asked> {
    const { lease, queue, waiterDeadlines, record } = this.#keys.session(key);
    const user = this.#keys.user(key);
    const app = this.#keys.app(key.appName);
    const member = toMember(key, token);
    const answer = (await this.#calls.write({
      script: acquireLease,
      keys: [
        lease,
        queue,
        waiterDeadlines,
        record,
        user.state,
        ...(this.#parts.outbox ? [user.outbox] : [app.state, app.leases]),
      ],
      args: [
        ...[token, request.invocationId, request.holder, request.policy, request.ttlMs],
        ...[request.maxWaiting, request.cleanupMs, this.#waiterLivesMs, isFirst ? '1' : '', member, REMEMBERED_MS],
        ...[this.#processes.own ?? '', dead],
      ],
    })) as ScriptReply[];
    if (answer[0] !== 'OK') {
      const [outcome, invocationId = '', waiting = 0, heldToken = '', heldBy = ''] = answer as string[];
      if (outcome === 'INTERRUPTED') return { outcome };
      return { outcome: outcome as 'WAIT' | 'BUSY', invocationId, waiting: Number(waiting), heldToken, heldBy };
    }
    const head = readHead(answer[1]!);
    if (!this.#parts.outbox) return { outcome: 'OK', head };
    await this.#parts.outbox.deliver(key, answer[2] as ScriptReply[], began);
    await this.#calls.write({ script: noteAppLease, keys: [app.leases], args: [member] });
    return { outcome: 'OK', head: await this.#withAppVersion(key, head) };
  }

  /** True if the process that a lease names is certainly dead. */
  isDead(process: string): boolean {
    return this.#processes.isDead(process);
  }

  renew(key: SessionRef, token: string, ttlMs: number): Promise<Renewed | undefined> {
    return this.#parts.mode.run(() => this.#renew(key, token, ttlMs), { isWrite: true });
  }

  async #renew(key: SessionRef, token: string, ttlMs: number): Promise<Renewed | undefined> {
    const { lease, queue, record } = this.#keys.session(key);
    const keys = [lease, queue, record, this.#keys.user(key).state];
    if (!this.#parts.outbox) keys.push(this.#keys.app(key.appName).state);
    const answer = await this.#calls.write({ script: renewLease, keys, args: [token, ttlMs, REMEMBERED_MS] });
    const [outcome, left, head] = answer as [string, number, ScriptReply];
    if (outcome !== 'OK') return undefined;
    return { leftMs: Number(left), head: await this.#withAppVersion(key, readHead(head)) };
  }

  release(key: SessionRef, token: string): Promise<void> {
    return this.#parts.mode.run(() => this.#release(key, token), { isWrite: true });
  }

  async #release(key: SessionRef, token: string): Promise<void> {
    const { lease, queue, waiterDeadlines } = this.#keys.session(key);
    const { leases } = this.#keys.app(key.appName);
    const member = toMember(key, token);
    const keys = [lease, queue, waiterDeadlines, ...(this.#parts.outbox ? [] : [leases])];
    await this.#calls.write({ script: releaseLease, keys, args: [token, member] });
    if (this.#parts.outbox) await this.#calls.write({ script: forgetAppLeases, keys: [leases], args: [member] });
  }

  async look(key: SessionRef): Promise<SeenLease | undefined> {
    const call = { script: lookAtLease, keys: [this.#keys.session(key).lease] };
    const [token, invocationId, holder, until, left, by, why] = (await this.#calls.read(call)) as string[];
    if (token === undefined) return undefined;
    const leftMs = Number(left);
    const { appName, userId, sessionId } = key;
    const info = {
      key: { appName, userId, sessionId },
      invocationId: invocationId!,
      holder: holder!,
      expiresAt: Number(until) / 1000,
      expired: leftMs <= 0,
    };
    return { token, info, leftMs, by: by!, why: why! };
  }

  /** The token of the lease that was asked to stop. */
  async requestStop(key: SessionRef, invocationId: string): Promise<string | undefined> {
    const call = { script: requestStop, keys: [this.#keys.session(key).lease], args: [invocationId] };
    return ((await this.#calls.write(call)) as string[])[0];
  }

  /** Those that are noted for the app and still there; what is not is forgotten. */
  async *listed(appName: string): AsyncIterable<LeaseInfo> {
    const { leases } = this.#keys.app(appName);
    const members = (await this.#calls.read({ script: listAppLeases, keys: [leases] })) as string[];
    for (const member of members) {
      const [userId, sessionId, token] = JSON.parse(member) as [string, string, string];
      const seen = await this.look({ appName, userId, sessionId });
      if (seen?.token === token) yield seen.info;
      else await this.#calls.write({ script: forgetAppLeases, keys: [leases], args: [member] });
    }
  }

  async #withAppVersion(key: SessionRef, head: SessionHead | undefined): Promise<SessionHead | undefined> {
    if (!this.#parts.outbox || !head) return head;
    const call = { script: readWrites, keys: [this.#keys.app(key.appName).state] };
    return { ...head, appVersion: Number(await this.#calls.read(call)) };
  }
}

/** A lease in the list of its app: its own, so that forgetting one never takes another. */
function toMember(key: SessionRef, token: string): string {
  return JSON.stringify([key.userId, key.sessionId, token]);
}

function readHead(answer: ScriptReply): SessionHead | undefined {
  const [incarnation, lastSeq, userVersion, appVersion] = answer as (string | number)[];
  if (incarnation === undefined) return undefined;
  return {
    incarnation: String(incarnation),
    lastSeq: Number(lastSeq),
    appVersion: Number(appVersion),
    userVersion: Number(userVersion),
  };
}
