/** The role of a user. The app decides what a role may do, for example with `SlashCommand.roles`. */
export type Role = 'admin' | 'user' | 'guest';

/** A sender on a channel. */
export interface Identity {
  channel: string;
  /** Id of the person on the channel, such as a phone number. */
  sender: string;
}

/** A person with all identities. Memory is stored under `id`, so all channels of a person share it. */
export interface User {
  /** Id that never changes: at most 64 lower-case letters, digits and `-`. Part of session ids. */
  id: string;
  name: string;
  role: Role;
  identities: readonly Identity[];
  /** Seconds since the epoch. */
  createdAt: number;
}

/** An unknown sender who waits for approval. */
export interface AccessRequest extends Identity {
  /** Name of the sender, from the channel. Not verified. */
  name?: string | undefined;
  /** Seconds since the epoch. */
  requestedAt: number;
}
