import { textOf } from '@thole/core';
import type { MemoryEntry, UserRef } from '@thole/core';
import type { FullMemory } from '../full-memory.ts';
import { listAllMemories } from '../list-all-memories.ts';
import type { FactOperation, FactRequest } from './fact-extractor.ts';
import { factId, normalized } from './fact-id.ts';

/** Where operations are applied. */
export interface ApplyContext {
  memory: FullMemory;
  user: UserRef;
  sessionId: string;
  /** Every fact and note that is true now, shown to the extractor or not. */
  current: readonly MemoryEntry[];
  request: FactRequest;
}

/** How many of the operations did what. */
export interface AppliedCounts {
  added: number;
  superseded: number;
  dropped: number;
}

/**
 * Applies checked operations. Nothing is made of turns that were forgotten meanwhile, before or while it is at it. Done again
 * after a crash in the middle it comes to the same.
 */
export async function applyOperations(operations: readonly FactOperation[], p: ApplyContext): Promise<AppliedCounts> {
  const { memory, user } = p;
  const present = await turnIdsOf(p);
  const plan = planOf(operations, p, present);
  if (plan.made.size > 0) await memory.addMemory({ ...user, memories: [...plan.made.values()] });
  for (const [id, evidence] of plan.confirmed) await memory.updateMemory({ ...user, id, change: { evidence } });
  // What another process forgot between the first look and the writing took no fact along that was not there yet.
  const still = plan.made.size + plan.confirmed.size > 0 ? await turnIdsOf(p) : present;
  const lost = new Set([...present].filter((id) => !still.has(id)));
  if (lost.size > 0) await takeBack(plan, lost, p);

  const applied = { added: plan.made.size, superseded: 0, dropped: 0 };
  for (const { old, by, at } of plan.superseded) {
    if (!plan.made.has(by) && !p.current.some(({ id }) => id === by)) continue;
    const validTo = Math.max(at, old.validFrom ?? -Infinity);
    await memory.updateMemory({ ...user, id: old.id, change: { validTo, supersededBy: by } });
    applied.superseded++;
  }
  for (const { fact, into } of plan.dropped) {
    const evidence = [...new Set([...(into.evidence ?? []), ...(fact.evidence ?? [])])];
    if (into.kind === 'fact') await memory.updateMemory({ ...user, id: into.id, change: { evidence } });
    await redirect(fact.id, into.id, p);
    await memory.deleteMemory({ ...user, ids: [fact.id], keepEvidence: true });
    applied.dropped++;
  }
  return applied;
}

interface Plan {
  /** New facts by id. */
  made: Map<string, MemoryEntry>;
  /** Known facts that have more evidence now: all of it. */
  confirmed: Map<string, string[]>;
  /** What ended, by which entry, and when. */
  superseded: { old: MemoryEntry; by: string; at: number }[];
  dropped: { fact: MemoryEntry; into: MemoryEntry }[];
}

function planOf(operations: readonly FactOperation[], p: ApplyContext, present: ReadonlySet<string>): Plan {
  const plan: Plan = { made: new Map(), confirmed: new Map(), superseded: [], dropped: [] };
  const byId = new Map(p.current.map((entry) => [entry.id, entry]));
  const byText = new Map(p.current.map((entry) => [normalized(textOf(entry.content)), entry]));
  for (const operation of operations) {
    if (operation.op === 'drop') {
      plan.dropped.push({ fact: byId.get(operation.fact)!, into: byId.get(operation.duplicateOf)! });
      continue;
    }
    const evidence = [...new Set(operation.evidence)].filter((id) => present.has(id));
    if (evidence.length === 0) continue;
    const twin = byText.get(normalized(operation.text));
    const made = newFact(operation, evidence, p.request);
    // A crash may have left the fact made and the old one not ended; what is said twice in one answer is confirmed.
    const known = twin && (twin.id !== made.id || plan.made.has(made.id)) ? twin : undefined;
    if (known) confirm(plan, known, evidence);
    else plan.made.set(made.id, made);
    byText.set(normalized(operation.text), known ?? made);
    const by = (known ?? made).id;
    if (operation.op === 'supersede' && operation.fact !== by)
      plan.superseded.push({ old: byId.get(operation.fact)!, by, at: made.validFrom! });
  }
  return plan;
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
    id: factId(text, evidence),
    kind: 'fact',
    content,
    timestamp,
    evidence,
    validFrom: since ?? timestamp,
  };
}

/** A note is kept as it is; a fact that was said again rests on more. */
function confirm(plan: Plan, known: MemoryEntry, evidence: readonly string[]): void {
  if (known.kind !== 'fact') return;
  const made = plan.made.get(known.id);
  const before = made?.evidence ?? plan.confirmed.get(known.id) ?? known.evidence ?? [];
  const all = [...new Set([...before, ...evidence])];
  if (made) made.evidence = all;
  else if (all.length > before.length) plan.confirmed.set(known.id, all);
}

async function takeBack(plan: Plan, lost: ReadonlySet<string>, { memory, user }: ApplyContext): Promise<void> {
  const written = [...[...plan.made].map(([id, { evidence = [] }]) => [id, evidence] as const), ...plan.confirmed];
  const ids: string[] = [];
  for (const [id, before] of written) {
    const evidence = before.filter((one) => !lost.has(one));
    if (evidence.length === before.length) continue;
    if (evidence.length > 0) await memory.updateMemory({ ...user, id, change: { evidence } });
    else ids.push(id);
  }
  for (const id of ids) plan.made.delete(id);
  if (ids.length > 0) await memory.deleteMemory({ ...user, ids, keepEvidence: true });
}

/** What ended by one fact has ended by the other. */
async function redirect(from: string, to: string, { memory, user }: ApplyContext): Promise<void> {
  for (const { id, supersededBy } of await listAllMemories(memory, { ...user, filter: { kinds: ['fact', 'note'] } }))
    if (supersededBy === from) await memory.updateMemory({ ...user, id, change: { supersededBy: to } });
}

async function turnIdsOf({ memory, user, sessionId }: ApplyContext): Promise<Set<string>> {
  const turns = await listAllMemories(memory, { ...user, filter: { kinds: ['turn'], sessionId } });
  return new Set(turns.map(({ id }) => id));
}
