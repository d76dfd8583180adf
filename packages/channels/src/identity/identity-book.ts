import { TholeError } from '@thole/core';
import { assertName, isPlainObject } from '@thole/core/kit';
import type { AccessRequest, Identity, Role, User } from './user.ts';

/** The content of an `IdentityDocument`. */
export interface IdentityBook {
  version: 1;
  users: User[];
  requests: AccessRequest[];
  /** Ids of deleted users. They are never generated for a new user, because their memory may still exist. */
  retired: string[];
}

const USER_ID = /^[a-z0-9][a-z0-9-]{0,63}$/;
const CHANNEL_NAME = /^[a-z][a-z0-9_-]{0,31}$/;
const roles: readonly Role[] = ['admin', 'user', 'guest'];

/** Parses a JSON text. Undefined or blank text is an empty book. Throws `INVALID_INPUT` with the name of the wrong member. */
export function parseIdentityBook(text: string | undefined): IdentityBook {
  if (text === undefined || text.trim() === '') return { version: 1, users: [], requests: [], retired: [] };
  const book = parseJson(text);
  if (!isPlainObject(book)) throw invalidMember('The file', 'an object with users');
  const { version = 1, users = [], requests = [], retired = [] } = book as Partial<Record<keyof IdentityBook, unknown>>;
  if (version !== 1)
    throw new TholeError(
      'STORE_VERSION',
      'The list of users has a version that this package cannot read. Update @thole/channels.',
    );
  if (!Array.isArray(users)) throw invalidMember('users', 'an array');
  if (!Array.isArray(requests)) throw invalidMember('requests', 'an array');
  if (!Array.isArray(retired)) throw invalidMember('retired', 'an array');
  const taken = new Map<string, string>();
  for (const [i, user] of users.entries()) assertUserRecord(`users[${i}]`, user, taken);
  for (const [i, request] of requests.entries()) assertIdentity(`requests[${i}]`, request);
  return { version: 1, users, requests, retired } as IdentityBook;
}

function parseJson(text: string): unknown {
  try {
    // Editors on Windows may begin the file with a byte order mark.
    return JSON.parse(text.replace(/^\uFEFF/u, '')) as unknown;
  } catch (cause) {
    throw new TholeError('INVALID_INPUT', `The list of users is not JSON: ${(cause as Error).message}`, { cause });
  }
}

function assertUserRecord(at: string, user: unknown, taken: Map<string, string>): void {
  if (!isPlainObject(user)) throw invalidMember(at, 'an object');
  const { id, name, role, identities, createdAt } = user as Record<keyof User, unknown>;
  assertUserId(`${at}.id`, id);
  if (typeof name !== 'string') throw invalidMember(`${at}.name`, 'a string');
  assertRole(`${at}.role`, role);
  if (!Number.isFinite(createdAt)) throw invalidMember(`${at}.createdAt`, 'a finite number of seconds');
  if (!Array.isArray(identities)) throw invalidMember(`${at}.identities`, 'an array');
  for (const [i, identity] of identities.entries()) {
    assertIdentity(`${at}.identities[${i}]`, identity);
    assertUnused(taken, `${at}.identities[${i}]`, keyOf(identity as Identity), id);
  }
  assertUnused(taken, `${at}.id`, id, id);
}

function assertUnused(taken: Map<string, string>, at: string, key: string, id: string): void {
  if (taken.has(key))
    throw new TholeError(
      'INVALID_INPUT',
      `${at} is also used by user "${taken.get(key)}". Remove it from one of them.`,
    );
  taken.set(key, id);
}

/** Throws `INVALID_INPUT` unless the value is a user id. */
export function assertUserId(at: string, id: unknown): asserts id is string {
  if (typeof id !== 'string' || !USER_ID.test(id))
    throw invalidMember(at, 'at most 64 lower-case letters, digits and "-"');
}

/** Throws `INVALID_INPUT` unless the value is the name of a channel. */
export function assertChannelName(at: string, name: unknown): asserts name is string {
  if (typeof name !== 'string' || !CHANNEL_NAME.test(name))
    throw invalidMember(at, 'at most 32 lower-case letters, digits, "-" and "_", starting with a letter');
}

export function assertRole(at: string, role: unknown): asserts role is Role {
  if (!roles.includes(role as Role)) throw invalidMember(at, `'admin', 'user' or 'guest'`);
}

/** Throws `INVALID_INPUT` unless the value names a channel and a sender. */
export function assertIdentity(at: string, identity: unknown): asserts identity is Identity {
  if (!isPlainObject(identity)) throw invalidMember(at, 'an object with channel and sender');
  const { channel, sender } = identity as Record<keyof Identity, unknown>;
  assertChannelName(`${at}.channel`, channel);
  assertName(`${at}.sender`, sender);
}

/** Returns an identity as one string. It is unique, because the name of a channel has no colon. */
export function keyOf({ channel, sender }: Identity): string {
  return `${channel}:${sender}`;
}

export function isSame(a: Identity, b: Identity): boolean {
  return a.channel === b.channel && a.sender === b.sender;
}

/** Generates an id for a new user that no other user has or had. */
export function newUserId(book: IdentityBook, name: string): string {
  const letters = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  const slug =
    letters
      .replace(/^-+|-+$/g, '')
      .slice(0, 48)
      .replace(/-+$/, '') || 'user';
  const used = new Set([...book.users.map(({ id }) => id), ...book.retired]);
  for (let n = 1; ; n++) {
    const id = n === 1 ? slug : `${slug}-${n}`;
    if (!used.has(id)) return id;
  }
}

function invalidMember(at: string, expected: string): TholeError {
  return new TholeError('INVALID_INPUT', `${at} must be ${expected}.`);
}
