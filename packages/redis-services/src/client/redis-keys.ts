import type { ArtifactKey, ArtifactScope, SessionRef, UserRef, WaitingKind } from '@thole/core';

/**
 * Builds the keys. Names are encoded, so keys contain no separators, braces, blanks or pattern characters of a name. All keys of a user
 * have the hash tag `{app|user}`, so they share a slot on Cluster. Keys of an app have the hash tag `{app}`.
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

  credentials(user: UserRef): CredentialKeys {
    return new CredentialKeys(this.user(user));
  }

  /** Hash: version → content, `m<version>` → metadata, `last` → newest version. */
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
  /** Hash: state key → value, `#` → number of writes, `@` → number of the last outbox entry. */
  get state(): string {
    return `${this.base}u`;
  }
  /** Sorted set: sessions by `lastUpdateTime` (µs). */
  get list(): string {
    return `${this.base}l`;
  }
  /** Sorted set: sessions that expire, by time (ms). */
  get expiries(): string {
    return `${this.base}x`;
  }
  /** List, on Cluster: changes that are not yet applied to the app's keys. */
  get outbox(): string {
    return `${this.base}p`;
  }
  /** Set: sessions that wait (see `waiting` of the app). */
  get waiting(): string {
    return `${this.base}v`;
  }
  /** String with a TTL: the result of a write. If the client sends the write again, it is not done twice. */
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
  /**
   * Hash: the record of the session, and the id of each event → seq. Fields of the record: `v` version, `inc` incarnation, `ct` create
   * time, `ut` last update time, `seq` last seq, `init` initial state, `ttl` and `exp` time to live and time of expiry (ms), `cut` number
   * of pruned events, `back` largest step back in the events' times, `from` origin of a copy (JSON), `waits` if a mark is set; and the
   * marks. Event ids are JSON strings and begin with a quote.
   */
  get record(): string {
    return `${this.user.base}s:${this.#id}`;
  }
  /** List: the events, oldest first. */
  get events(): string {
    return `${this.user.base}e:${this.#id}`;
  }
  /** Hash: state key → value. */
  get state(): string {
    return `${this.user.base}k:${this.#id}`;
  }
  /** Hash: the lease of the session's run. */
  get lease(): string {
    return `${this.user.base}r:${this.#id}`;
  }
  /** Sorted set: tokens of waiting runs, in order. */
  get queue(): string {
    return `${this.user.base}q:${this.#id}`;
  }
  /** Sorted set: tokens of waiting runs, by the time (ms) until which they remain in the queue. */
  get waiterDeadlines(): string {
    return `${this.user.base}w:${this.#id}`;
  }
}

/** The keys of one app. On Cluster they are in another slot than the keys of its users. */
export class AppKeys {
  readonly #base: string;

  constructor(base: string) {
    this.#base = base;
  }
  /** Hash: state key → value, `#` → number of writes. */
  get state(): string {
    return `${this.#base}a`;
  }
  /** Sorted set: sessions by `lastUpdateTime` (µs). */
  get list(): string {
    return `${this.#base}l`;
  }
  /** Sorted set: sessions that expire, by time (ms). */
  get expiries(): string {
    return `${this.#base}x`;
  }
  /** Sorted set: leases of the app's sessions, by the time (ms) at which they were granted. */
  get leases(): string {
    return `${this.#base}r`;
  }
  /** Sorted set: waiting sessions of this kind, by `wakeAt` (s) for `due`, by `lastUpdateTime` for the other kinds. */
  waiting(kind: WaitingKind): string {
    return `${this.#base}w${kind[0]}`;
  }
  /** Hash, on Cluster: SHA-1 of a user → number of the last outbox entry that was applied. */
  get applied(): string {
    return `${this.#base}n`;
  }
  /** Sorted set: users who have or had memory, all with score 0. */
  get memoryUsers(): string {
    return `${this.#base}m`;
  }
}

/** The keys of the artifacts of one session, or of the `user:` artifacts of a user. */
export class ArtifactKeys {
  readonly user: UserKeys;
  readonly #suffix: string;

  constructor(user: UserKeys, session: string | undefined) {
    this.user = user;
    this.#suffix = session === undefined ? '' : `:${session}`;
  }
  /** Set: names of artifacts. */
  get names(): string {
    return `${this.user.base}n${this.#suffix}`;
  }
  /** Hash: name → next version number. */
  get counts(): string {
    return `${this.user.base}c${this.#suffix}`;
  }
  /** Set: sessions of the user that have or had artifacts. */
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
  /** Hash: `seq` last seq, `removals` number of removals, `until` time (s) until which everything is forgotten. */
  get head(): string {
    return `${this.user.base}m`;
  }
  /** Sorted set: ids of entries and of removed entries, by seq. */
  get log(): string {
    return `${this.user.base}ml`;
  }
  /** Hash: id → entry. */
  get entries(): string {
    return `${this.user.base}me`;
  }
  /** Sorted set: ids of facts, by seq. */
  get facts(): string {
    return `${this.user.base}mf`;
  }
  /** Sorted set, all with score 0: `<session>\n<id>` of entries that belong to a session. */
  get sessions(): string {
    return `${this.user.base}mx`;
  }
  /** Hash: id → random id of the write that made its last change, also for removed entries. */
  get writeIds(): string {
    return `${this.user.base}mw`;
  }
  /** Hash: saved segments of the index. */
  get segments(): string {
    return `${this.user.base}mg`;
  }
}

/** The keys of one user's credentials. */
export class CredentialKeys {
  readonly user: UserKeys;

  constructor(user: UserKeys) {
    this.user = user;
  }
  /** Hash: `<kind> <name>` → record (JSON). */
  get records(): string {
    return `${this.user.base}a`;
  }
  /** Sorted set: fields of records that expire, by time (s). */
  get expiries(): string {
    return `${this.user.base}ax`;
  }
}

const PLAIN = /^[\w.-]+$/;

/** Returns the name with every byte of its UTF-8 text as `%XX`, except letters, digits, `_`, `-` and `.`. encode-name.lua does the same. */
export function encodeName(name: string): string {
  if (PLAIN.test(name)) return name;
  return encodeURIComponent(name).replaceAll(/[!'()*~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Returns the member of an app's list for a session. Members sort by session id and then by user: names contain no NUL (contract 1). */
export function toAppMember(key: SessionRef): string {
  return `${key.sessionId}\0${key.userId}`;
}

/** Returns the session and the user of a member of an app's list. */
export function fromAppMember(member: string): { sessionId: string; userId: string } {
  const end = member.indexOf('\0');
  return { sessionId: member.slice(0, end), userId: member.slice(end + 1) };
}
