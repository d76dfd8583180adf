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

/** The runner and the memory parts of a conversation. Several conversations may share them. */
export interface ConversationParts {
  /** Runner with the options `autoCreateSession: true` and `concurrency: { policy: 'join' }`. */
  runner: Runner;
  /** `commands` of `memoryParts`. Without it, `/remember`, `/memory`, `/forget` and `/reset` do not exist. */
  commands?: MemoryCommands | undefined;
  /** `consolidator` of `memoryParts`. It adds the conversation to memory when it is idle. */
  consolidator?: IdleConsolidator | undefined;
  /** Called when no conversation uses the parts any more, or the dispatcher closes. Default: closes the runner. */
  close?: (() => Promise<void>) | undefined;
}
