import type { MemoryEntry, UserRef } from '@thole/core';
import type { Correction } from './correct-memory.ts';

/** Actions on this user's memories. Each returns true if it succeeded. */
export interface MemoryActions {
  user: UserRef;
  /** Facts and notes read so far, including past facts. */
  known: readonly MemoryEntry[];
  correct(entry: MemoryEntry, text: string, correction: Correction): Promise<boolean>;
  forget(entry: MemoryEntry, p: { keepEvidence: boolean }): Promise<boolean>;
}
