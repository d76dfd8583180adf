import {
  checkUser,
  invalidInput,
  isCurrentMemory,
  isPlainObject,
  refuseUnknown,
  systemRuntime,
  textOf,
  userKeyOf,
} from '@thole/core';
import type { MemoryEntry, MemoryService, Runtime, UserRef } from '@thole/core';
import { codeOf } from '../keeping/code-of.ts';
import { fullMemory } from '../keeping/full-memory.ts';
import type { FullMemory } from '../keeping/full-memory.ts';
import { listAll } from '../keeping/list-all.ts';
import type { Proposal, ProposalAudit, ProposalChange } from './proposal.ts';

/** What was approved, and by whom. */
export interface ApplyProposalsOptions {
  memory: MemoryService;
  /** The approved ones, all of one user. */
  proposals: readonly Proposal[];
  /** Who approved them, for the audit. */
  approvedBy?: string | undefined;
  runtime?: Runtime | undefined;
}

/**
 * Writes approved proposals: additions become facts with their evidence, a correction supersedes what it corrects, and what
 * is removed ends: it leaves lists and profiles, and is found as past. One that does not fit any more, because its target was changed or forgotten or its evidence is gone, is refused,
 * and so is one that cannot be written, of which the changes tell all the same; the others go on. Answers what was done: keep it, `undoProposals` takes it.
 */
export async function applyProposals(options: ApplyProposalsOptions): Promise<ProposalAudit> {
  refuseUnknown(options, ['memory', 'proposals', 'approvedBy', 'runtime'], 'applyProposals');
  const { proposals, approvedBy, runtime = systemRuntime() } = options;
  const memory = fullMemory(options.memory, 'applyProposals');
  const user = userOf(proposals);
  const audit: ProposalAudit = {
    id: runtime.newId('audit'),
    ...user,
    appliedAt: runtime.now(),
    ...(approvedBy !== undefined && { approvedBy }),
    changes: [],
    refused: [],
  };
  const turns = new Set((await listAll(memory, { ...user, filter: { kinds: ['turn'] } })).map(({ id }) => id));
  for (const proposal of proposals) {
    const refuse = (reason: string): void => void audit.refused.push({ proposalId: proposal.id, reason });
    try {
      const change = await changeFor(proposal, {
        memory,
        user,
        turns,
        now: runtime.now(),
        auditId: audit.id,
        approvedBy,
      });
      if (typeof change === 'string') {
        refuse(change);
        continue;
      }
      // Before it is written: half of it may be, and can be undone then.
      audit.changes.push(change);
      await write(change, { memory, user, now: runtime.now() });
    } catch (error) {
      refuse(`it could not be written (${codeOf(error)})`);
    }
  }
  return audit;
}

interface Place {
  memory: FullMemory;
  user: UserRef;
  /** Ids of what is remembered. */
  turns: ReadonlySet<string>;
  now: number;
  auditId: string;
  approvedBy: string | undefined;
}

async function changeFor(proposal: Proposal, p: Place): Promise<ProposalChange | string> {
  const { memory, user, now } = p;
  const evidence = proposal.evidence.filter((id) => p.turns.has(id));
  if (proposal.action !== 'remove' && evidence.length === 0) return 'its evidence is not in memory any more';
  const before = proposal.target && (await entryOf(memory, user, proposal.target.id));
  if (proposal.target) {
    if (!before || !isCurrentMemory(before, now)) return 'what it changes is not there any more';
    if (textOf(before.content) !== textOf(proposal.target.content)) return 'what it changes says something else by now';
  }
  return {
    proposal,
    ...(proposal.action !== 'remove' && { made: factOf(proposal, evidence, p) }),
    ...(before && { before }),
  };
}

async function write(
  { made, before }: ProposalChange,
  { memory, user, now }: Omit<Place, 'turns' | 'auditId' | 'approvedBy'>,
): Promise<void> {
  if (made) await memory.addMemory({ ...user, memories: [made] });
  if (!before) return;
  const change = { validTo: Math.max(now, before.validFrom ?? -Infinity), ...(made && { supersededBy: made.id }) };
  await memory.updateMemory({ ...user, id: before.id, change });
}

function factOf(
  proposal: Proposal,
  evidence: string[],
  { now, auditId, approvedBy }: Place,
): Omit<MemoryEntry, 'score'> {
  const { id, text, reason } = proposal;
  return {
    id: `fact-of-${id}`,
    kind: 'fact',
    content: { role: 'user', parts: [{ text }] },
    timestamp: now,
    validFrom: now,
    evidence,
    customMetadata: { proposal: { id, reason, auditId, ...(approvedBy !== undefined && { approvedBy }) } },
  };
}

/**
 * Undoes what an audit tells, last change first, and answers how many changes were undone. What was made goes; what was changed
 * or ended stands again as it was before, or ends by what has ended since what was made. What the user has forgotten or corrected since is not brought back.
 */
export async function undoProposals(p: { memory: MemoryService; audit: ProposalAudit }): Promise<number> {
  refuseUnknown(p, ['memory', 'audit'], 'undoProposals');
  const { audit } = p;
  if (!isPlainObject(audit) || !Array.isArray(audit.changes))
    throw invalidInput('audit', 'what applyProposals answered', audit);
  checkUser(audit);
  const memory = fullMemory(p.memory, 'undoProposals');
  const user = { appName: audit.appName, userId: audit.userId };
  let undone = 0;
  for (const { made, before } of audit.changes.toReversed()) {
    const since = made && (await entryOf(memory, user, made.id));
    const taken = made ? await memory.deleteMemory({ ...user, ids: [made.id], keepEvidence: true }) : 0;
    const there = before && (await entryOf(memory, user, before.id));
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

async function entryOf(memory: FullMemory, user: UserRef, id: string): Promise<MemoryEntry | undefined> {
  const entries = await listAll(memory, { ...user, filter: { kinds: ['fact', 'note'] } });
  return entries.find((entry) => entry.id === id);
}

function userOf(proposals: readonly Proposal[]): UserRef {
  if (!Array.isArray(proposals) || proposals.length === 0)
    throw invalidInput('proposals', 'an array with a proposal at least', proposals);
  const [first] = proposals as readonly Proposal[];
  for (const proposal of proposals as readonly Proposal[]) {
    checkUser(proposal);
    if (userKeyOf(proposal) !== userKeyOf(first!)) throw invalidInput('proposals', 'all of one user', proposals);
  }
  return { appName: first!.appName, userId: first!.userId };
}
