import { textOf } from '@thole/core';
import { normalizeStatement } from '@thole/core/kit';
import type { MemoryEntry, UserRef } from '@thole/core';
import type { FullMemory } from '../require-memory.ts';
import { listAllMemories, listTurnIds } from '../list-all-memories.ts';
import type { FactOperation, FactRequest } from './fact-extractor.ts';
import { computeFactId } from './fact-id.ts';

/** Input of `applyOperations` in addition to the operations. */
export interface ApplyContext {
  memory: FullMemory;
  user: UserRef;
  sessionId: string;
  /** All current facts and notes, including facts that the extractor has not received. */
  current: readonly MemoryEntry[];
  request: FactRequest;
}

/** Number of applied operations of each kind. */
export interface AppliedCounts {
  added: number;
  superseded: number;
  dropped: number;
}

/**
 * Applies checked operations. Creates no fact from turns that are deleted meanwhile. A repeated call after a crash has the same
 * result as one complete call.
 */
export async function applyOperations(operations: readonly FactOperation[], p: ApplyContext): Promise<AppliedCounts> {
  const { memory, user } = p;
  const turnIds = await listTurnIds(memory, user, p.sessionId);
  const plan = createPlan(operations, p, turnIds);
  if (plan.newFacts.size > 0) await memory.addMemory({ ...user, memories: [...plan.newFacts.values()] });
  for (const [id, evidence] of plan.confirmed) await memory.updateMemory({ ...user, id, change: { evidence } });
  // A process that deleted turns after the first read could not delete these facts: they were not written yet.
  const remaining =
    plan.newFacts.size + plan.confirmed.size > 0 ? await listTurnIds(memory, user, p.sessionId) : turnIds;
  const deleted = new Set([...turnIds].filter((id) => !remaining.has(id)));
  if (deleted.size > 0) await removeEvidence(plan, deleted, p);

  const applied = { added: plan.newFacts.size, superseded: 0, dropped: 0 };
  for (const { old, newId, endsAt } of plan.superseded) {
    // Read now: the user may have deleted the replacement while the extractor worked. Then the old fact does not end.
    if (!(await memory.getMemory({ ...user, id: newId }))) continue;
    const validTo = Math.max(endsAt, old.validFrom ?? -Infinity);
    await memory.updateMemory({ ...user, id: old.id, change: { validTo, supersededBy: newId } });
    applied.superseded++;
  }
  for (const { factId, duplicateOf } of plan.dropped) {
    // Read now: other operations may have changed the evidence, and the user may have deleted one of the facts.
    const fact = await memory.getMemory({ ...user, id: factId });
    const remainingFact = await memory.getMemory({ ...user, id: duplicateOf });
    if (!fact || !remainingFact) continue;
    const evidence = [...new Set([...(remainingFact.evidence ?? []), ...(fact.evidence ?? [])])];
    if (remainingFact.kind === 'fact') await memory.updateMemory({ ...user, id: duplicateOf, change: { evidence } });
    await redirectSuperseded(fact.id, duplicateOf, p);
    await memory.deleteMemory({ ...user, ids: [fact.id], keepEvidence: true });
    applied.dropped++;
  }
  return applied;
}

interface Plan {
  /** New facts by id. */
  newFacts: Map<string, MemoryEntry>;
  /** Complete evidence of the known facts that get new evidence, by id. */
  confirmed: Map<string, string[]>;
  /** Entries that have ended, the id of the entry that replaces them, and the time. */
  superseded: { old: MemoryEntry; newId: string; endsAt: number }[];
  dropped: { factId: string; duplicateOf: string }[];
}

