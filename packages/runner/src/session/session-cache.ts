import { TholeError } from '@thole/core';
import { sessionKeyOf } from '@thole/core/kit';
import type { Lease, SessionHead, SessionRef, SessionService, UserRef } from '@thole/core';
import { LiveSession } from './live-session.ts';
import { sessionNotFound } from './session-not-found.ts';

/**
 * Sessions kept between turns. The lease brings the session's head, so that only what moved since is read: nothing after an
 * own turn, the new events alone after somebody else's write, all of it the first time and when the session is another one.
 */
export class SessionCache {
  readonly #service: SessionService;
  readonly #limit: number;
  /** Least recently used first. */
  readonly #sessions = new Map<string, LiveSession>();

  constructor(service: SessionService, limit: number) {
    this.#service = service;
    this.#limit = limit;
  }

  /** The session as it stands under this lease. `SESSION_NOT_FOUND` unless one may be made. */
  async open(ref: SessionRef, lease: Lease, p: { autoCreate: boolean; signal: AbortSignal }): Promise<LiveSession> {
    const id = sessionKeyOf(ref);
    const { head } = lease;
    const known = this.#sessions.get(id);
    this.#sessions.delete(id);
    let live = known && head && (known.isCurrent(head) ? known : await this.#catchUp(known, head, p.signal));
    if (!live) {
      const read = await this.#service.getSession({ ...ref, signal: p.signal });
      const readUnder = read?.incarnation === head?.incarnation ? head : undefined;
      live = read ? new LiveSession(read, readUnder) : await this.#make(ref, lease, p);
    }
    this.#keep(id, live);
    return live;
  }

  forget(ref: SessionRef): void {
    this.#sessions.delete(sessionKeyOf(ref));
  }

  forgetUser(user: UserRef): void {
    for (const [id, { ref }] of this.#sessions) {
      if (ref.appName === user.appName && ref.userId === user.userId) this.#sessions.delete(id);
    }
  }

  #keep(id: string, live: LiveSession): void {
    if (this.#limit === 0) return;
    this.#sessions.set(id, live);
    if (this.#sessions.size <= this.#limit) return;
    // An eighth at once: to find the oldest, a map goes past all that were deleted since it last grew.
    let tooMany = 1 + (this.#limit >> 3);
    for (const oldest of this.#sessions.keys()) {
      if (tooMany-- === 0) return;
      this.#sessions.delete(oldest);
    }
  }

  async #catchUp(known: LiveSession, head: SessionHead, signal: AbortSignal): Promise<LiveSession | undefined> {
    if (known.incarnation !== head.incarnation || known.lastSeq > head.lastSeq) return undefined;
    const moved = await this.#service.getSession({ ...known.ref, afterSeq: known.lastSeq, signal });
    if (!moved || moved.incarnation !== known.incarnation) return undefined;
    known.catchUp(moved, head);
    return known;
  }

  async #make(ref: SessionRef, lease: Lease, p: { autoCreate: boolean; signal: AbortSignal }): Promise<LiveSession> {
    const { signal } = p;
    if (!p.autoCreate) {
      throw sessionNotFound(ref, 'set autoCreateSession on the runner');
    }
    await this.#service.createSession({ ...ref, signal });
    // First the head, then the session: what is written in between is seen now, and merely read once more later.
    const head = await lease.renew();
    const made = await this.#service.getSession({ ...ref, signal });
    if (!made)
      throw new TholeError('SESSION_NOT_FOUND', `Session ${ref.sessionId} was deleted as soon as it was made.`);
    return new LiveSession(made, head);
  }
}
