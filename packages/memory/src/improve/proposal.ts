import type { MemoryEntry } from '@thole/core';

/** Something that memory might better say, with the reason and what was said that speaks for it. Plain JSON, for a person to look at. */
export interface Proposal {
  id: string;
  appName: string;
  userId: string;
  /** `add` a fact, `correct` one that is not true or not any more, or `remove` one that should not be there. */
  action: 'add' | 'correct' | 'remove';
  /** What the fact is to say; empty for `remove`. */
  text: string;
  /** The entry that is corrected or removed, as it stood. */
  target?: MemoryEntry | undefined;
  /** Why, in a sentence. */
  reason: string;
  /** Ids of the remembered turns that speak for it. */
  evidence: string[];
  /** Seconds since the epoch. */
  proposedAt: number;
}

/** What was done with approved proposals: enough to undo it, to be kept by whoever approved them. Plain JSON. */
export interface ProposalAudit {
  id: string;
  appName: string;
  userId: string;
  /** Seconds since the epoch. */
  appliedAt: number;
  approvedBy?: string | undefined;
  changes: ProposalChange[];
  /** What could not be done, and why. */
  refused: { proposalId: string; reason: string }[];
}

/** One entry's change. */
export interface ProposalChange {
  proposal: Proposal;
  /** The entry that was made. */
  made?: MemoryEntry | undefined;
  /** The entry that was changed or removed, as it stood right before. */
  before?: MemoryEntry | undefined;
}
