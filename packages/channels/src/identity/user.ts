/** The rights of a user. The app decides what a role means; `admin` may also approve unknown senders. */
export type Role = 'admin' | 'user' | 'guest';

/** A sender on a channel. */
export interface Identity {
  channel: string;
  /** The channel's own id of the person. */
  sender: string;
}

/** A person, with all identities. Memory belongs to `id`, so that all channels of a person share it. */
export interface User {
  /** Permanent id: lower-case letters, digits and `-`. Part of session ids. */
  id: string;
  name: string;
  role: Role;
  identities: readonly Identity[];
  /** Seconds since the epoch. */
  createdAt: number;
}

/** An unknown sender who waits for approval. */
export interface AccessRequest extends Identity {
  /** Name of the sender, as the channel shows it. Not verified. */
  name?: string | undefined;
  /** Seconds since the epoch. */
  requestedAt: number;
}
