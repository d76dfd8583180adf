import { assertUser, invalidInput, isPlainObject, rejectUnknownOptions } from '@thole/core/kit';
import type { MemoryEntry, MemoryService } from '@thole/core';
import { fullMemory } from '../full-memory.ts';
import { findEntry } from './find-entry.ts';
import type { ProposalAudit } from './proposal.ts';

/**
 * Undoes what an audit tells, last change first, and answers how many changes were undone. What was made goes; what was changed
 * or ended stands again as it was before, or ends by what has ended since what was made. What the user has forgotten or corrected since is not brought back.
 */
export async function undoProposals(p: { memory: MemoryService; audit: ProposalAudit }): Promise<number> {
  rejectUnknownOptions(p, ['memory', 'audit'], 'undoProposals');
  const { audit } = p;
  if (!isPlainObject(audit) || !Array.isArray(audit.changes))
    throw invalidInput('audit', 'what applyProposals answered', audit);
  assertUser(audit);
  const memory = fullMemory(p.memory, 'undoProposals');
  const user = { appName: audit.appName, userId: audit.userId };
  let undone = 0;
  for (const { made, before } of audit.changes.toReversed()) {
    const since = made && (await findEntry(memory, user, made.id));
    const taken = made ? await memory.deleteMemory({ ...user, ids: [made.id], keepEvidence: true }) : 0;
    const there = before && (await findEntry(memory, user, before.id));
    const isToStand = there?.validTo !== undefined && there.supersededBy === made?.id;
    if (isToStand) await memory.addMemory({ ...user, memories: [withEndOf(there, hasEnd(since) ? since : before!)] });
    if (taken > 0 || isToStand) undone++;
  }
  return undone;
}

function hasEnd(entry: MemoryEntry | undefined): entry is MemoryEntry {
  return entry?.validTo !== undefined || entry?.supersededBy !== undefined;
}

/** The entry as it stands now, which may have been corrected and rest on less by now, with the end of another. */
function withEndOf(entry: MemoryEntry, { validTo, supersededBy }: MemoryEntry): MemoryEntry {
  const { validTo: _, supersededBy: __, ...rest } = entry;
  return { ...rest, ...(validTo !== undefined && { validTo }), ...(supersededBy !== undefined && { supersededBy }) };
}
