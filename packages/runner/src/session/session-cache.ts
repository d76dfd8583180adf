import { TholeError } from '@thole/core';
import { sessionKeyOf } from '@thole/core/kit';
import type { Lease, MaybePromise, SessionHead, SessionRef, SessionService, UserRef } from '@thole/core';
import type { RunTask } from '../invocation/run-task.ts';
import type { Concurrency, SessionLeases } from './lease.ts';
import { LiveSession } from './live-session.ts';

interface OpenOptions {
  autoCreate: boolean;
  signal: AbortSignal;
}

/**
 * Sessions of a runner that are cached between runs. The lease contains the session's head, so only changes are read: the complete
 * session the first time, new events after another writer, and nothing if this runner was the last writer.
 */
export class SessionCache {
  readonly service: SessionService;
  readonly #limit: number;
  /** Least recently used first. */
  readonly #sessions = new Map<string, LiveSession>();

  /** A limit of 0 caches nothing. */
  constructor(service: SessionService, limit: number) {
    this.service = service;
    this.#limit = limit;
  }

  /** Returns the current session. Throws `SESSION_NOT_FOUND` if it does not exist and `autoCreate` is false. */
  open(ref: SessionRef, lease: Lease, p: OpenOptions): MaybePromise<LiveSession> {
    const key = sessionKeyOf(ref);
    const { head } = lease;
    const cached = this.#sessions.get(key);
    this.#sessions.delete(key);
    if (!cached || !head || !cached.isCurrent(head)) return this.#read(key, { ref, lease, cached, ...p });
    this.#add(key, cached);
    return cached;
  }

