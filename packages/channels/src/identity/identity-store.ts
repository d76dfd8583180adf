import type { AccessRequest, Identity, Role, User } from './user.ts';

/** Arguments of `IdentityStore.create`. */
export interface NewUser {
  name: string;
  /** Default: made from the name, with a number if it is taken. */
  id?: string | undefined;
  /** Default: `user`. */
  role?: Role | undefined;
  identities?: readonly Identity[] | undefined;
}

/**
 * Knows which sender on which channel is which user. Others implement this interface, so it only ever gains optional members.
 * Every change is stored when the promise resolves, and concurrent changes do not overwrite each other.
 */
export interface IdentityStore {
  readonly specVersion: 1;
  /** Returns the user of a sender. */
  find(identity: Identity): Promise<User | undefined>;
  get(userId: string): Promise<User | undefined>;
  /** Returns all users in the order in which they were created. */
  list(): Promise<User[]>;
  /** Creates a user, and removes the access requests of its senders. Throws `USER_ALREADY_EXISTS` if the id is taken, `IDENTITY_TAKEN` if a sender belongs to another user. */
  create(user: NewUser): Promise<User>;
  /**
   * Adds a sender to a user and removes the sender's access request. Does nothing if it is linked already. Throws
   * `USER_NOT_FOUND`, or `IDENTITY_TAKEN` if the sender belongs to another user.
   */
  link(userId: string, identity: Identity): Promise<User>;
  /** Removes a sender from its user. Returns false if no user has it. The user stays, also without identities. */
  unlink(identity: Identity): Promise<boolean>;
  /** Throws `USER_NOT_FOUND`. */
  setRole(userId: string, role: Role): Promise<User>;
  /** Throws `USER_NOT_FOUND`. The id stays. */
  rename(userId: string, name: string): Promise<User>;
  /**
   * Removes a user and the links. Sessions and memory stay: see `Dispatcher.deleteUser`. The id is not chosen for another user.
   * Returns false if there is no such user.
   */
  delete(userId: string): Promise<boolean>;
  /** Records that an unknown sender asks for access. Returns false if it is recorded already, or the list is full. */
  request(request: AccessRequest): Promise<boolean>;
  /** Returns the access requests, oldest first. */
  listRequests(): Promise<AccessRequest[]>;
  /** Removes an access request. Returns false if there is none. */
  removeRequest(identity: Identity): Promise<boolean>;
}
