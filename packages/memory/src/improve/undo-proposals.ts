import { assertUser, invalidInput, isPlainObject, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { MemoryEntry, MemoryService } from '@thole/core';
import { requireMemory } from '../require-memory.ts';
import { findEntry } from './find-entry.ts';
import type { ProposalAudit } from './proposal.ts';

const undoOptionNames = optionNames<{ memory: MemoryService; audit: ProposalAudit }>({ memory: true, audit: true });

/**
 * Undoes the changes of an audit, last change first, and returns the number of undone changes. Deletes new facts and restores changed
 * or ended entries. If a new fact has ended since, the restored entry ends at that time. Does not restore what the user has deleted
 * or corrected since.
 */
export async function undoProposals(p: { memory: MemoryService; audit: ProposalAudit }): Promise<number> {
  rejectUnknownOptions(p, undoOptionNames, 'undoProposals');
  const { audit } = p;
  if (!isPlainObject(audit) || !Array.isArray(audit.changes))
    throw invalidInput('audit', 'the result of applyProposals', audit);
  assertUser(audit);
  const memory = requireMemory(p.memory, 'undoProposals');
  const user = { appName: audit.appName, userId: audit.userId };
  let undone = 0;
  for (const { added, before } of audit.changes.toReversed()) {
    const current = added && (await findEntry(memory, user, added.id));
    const deleted = added ? await memory.deleteMemory({ ...user, ids: [added.id], keepEvidence: true }) : 0;
    const target = before && (await findEntry(memory, user, before.id));
    const isRestored = target?.validTo !== undefined && target.supersededBy === added?.id;
    if (isRestored)
      await memory.addMemory({ ...user, memories: [copyEnd(target, hasEnd(current) ? current : before!)] });
    if (deleted > 0 || isRestored) undone++;
  }
  return undone;
}

function hasEnd(entry: MemoryEntry | undefined): entry is MemoryEntry {
  return entry?.validTo !== undefined || entry?.supersededBy !== undefined;
}

/** Returns a copy of an entry with the end of another entry. */
function copyEnd(entry: MemoryEntry, { validTo, supersededBy }: MemoryEntry): MemoryEntry {
  const { validTo: _, supersededBy: __, ...rest } = entry;
  return { ...rest, ...(validTo !== undefined && { validTo }), ...(supersededBy !== undefined && { supersededBy }) };
}
