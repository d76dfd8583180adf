import { systemRuntime, textOf } from '@thole/core';
import {
  assertUser,
  errorCodeOf,
  invalidInput,
  isCurrentMemory,
  optionNames,
  rejectUnknownOptions,
  userKeyOf,
} from '@thole/core/kit';
import type { MemoryEntry, MemoryService, Runtime, UserRef } from '@thole/core';
import { requireMemory } from '../require-memory.ts';
import type { FullMemory } from '../require-memory.ts';
import { listTurnIds } from '../list-all-memories.ts';
import { findEntry } from './find-entry.ts';
import type { Proposal, ProposalAudit, ProposalChange } from './proposal.ts';
import { undoProposals } from './undo-proposals.ts';

/** Options of `applyProposals`. */
export interface ApplyProposalsOptions {
  memory: MemoryService;
  /** The approved proposals, all for one user. */
  proposals: readonly Proposal[];
  /** The person who approved them, for the audit. */
  approvedBy?: string | undefined;
  runtime?: Runtime | undefined;
}

const applyOptionNames = optionNames<ApplyProposalsOptions>({
  memory: true,
  proposals: true,
  approvedBy: true,
  runtime: true,
});

/**
 * Applies approved proposals and returns an audit for `undoProposals`. An addition becomes a fact with its evidence. A correction
 * supersedes its target. A removal ends its target, which is then a past fact. Refuses a proposal whose target has changed or is
 * gone, whose evidence is gone, or that cannot be written. The audit also contains an incomplete change. Other proposals are applied.
 */
export async function applyProposals(options: ApplyProposalsOptions): Promise<ProposalAudit> {
  rejectUnknownOptions(options, applyOptionNames, 'applyProposals');
  const { proposals, approvedBy, runtime = systemRuntime() } = options;
  const memory = requireMemory(options.memory, 'applyProposals');
  const user = userOf(proposals);
  const audit: ProposalAudit = {
    id: runtime.newId('audit'),
    ...user,
    appliedAt: runtime.now(),
    ...(approvedBy !== undefined && { approvedBy }),
    changes: [],
    refused: [],
  };
  const turns = await listTurnIds(memory, user);
  for (const proposal of proposals) {
    const refuse = (reason: string): void => void audit.refused.push({ proposalId: proposal.id, reason });
    try {
      const change = await createChange(proposal, {
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
      // Recorded before writing, so that an incomplete write can be undone.
      audit.changes.push(change);
      await write(change, { memory, user, now: runtime.now() });
    } catch (error) {
      refuse(`it could not be written (${errorCodeOf(error)})`);
    }
  }
  await removeDeletedEvidence(audit, { memory, user, runtime });
  return audit;
}

/** Removes evidence that was deleted while the proposals were applied, and undoes changes without remaining evidence. */
async function removeDeletedEvidence(
  audit: ProposalAudit,
  { memory, user, runtime }: { memory: FullMemory; user: UserRef; runtime: Runtime },
): Promise<void> {
  try {
    const turns = await listTurnIds(memory, user);
    for (const change of [...audit.changes]) {
      const before = change.added?.evidence ?? [];
      const evidence = before.filter((id) => turns.has(id));
      if (evidence.length === before.length) continue;
      if (evidence.length > 0) {
        await memory.updateMemory({ ...user, id: change.added!.id, change: { evidence } });
        continue;
      }
      await undoProposals({ memory, audit: { ...audit, changes: [change] } });
      audit.changes.splice(audit.changes.indexOf(change), 1);
      audit.refused.push({ proposalId: change.proposal.id, reason: EVIDENCE_IS_GONE });
    }
  } catch (error) {
    // The audit must be returned even if this fails.
    runtime.logger.warn('Facts may contain turns that were deleted while proposals were applied.', {
      appName: user.appName,
      code: errorCodeOf(error),
    });
  }
}

const EVIDENCE_IS_GONE = 'its evidence is no longer in memory';

interface ApplyContext {
  memory: FullMemory;
  user: UserRef;
  /** Ids of the stored turns. */
  turns: ReadonlySet<string>;
  now: number;
  auditId: string;
  approvedBy: string | undefined;
}

async function createChange(proposal: Proposal, p: ApplyContext): Promise<ProposalChange | string> {
  const { memory, user, now } = p;
  const problem = findProblem(proposal);
  if (problem !== undefined) return problem;
  const evidence = proposal.evidence.filter((id) => p.turns.has(id));
  if (proposal.action !== 'remove' && evidence.length === 0) return EVIDENCE_IS_GONE;
  const before = proposal.target && (await findEntry(memory, user, proposal.target.id));
  if (proposal.target) {
    if (!before || !isCurrentMemory(before, now)) return 'its target is no longer in memory';
    if (textOf(before.content) !== textOf(proposal.target.content)) return 'its target has changed';
  }
  return {
    proposal,
    ...(proposal.action !== 'remove' && { added: factOf(proposal, evidence, p) }),
    ...(before && { before }),
  };
}

/** Returns the reason for refusing a proposal, which a review page may have changed. Undefined if it is complete. */
function findProblem({ action, text, target, evidence }: Proposal): string | undefined {
  if (action !== 'add' && action !== 'correct' && action !== 'remove')
    return 'its action is not add, correct or remove';
  if (action !== 'add' && typeof target?.id !== 'string') return 'it has no target';
  if (action !== 'remove' && (typeof text !== 'string' || text.trim() === '')) return 'its text is empty';
  return Array.isArray(evidence) ? undefined : 'it has no evidence';
}

async function write(
  { added, before }: ProposalChange,
  { memory, user, now }: Pick<ApplyContext, 'memory' | 'user' | 'now'>,
): Promise<void> {
  // A redacting memory does not store a fact without remaining text.
  if (added && (await memory.addMemory({ ...user, memories: [added] })).length === 0) return;
  if (!before) return;
  const change = { validTo: Math.max(now, before.validFrom ?? -Infinity), ...(added && { supersededBy: added.id }) };
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

function userOf(proposals: readonly Proposal[]): UserRef {
  if (!Array.isArray(proposals) || proposals.length === 0)
    throw invalidInput('proposals', 'an array with at least one proposal', proposals);
  const [first] = proposals as readonly Proposal[];
  for (const proposal of proposals as readonly Proposal[]) {
    assertUser(proposal);
    if (userKeyOf(proposal) !== userKeyOf(first!)) throw invalidInput('proposals', 'proposals for one user', proposals);
  }
  return { appName: first!.appName, userId: first!.userId };
}