  async #read(
    key: string,
    p: OpenOptions & { ref: SessionRef; lease: Lease; cached: LiveSession | undefined },
  ): Promise<LiveSession> {
    const { ref, lease, cached } = p;
    const { head } = lease;
    let session = cached && head && (await this.#catchUp(cached, head, p.signal));
    if (!session) {
      const stored = await this.service.getSession({ ...ref, signal: p.signal });
      const headOfStored = stored?.incarnation === head?.incarnation ? head : undefined;
      session = stored ? new LiveSession(stored, headOfStored) : await this.#create(ref, lease, p);
    }
    this.#add(key, session);
    return session;
  }

  /** Returns the cached session, which may be older than the stored one. */
  cached(ref: SessionRef): LiveSession | undefined {
    return this.#sessions.get(sessionKeyOf(ref));
  }

  /**
   * Reads a session without a lease. The session is not cached, because a run that follows another run adds events to it. A run that
   * uses the cached session must find these events itself: messages among them may have joined the run.
   */
  async peek(ref: SessionRef, signal: AbortSignal): Promise<LiveSession> {
    const stored = await this.service.getSession({ ...ref, signal });
    if (!stored) throw sessionNotFound(ref);
    return new LiveSession(stored, undefined);
  }

  /** Caches a session that was read by `peek` for the run that follows, unless the session is cached already. */
  keep(session: LiveSession): void {
    const key = sessionKeyOf(session.ref);
    if (!this.#sessions.has(key)) this.#add(key, session);
  }

  forget(ref: SessionRef): void {
    this.#sessions.delete(sessionKeyOf(ref));
  }

  forgetUser(user: UserRef): void {
    for (const [key, { ref }] of this.#sessions) {
      if (ref.appName === user.appName && ref.userId === user.userId) this.#sessions.delete(key);
    }
  }

  #add(key: string, session: LiveSession): void {
    if (this.#limit === 0) return;
    this.#sessions.set(key, session);
    if (this.#sessions.size <= this.#limit) return;
    // Evicts an eighth at once: an iteration from the start of a map also visits the keys deleted since the map last grew.
    let count = 1 + (this.#limit >> 3);
    for (const oldest of this.#sessions.keys()) {
      if (count-- === 0) return;
      this.#sessions.delete(oldest);
    }
  }

  async #catchUp(cached: LiveSession, head: SessionHead, signal: AbortSignal): Promise<LiveSession | undefined> {
    if (cached.incarnation !== head.incarnation || cached.lastSeq > head.lastSeq) return undefined;
    const last = cached.log.at(cached.log.length - 1);
    // The last known event is read again. After a failover that lost writes, its number belongs to another event.
    const afterSeq = last ? cached.lastSeq - 1 : cached.lastSeq;
    const newer = await this.service.getSession({ ...cached.ref, afterSeq, signal });
    if (!newer || newer.incarnation !== cached.incarnation) return undefined;
    if (last && newer.events[0]?.id !== last.id) return undefined;
    cached.catchUp(newer, head);
    return cached;
  }

  async #create(ref: SessionRef, lease: Lease, p: { autoCreate: boolean; signal: AbortSignal }): Promise<LiveSession> {
    const { signal } = p;
    if (!p.autoCreate) throw sessionNotFound(ref, 'set autoCreateSession on the runner');
    await this.service.createSession({ ...ref, signal });
    // Reads the head before the session. An event that is written in between is in the session, and is read again later.
    const head = await lease.renew();
    const created = await this.service.getSession({ ...ref, signal });
    if (!created) {
      throw new TholeError('SESSION_NOT_FOUND', `Session "${ref.sessionId}" was deleted right after its creation.`);
    }
    return new LiveSession(created, head);
  }
}

/** Access of one run to its session: stored and shared with other runs, or in memory for this run only. */
export interface SessionAccess {
  readonly service: SessionService;
  /**
   * Returns the lease, or undefined if no other run can use the session. With the policy `reject` it does not wait: it throws
   * `SESSION_BUSY` if another run holds the session. Default: the policy of the runner.
   */
  takeLease(task: RunTask, policy?: 'reject'): Promise<Lease | undefined>;
  /** Returns the fence for appends under this lease. Undefined if the store has no leases. */
  fenceOf(lease: Lease): string | undefined;
  /** `mayCreate`: creates a missing session if the runner has `autoCreateSession`. Default: true. Throws `SESSION_NOT_FOUND`. */
  open(lease: Lease | undefined, signal: AbortSignal, p?: { mayCreate: boolean }): MaybePromise<LiveSession>;
  /** Returns the invocation of the active run. Undefined if there is none. */
  currentInvocation(): Promise<string | undefined>;
  /** True if messages wait until the active run of the session has ended. */
  readonly isQueued: boolean;
  /** True if messages are added to the active run of the session. */
  readonly canJoin: boolean;
  /** The cached session. It may be older than the stored one. */
  readonly cached: LiveSession | undefined;
  /** Reads the session without a lease. Throws `SESSION_NOT_FOUND`. */
  peek(signal: AbortSignal): Promise<LiveSession>;
  /** Caches a session of `peek` for the run that follows. Its reader must not use it any more. */
  keep(session: LiveSession): void;
  /** True if the session outlives the process. */
  readonly isDurable: boolean;
  /** Drops the cached session, so that the next run reads it again. */
  forget(): void;
}

/** A session of the runner's session service, cached between runs. */
export class CachedSession implements SessionAccess {
  readonly #cache: SessionCache;
  readonly #leases: SessionLeases;
  readonly #ref: SessionRef;
  readonly #autoCreate: boolean;
  readonly #concurrency: Concurrency | undefined;

  constructor(
    cache: SessionCache,
    leases: SessionLeases,
    ref: SessionRef,
    p: { autoCreate: boolean; concurrency?: Concurrency | undefined },
  ) {
    this.#cache = cache;
    this.#leases = leases;
    this.#ref = ref;
    this.#autoCreate = p.autoCreate;
    this.#concurrency = p.concurrency;
  }

  get service(): SessionService {
    return this.#cache.service;
  }

  takeLease(task: RunTask, policy?: 'reject'): Promise<Lease> {
    return this.#leases.take(this.#ref, task, policy ? { policy } : this.#concurrency);
  }

  fenceOf(lease: Lease): string | undefined {
    return this.#leases.fenceOf(lease);
  }

  open(lease: Lease, signal: AbortSignal, p?: { mayCreate: boolean }): MaybePromise<LiveSession> {
    const autoCreate = this.#autoCreate && p?.mayCreate !== false;
    return this.#cache.open(this.#ref, lease, { autoCreate, signal });
  }

  currentInvocation(): Promise<string | undefined> {
    return this.#leases.currentInvocation(this.#ref);
  }

  get isQueued(): boolean {
    return this.#leases.isQueuePolicy;
  }

  get canJoin(): boolean {
    // The store checks that the other run still holds its lease.
    return this.#leases.isJoinPolicy && this.#cache.service.leasing !== undefined;
  }

  get cached(): LiveSession | undefined {
    return this.#cache.cached(this.#ref);
  }

  peek(signal: AbortSignal): Promise<LiveSession> {
    return this.#cache.peek(this.#ref, signal);
  }

  keep(session: LiveSession): void {
    this.#cache.keep(session);
  }

  get isDurable(): boolean {
    return this.#cache.service.isDurable === true;
  }

  forget(): void {
    this.#cache.forget(this.#ref);
  }
}

/** Returns a `SESSION_NOT_FOUND` error with a hint how to create the session. `or` is a second hint. */
export function sessionNotFound({ appName, userId, sessionId }: SessionRef, or?: string): TholeError {
  return new TholeError(
    'SESSION_NOT_FOUND',
    `Session "${sessionId}" of user "${userId}" does not exist in app "${appName}". ` +
      `Create it with sessionService.createSession({ appName, userId, sessionId })${or === undefined ? '' : `, or ${or}`}.`,
  );
}

/** Returns the error of a run whose session has been deleted, and perhaps created again. */
export function sessionDeleted({ sessionId }: SessionRef): TholeError {
  return new TholeError('SESSION_NOT_FOUND', `Session "${sessionId}" was deleted during a run.`);
}
