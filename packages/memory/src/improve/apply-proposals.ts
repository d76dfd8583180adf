import { systemRuntime, textOf } from '@thole/core';
import { assertUser, invalidInput, isCurrentMemory, rejectUnknownOptions, userKeyOf } from '@thole/core/kit';
import type { MemoryEntry, MemoryService, Runtime, UserRef } from '@thole/core';
import { errorCodeOf } from '../error-code.ts';
import { fullMemory } from '../full-memory.ts';
import type { FullMemory } from '../full-memory.ts';
import { listAllMemories } from '../list-all-memories.ts';
import { findEntry } from './find-entry.ts';
import type { Proposal, ProposalAudit, ProposalChange } from './proposal.ts';
import { undoProposals } from './undo-proposals.ts';

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
  rejectUnknownOptions(options, ['memory', 'proposals', 'approvedBy', 'runtime'], 'applyProposals');
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
  const turns = await turnIdsOf(memory, user);
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
      refuse(`it could not be written (${errorCodeOf(error)})`);
    }
  }
  await takeBackForgotten(audit, { memory, user, runtime });
  return audit;
}

/** What was forgotten while it was written leaves as little as if it had been forgotten before. */
async function takeBackForgotten(
  audit: ProposalAudit,
  { memory, user, runtime }: { memory: FullMemory; user: UserRef; runtime: Runtime },
): Promise<void> {
  try {
    const turns = await turnIdsOf(memory, user);
    for (const change of [...audit.changes]) {
      const before = change.made?.evidence ?? [];
      const evidence = before.filter((id) => turns.has(id));
      if (evidence.length === before.length) continue;
      if (evidence.length > 0) {
        await memory.updateMemory({ ...user, id: change.made!.id, change: { evidence } });
        continue;
      }
      await undoProposals({ memory, audit: { ...audit, changes: [change] } });
      audit.changes.splice(audit.changes.indexOf(change), 1);
      audit.refused.push({ proposalId: change.proposal.id, reason: EVIDENCE_IS_GONE });
    }
  } catch (error) {
    // The audit tells of what was written, whatever became of this.
    runtime.logger.warn('What was forgotten while proposals were applied may be in facts.', {
      appName: user.appName,
      code: errorCodeOf(error),
    });
  }
}

const EVIDENCE_IS_GONE = 'its evidence is not in memory any more';

interface ApplyContext {
  memory: FullMemory;
  user: UserRef;
  /** Ids of what is remembered. */
  turns: ReadonlySet<string>;
  now: number;
  auditId: string;
  approvedBy: string | undefined;
}

async function changeFor(proposal: Proposal, p: ApplyContext): Promise<ProposalChange | string> {
  const { memory, user, now } = p;
  const evidence = proposal.evidence.filter((id) => p.turns.has(id));
  if (proposal.action !== 'remove' && evidence.length === 0) return EVIDENCE_IS_GONE;
  const before = proposal.target && (await findEntry(memory, user, proposal.target.id));
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
  { memory, user, now }: Omit<ApplyContext, 'turns' | 'auditId' | 'approvedBy'>,
): Promise<void> {
  if (made) await memory.addMemory({ ...user, memories: [made] });
  if (!before) return;
  const change = { validTo: Math.max(now, before.validFrom ?? -Infinity), ...(made && { supersededBy: made.id }) };
  await memory.updateMemory({ ...user, id: before.id, change });
}

function factOf(
  proposal: Proposal,
  evidence: string[],
  { now, auditId, approvedBy }: ApplyContext,
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

async function turnIdsOf(memory: FullMemory, user: UserRef): Promise<Set<string>> {
  return new Set((await listAllMemories(memory, { ...user, filter: { kinds: ['turn'] } })).map(({ id }) => id));
}

function userOf(proposals: readonly Proposal[]): UserRef {
  if (!Array.isArray(proposals) || proposals.length === 0)
    throw invalidInput('proposals', 'an array with a proposal at least', proposals);
  const [first] = proposals as readonly Proposal[];
  for (const proposal of proposals as readonly Proposal[]) {
    assertUser(proposal);
    if (userKeyOf(proposal) !== userKeyOf(first!)) throw invalidInput('proposals', 'all of one user', proposals);
  }
  return { appName: first!.appName, userId: first!.userId };
}
