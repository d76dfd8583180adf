import type { UserRef } from '../session/session-service.ts';

/** Names a record of a user: a credential or a sign-in that has begun. */
export interface CredentialRecordKey extends UserRef {
  kind: 'credential' | 'signIn';
  name: string;
}

/** A stored text, usually encrypted. */
export interface CredentialRecord {
  content: string;
  /** Time in seconds since the epoch after which the store may remove the record. */
  expiresAt?: number | undefined;
}

/**
 * The interface of a database that stores credentials. Others implement it, so it only ever gains optional members.
 */
export interface CredentialStore {
  readonly specVersion: 1;
  /** Stores or replaces a record. May remove records of this user that expired before `now`, in seconds since the epoch. */
  put(key: CredentialRecordKey, record: CredentialRecord, now: number): Promise<void>;
  /** Returns a record, also one that has expired and was not removed yet. */
  get(key: CredentialRecordKey): Promise<CredentialRecord | undefined>;
  /** Returns the names of a user's records of one kind. */
  names(scope: UserRef & Pick<CredentialRecordKey, 'kind'>): Promise<string[]>;
  remove(key: CredentialRecordKey): Promise<void>;
  /** Removes all records of a user. */
  removeAll(user: UserRef): Promise<void>;
}
