import type { AccessRequest, Identity, Role, User } from './user.ts';

/** Arguments of `IdentityStore.create`. */
export interface NewUser {
  name: string;
  /** Default: generated from the name, with a number if another user has or had this id. */
  id?: string | undefined;
  /** Default: `user`. */
  role?: Role | undefined;
  identities?: readonly Identity[] | undefined;
}

/**
 * Stores users and their senders on channels. Implement it for another store: new members of this interface are always optional.
 * A change is stored when its promise resolves, and concurrent changes do not overwrite each other.
 */
export interface IdentityStore {
  readonly specVersion: 1;
  /** Returns the user of a sender. Undefined if the sender is unknown. */
  find(identity: Identity): Promise<User | undefined>;
  get(userId: string): Promise<User | undefined>;
  /** Returns all users in the order in which they were created. */
  list(): Promise<User[]>;
  /**
   * Creates a user, and removes the access requests of its senders. Throws `USER_ALREADY_EXISTS` if another user has the id, and
   * `IDENTITY_TAKEN` if a sender belongs to another user.
   */
  create(user: NewUser): Promise<User>;
  /**
   * Adds a sender to a user and removes the sender's access request. Does nothing if the sender is already linked to the user. Throws
   * `USER_NOT_FOUND`, or `IDENTITY_TAKEN` if the sender belongs to another user.
   */
  link(userId: string, identity: Identity): Promise<User>;
  /** Removes a sender from its user. Returns false if no user has the sender. The user is kept, even without identities. */
  unlink(identity: Identity): Promise<boolean>;
  /** Changes the role of a user. Throws `USER_NOT_FOUND`. */
  setRole(userId: string, role: Role): Promise<User>;
  /** Changes the name of a user, but not the id. Throws `USER_NOT_FOUND`. */
  rename(userId: string, name: string): Promise<User>;
  /**
   * Deletes a user and the links to senders, but no sessions and memory: see `Dispatcher.deleteUser`. The id is not generated again
   * for another user. Returns false if the user does not exist.
   */
  delete(userId: string): Promise<boolean>;
  /** Records the access request of an unknown sender. Returns false if the sender already has one, or if the list is full. */
  request(request: AccessRequest): Promise<boolean>;
  /** Returns the access requests, oldest first. */
  listRequests(): Promise<AccessRequest[]>;
  /** Removes an access request. Returns false if the sender has none. */
  removeRequest(identity: Identity): Promise<boolean>;
}
