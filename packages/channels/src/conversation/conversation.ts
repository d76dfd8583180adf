import type { SessionRef } from '@thole/core';
import type { User } from '../identity/user.ts';
import type { StoredMessage } from '../delivery/delivery-store.ts';

/**
 * One user on one channel. Handles stored messages in order: commands at once, other messages with the runner. Created by the
 * dispatcher.
 */
export declare class Conversation {
  readonly user: User;
  readonly channel: string;
  /** Session id: `{userId}:{channel}`. */
  readonly ref: SessionRef;
  /** Handles a stored message. Returns at once; `idle` waits. */
  handle(message: StoredMessage): void;
  /** Resolves when all messages are handled. */
  idle(): Promise<void>;
}
