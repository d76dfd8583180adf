import type { SessionRef } from '@thole/core';
import type { IdleConsolidator, MemoryCommands } from '@thole/memory';
import type { Runner } from '@thole/runner';
import type { User } from '../identity/user.ts';

/** Arguments of `createParts`. */
export interface ConversationInfo {
  user: User;
  /** Name of the channel. */
  channel: string;
  /** The session of the conversation: `{userId}:{channel}`. */
  ref: SessionRef;
}

/** The parts that answer one conversation. Made at its first message, and again after `Dispatcher.reload`. */
export interface ConversationParts {
  /** Needs `autoCreateSession: true` and `concurrency: { policy: 'join' }`. */
  runner: Runner;
  /** `commands` of `memoryParts`. Without it there are no `/remember`, `/memory`, `/forget` and `/reset`. */
  commands?: MemoryCommands | undefined;
  /** `consolidator` of `memoryParts`: adds the conversation to memory when it is idle. */
  consolidator?: IdleConsolidator | undefined;
  /** Called when the parts are replaced, or the dispatcher closes. Default: closes the runner. */
  close?: (() => Promise<void>) | undefined;
}
