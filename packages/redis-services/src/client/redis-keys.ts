import type { ArtifactKey, ArtifactScope, SessionRef, UserRef } from '@thole/core';

/**
 * Makes the names of keys. Components are encoded, so that no separator, brace, blank or pattern character of a name ever
 * stands in a key; the hash tag is `{app|user}`, or `{app}` for what is the app's, so all of a user's share a slot.
 */
export class RedisKeys {
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  user(user: UserRef): UserKeys {
    return new UserKeys(`${this.#prefix}{${encodeName(user.appName)}|${encodeName(user.userId)}}:`);
  }

  session(key: SessionRef): SessionKeys {
    return new SessionKeys(this.user(key), encodeName(key.sessionId));
  }

  app(appName: string): AppKeys {
    return new AppKeys(`${this.#prefix}{${encodeName(appName)}}:`);
  }

  artifacts(scope: ArtifactScope): ArtifactKeys {
    return new ArtifactKeys(this.user(scope), scope.sessionId === undefined ? undefined : encodeName(scope.sessionId));
  }

  memory(user: UserRef): MemoryKeys {
    return new MemoryKeys(this.user(user));
  }

  /** Hash: the versions of one artifact. */
  artifact(key: ArtifactKey): string {
    const { base } = this.user(key);
    const name = encodeName(key.filename);
    return key.sessionId === undefined ? `${base}f:${name}` : `${base}g:${encodeName(key.sessionId)}:${name}`;
  }
}

/** The keys of one user. */
export class UserKeys {
  readonly base: string;

  constructor(base: string) {
    this.base = base;
  }
  /** Hash: state key → value. */
  get state(): string {
    return `${this.base}u`;
  }
  /** Sorted set: sessions by `lastUpdateTime`. */
  get list(): string {
    return `${this.base}l`;
  }
  /** Sorted set: sessions that expire, by when. */
  get expiries(): string {
    return `${this.base}x`;
  }
  /** List: what the app's slot does not know yet (Cluster). */
  get outbox(): string {
    return `${this.base}p`;
  }
  /** Remembers for a while that a write was done, so that a client that sends it again does not do it twice. */
  idempotencyKey(token: string): string {
    return `${this.base}1:${encodeName(token)}`;
  }
}

/** The keys of one session. */
export class SessionKeys {
  readonly user: UserKeys;
  readonly #id: string;

  constructor(user: UserKeys, id: string) {
    this.user = user;
    this.#id = id;
  }
  /** Hash: the record, and each event's id → seq. */
  get record(): string {
    return `${this.user.base}s:${this.#id}`;
  }
  /** List: the events. */
  get events(): string {
    return `${this.user.base}e:${this.#id}`;
  }
  /** Hash: state key → value. */
  get state(): string {
    return `${this.user.base}k:${this.#id}`;
  }
  /** Hash: who holds the session. */
  get lease(): string {
    return `${this.user.base}r:${this.#id}`;
  }
  /** Sorted set: who waits for it, in order. */
  get queue(): string {
    return `${this.user.base}q:${this.#id}`;
  }
  /** Sorted set: until when each of those counts as there. */
  get waiterDeadlines(): string {
    return `${this.user.base}w:${this.#id}`;
  }
}

/** The keys of one app. */
export class AppKeys {
  readonly #base: string;

  constructor(base: string) {
    this.#base = base;
  }
  /** Hash: state key → value. */
  get state(): string {
    return `${this.#base}a`;
  }
  /** Sorted set: sessions by `lastUpdateTime`. */
  get list(): string {
    return `${this.#base}l`;
  }
  /** Sorted set: sessions that expire, by when. */
  get expiries(): string {
    return `${this.#base}x`;
  }
  /** Sorted set: leases of the app's sessions. */
  get leases(): string {
    return `${this.#base}r`;
  }
  /** Hash: how far each user's pending writes have been followed (Cluster). */
  get applied(): string {
    return `${this.#base}n`;
  }
  /** Sorted set: users who have memory or had some, all with score 0. */
  get memoryUsers(): string {
    return `${this.#base}m`;
  }
}

/** The keys of the artifacts of one session, or of a user's own. */
export class ArtifactKeys {
  readonly user: UserKeys;
  readonly #of: string;

  constructor(user: UserKeys, session: string | undefined) {
    this.user = user;
    this.#of = session === undefined ? '' : `:${session}`;
  }
  /** Set: names that have versions. */
  get names(): string {
    return `${this.user.base}n${this.#of}`;
  }
  /** Hash: name → next version. */
  get counts(): string {
    return `${this.user.base}c${this.#of}`;
  }
  /** Set: the user's sessions that ever had artifacts. */
  get sessions(): string {
    return `${this.user.base}h`;
  }
}

/** The keys of one user's memory. */
export class MemoryKeys {
  readonly user: UserKeys;

  constructor(user: UserKeys) {
    this.user = user;
  }
  /** Hash: the log's last number, how many removals, up to when all is forgotten. */
  get head(): string {
    return `${this.user.base}m`;
  }
  /** Sorted set: ids of entries and tombstones by number. */
  get log(): string {
    return `${this.user.base}ml`;
  }
  /** Hash: id → entry. */
  get entries(): string {
    return `${this.user.base}me`;
  }
  /** Sorted set: ids of facts by number. */
  get facts(): string {
    return `${this.user.base}mf`;
  }
  /** Sorted set, all with score 0: session and id of entries that came from one. */
  get sessions(): string {
    return `${this.user.base}mx`;
  }
  /** Hash: saved pieces of the derived index. */
  get segments(): string {
    return `${this.user.base}mg`;
  }
}

const PLAIN = /^[\w.-]+$/;

/** Letters, digits, `_`, `-` and `.` as they are, every other byte of the UTF-8 text as `%XX`. The scripts do the same. */
export function encodeName(name: string): string {
  if (PLAIN.test(name)) return name;
  return encodeURIComponent(name).replaceAll(/[!'()*~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** A session in the list of its app. Names hold no NUL (contract 1), and it sorts before everything: by id, then by user. */
export function toAppMember(key: SessionRef): string {
  return `${key.sessionId}\0${key.userId}`;
}

/** The session and the user that a member of an app's list names. */
export function fromAppMember(member: string): { sessionId: string; userId: string } {
  const end = member.indexOf('\0');
  return { sessionId: member.slice(0, end), userId: member.slice(end + 1) };
}
