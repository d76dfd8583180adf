import { systemRuntime, TholeError } from '@thole/core';
import { assertName, KeyedQueue, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { Runtime } from '@thole/core';
import {
  assertIdentity,
  assertRole,
  assertUserId,
  isSame,
  keyOf,
  newUserId,
  parseIdentityBook,
} from './identity-book.ts';
import type { IdentityBook } from './identity-book.ts';
import type { IdentityDocument } from './identity-document.ts';
import type { IdentityStore, NewUser } from './identity-store.ts';
import type { AccessRequest, Identity, Role, User } from './user.ts';

/** Maximum number of access requests. Further requests are dropped, so that unknown senders cannot fill the store. */
const MAX_REQUESTS = 100;
const MAX_NAME_LENGTH = 200;

/** The users of a text, for `find` and `get`. */
interface UserIndex {
  readonly text: string | undefined;
  readonly byId: ReadonlyMap<string, User>;
  readonly bySender: ReadonlyMap<string, User>;
}

/** Implements `IdentityStore` over one JSON document, which a file or a database stores. */
export class StoredIdentityStore implements IdentityStore {
  readonly specVersion = 1;
  readonly #document: IdentityDocument;
  readonly #runtime: Runtime;
  readonly #queue = new KeyedQueue();
  /** Each message of a user is a `find`. Parsing thousands of users takes too long for that. */
  #newest: UserIndex | undefined;

  constructor(document: IdentityDocument, options: { runtime?: Runtime | undefined } = {}) {
    rejectUnknownOptions(options, optionNames<typeof options>({ runtime: true }), 'StoredIdentityStore');
    this.#document = document;
    this.#runtime = options.runtime ?? systemRuntime();
  }

  async find(identity: Identity): Promise<User | undefined> {
    assertIdentity('identity', identity);
    return structuredClone((await this.#index()).bySender.get(keyOf(identity)));
  }

  async get(userId: string): Promise<User | undefined> {
    return structuredClone((await this.#index()).byId.get(userId));
  }

  async list(): Promise<User[]> {
    return (await this.#read()).users;
  }

  create(p: NewUser): Promise<User> {
    return this.#change((book) => {
      const name = clean(p.name);
      const { id = newUserId(book, name), role = 'user', identities = [] } = p;
      assertUserId('id', id);
      assertRole('role', role);
      if (book.users.some((user) => user.id === id))
        throw new TholeError('USER_ALREADY_EXISTS', `The user id "${id}" belongs to another user. Choose another id.`);
      const user: User = { id, name, role, identities: [], createdAt: this.#runtime.now() };
      book.users.push(user);
      return identities.reduce((linked, identity) => link(book, linked, identity), user);
    });
  }

  link(userId: string, identity: Identity): Promise<User> {
    return this.#change((book) => link(book, userOf(book, userId), identity));
  }

  unlink(identity: Identity): Promise<boolean> {
    return this.#change((book) => {
      assertIdentity('identity', identity);
      const user = book.users.find(({ identities }) => identities.some((each) => isSame(each, identity)));
      if (!user) return false;
      replace(book, { ...user, identities: user.identities.filter((each) => !isSame(each, identity)) });
      return true;
    });
  }

  setRole(userId: string, role: Role): Promise<User> {
    assertRole('role', role);
    return this.#change((book) => replace(book, { ...userOf(book, userId), role }));
  }

  rename(userId: string, name: string): Promise<User> {
    return this.#change((book) => replace(book, { ...userOf(book, userId), name: clean(name) }));
  }

  delete(userId: string): Promise<boolean> {
    return this.#change((book) => {
      const index = book.users.findIndex(({ id }) => id === userId);
      if (index < 0) return false;
      book.users.splice(index, 1);
      if (!book.retired.includes(userId)) book.retired.push(userId);
      return true;
    });
  }

  request(p: AccessRequest): Promise<boolean> {
    return this.#change((book) => {
      assertIdentity('request', p);
      const { channel, sender, name, requestedAt } = p;
      if (book.requests.length >= MAX_REQUESTS || book.requests.some((each) => isSame(each, p))) return false;
      book.requests.push({ channel, sender, ...(name !== undefined && { name: clean(name) }), requestedAt });
      return true;
    });
  }

  async listRequests(): Promise<AccessRequest[]> {
    return (await this.#read()).requests;
  }

  removeRequest(identity: Identity): Promise<boolean> {
    return this.#change((book) => removeRequest(book, identity));
  }

  async #read(): Promise<IdentityBook> {
    return this.#parse((await this.#document.read()).text);
  }

  /** Parses the text. An error names the document, because users may change it by hand. */
  #parse(text: string | undefined): IdentityBook {
    try {
      return parseIdentityBook(text);
    } catch (cause) {
      const { name } = this.#document;
      if (name === undefined || !TholeError.is(cause)) throw cause;
      throw new TholeError(cause.code, `The ${name} is not valid. ${cause.message}`, { cause });
    }
  }

  /** Reads the document. Parses it only if it has changed. */
  async #index(): Promise<UserIndex> {
    const { text } = await this.#document.read();
    if (this.#newest && this.#newest.text === text) return this.#newest;
    const { users } = this.#parse(text);
    const bySender = users.flatMap((user) => user.identities.map((each) => [keyOf(each), user] as const));
    return (this.#newest = {
      text,
      byId: new Map(users.map((user) => [user.id, user])),
      bySender: new Map(bySender),
    });
  }

  /** Applies a change to the newest document. Repeats it if another process has changed the document. Stores nothing if it throws. */
  #change<T>(change: (book: IdentityBook) => T): Promise<T> {
    return this.#queue.run('book', async () => {
      for (;;) {
        const { text, version } = await this.#document.read();
        const book = this.#parse(text);
        const result = change(book);
        const changed = `${JSON.stringify(book, null, 2)}\n`;
        if (changed === text || (await this.#document.replace(changed, version))) return result;
      }
    });
  }
}

function link(book: IdentityBook, user: User, identity: Identity): User {
  assertIdentity('identity', identity);
  const owner = book.users.find(({ identities }) => identities.some((each) => isSame(each, identity)));
  removeRequest(book, identity);
  if (owner?.id === user.id) return user;
  if (owner)
    throw new TholeError(
      'IDENTITY_TAKEN',
      `This sender on channel "${identity.channel}" belongs to user "${owner.id}". Remove it there with unlink() first.`,
    );
  const { channel, sender } = identity;
  return replace(book, { ...user, identities: [...user.identities, { channel, sender }] });
}

function removeRequest(book: IdentityBook, identity: Identity): boolean {
  const index = book.requests.findIndex((each) => isSame(each, identity));
  if (index < 0) return false;
  book.requests.splice(index, 1);
  return true;
}

function userOf(book: IdentityBook, userId: string): User {
  const user = book.users.find(({ id }) => id === userId);
  if (!user) throw new TholeError('USER_NOT_FOUND', `User "${userId}" does not exist. Create it with create().`);
  return user;
}

function replace(book: IdentityBook, user: User): User {
  book.users[book.users.findIndex(({ id }) => id === user.id)] = user;
  return user;
}

/** Returns a name for lists and prompts: one line without control characters. */
function clean(name: string): string {
  assertName('name', name);
  // oxlint-disable-next-line no-control-regex
  const line = name.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim();
  return line.slice(0, MAX_NAME_LENGTH).toWellFormed() || 'user';
}