function createPlan(operations: readonly FactOperation[], p: ApplyContext, turnIds: ReadonlySet<string>): Plan {
  const plan: Plan = { newFacts: new Map(), confirmed: new Map(), superseded: [], dropped: [] };
  const byId = new Map(p.current.map((entry) => [entry.id, entry]));
  // Of equal texts, the entry without an end counts.
  const inOrder = p.current.toSorted((a, b) => Number(hasReplacement(b)) - Number(hasReplacement(a)));
  const byText = new Map(inOrder.map((entry) => [normalizeStatement(textOf(entry.content)), entry]));
  for (const operation of operations) {
    if (operation.op === 'drop') {
      plan.dropped.push({ factId: operation.fact, duplicateOf: operation.duplicateOf });
      continue;
    }
    const evidence = [...new Set(operation.evidence)].filter((id) => turnIds.has(id));
    if (evidence.length === 0) continue;
    let sameText = byText.get(normalizeStatement(operation.text));
    const fact = newFact(operation, evidence, p.request);
    // The fact that ends must not replace its own replacement, because then both would end. The text becomes a new fact.
    if (operation.op === 'supersede' && sameText && isReplacedBy(sameText.id, operation.fact, byId, plan)) {
      if (sameText.id === fact.id) continue;
      sameText = undefined;
    }
    // The same id means that a crash interrupted an earlier call after it wrote the fact: the fact is written again. A fact that
    // occurs twice in one answer gets more evidence instead.
    const known = sameText && (sameText.id !== fact.id || plan.newFacts.has(fact.id)) ? sameText : undefined;
    if (known) confirm(plan, known, evidence);
    else plan.newFacts.set(fact.id, fact);
    byText.set(normalizeStatement(operation.text), known ?? fact);
    const newId = (known ?? fact).id;
    if (operation.op === 'supersede' && operation.fact !== newId)
      plan.superseded.push({ old: byId.get(operation.fact)!, newId, endsAt: fact.validFrom! });
  }
  return plan;
}

function hasReplacement({ supersededBy }: MemoryEntry): boolean {
  return supersededBy !== undefined;
}

/** True if an entry is replaced by another one, directly or through other entries, in memory or in the plan. */
function isReplacedBy(id: string, otherId: string, byId: ReadonlyMap<string, MemoryEntry>, plan: Plan): boolean {
  const seen = new Set<string>();
  for (let next: string | undefined = id; next !== undefined && !seen.has(next);) {
    seen.add(next);
    const planned = plan.superseded.find(({ old }) => old.id === next);
    next = planned?.newId ?? byId.get(next)?.supersededBy;
    if (next === otherId) return true;
  }
  return false;
}

function newFact(
  { text, since }: Exclude<FactOperation, { op: 'drop' }>,
  evidence: string[],
  { turns, before, now }: FactRequest,
): MemoryEntry {
  const times = [...turns, ...before].flatMap(({ id, timestamp }) => (evidence.includes(id) ? (timestamp ?? []) : []));
  const timestamp = times.length > 0 ? Math.max(...times) : now;
  const content = { role: 'user' as const, parts: [{ text: text.trim() }] };
  return {
    id: computeFactId(text, evidence),
    kind: 'fact',
    content,
    timestamp,
    evidence,
    validFrom: since ?? timestamp,
  };
}

/** Adds evidence to a known fact. Notes have no evidence. */
function confirm(plan: Plan, known: MemoryEntry, evidence: readonly string[]): void {
  if (known.kind !== 'fact') return;
  const fact = plan.newFacts.get(known.id);
  const before = fact?.evidence ?? plan.confirmed.get(known.id) ?? known.evidence ?? [];
  const all = [...new Set([...before, ...evidence])];
  if (fact) fact.evidence = all;
  else if (all.length > before.length) plan.confirmed.set(known.id, all);
}

/** Removes deleted turns from the evidence of written facts, and deletes facts without remaining evidence. */
async function removeEvidence(plan: Plan, deleted: ReadonlySet<string>, { memory, user }: ApplyContext): Promise<void> {
  const written = [...[...plan.newFacts].map(([id, { evidence = [] }]) => [id, evidence] as const), ...plan.confirmed];
  const ids: string[] = [];
  for (const [id, before] of written) {
    const evidence = before.filter((turnId) => !deleted.has(turnId));
    if (evidence.length === before.length) continue;
    if (evidence.length > 0) await memory.updateMemory({ ...user, id, change: { evidence } });
    else ids.push(id);
  }
  for (const id of ids) plan.newFacts.delete(id);
  if (ids.length > 0) await memory.deleteMemory({ ...user, ids, keepEvidence: true });
}

/** Changes `supersededBy` of all entries from one fact to another. */
async function redirectSuperseded(from: string, to: string, { memory, user }: ApplyContext): Promise<void> {
  for (const { id, supersededBy } of await listAllMemories(memory, { ...user, filter: { kinds: ['fact', 'note'] } }))
    if (supersededBy === from) await memory.updateMemory({ ...user, id, change: { supersededBy: to } });
}
