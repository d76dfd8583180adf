import type { MemoryEntry, UserRef } from '@thole/core';
import type { Correction } from './correct-memory.ts';

/** What can be done with a memory of this user; each answers whether it was done. */
export interface MemoryActions {
  user: UserRef;
  /** Facts, past ones too, and notes, as far as they were read. */
  known: readonly MemoryEntry[];
  correct(entry: MemoryEntry, text: string, correction: Correction): Promise<boolean>;
  forget(entry: MemoryEntry, p: { keepEvidence: boolean }): Promise<boolean>;
}
