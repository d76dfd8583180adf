import type { MemoryEntry } from '@thole/core';

/** A proposed change to memory with its reason and evidence, for a person to approve. Plain JSON. */
export interface Proposal {
  id: string;
  appName: string;
  userId: string;
  /** `add` adds a fact, `correct` replaces a wrong or outdated one, `remove` ends one that should not be in memory. */
  action: 'add' | 'correct' | 'remove';
  /** The new text; empty for `remove`. */
  text: string;
  /** The entry to correct or remove, as it was when the change was proposed. */
  target?: MemoryEntry | undefined;
  /** The reason in one sentence. */
  reason: string;
  /** Ids of the stored turns that support the change. */
  evidence: string[];
  /** Seconds since the epoch. */
  proposedAt: number;
}

/** A record of applied proposals with the data that `undoProposals` needs. Plain JSON. */
export interface ProposalAudit {
  id: string;
  appName: string;
  userId: string;
  /** Seconds since the epoch. */
  appliedAt: number;
  approvedBy?: string | undefined;
  changes: ProposalChange[];
  /** Proposals that were not applied, with the reason. */
  refused: { proposalId: string; reason: string }[];
}

/** The change of one proposal. */
export interface ProposalChange {
  proposal: Proposal;
  /** The new entry. */
  added?: MemoryEntry | undefined;
  /** The changed or removed entry before the change. */
  before?: MemoryEntry | undefined;
}
