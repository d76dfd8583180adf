import { isPlainObject } from '@thole/core/kit';
import type { FactOperation, FactRequest } from './fact-extractor.ts';

/** Longer sentences are no facts but transcripts. */
const MAX_FACT_CHARACTERS = 2_000;

/** What may be done, and why the rest may not. */
export interface CheckedOperations {
  accepted: FactOperation[];
  /** Reasons, without texts. */
  refused: string[];
}

/**
 * Checks operations one by one against what the extractor was shown: unknown ids, empty texts, evidence that does not exist,
 * evidence of which the user said nothing, and a second end of the same fact are refused; the others go on.
 */
export function checkOperations(
  operations: readonly unknown[],
  request: FactRequest,
  evidenceFrom: 'user' | 'anyone',
): CheckedOperations {
  const checked: CheckedOperations = { accepted: [], refused: [] };
  const ended = new Set<string>();
  for (const operation of operations) {
    const reason = wrongWith(operation, request, evidenceFrom, ended);
    if (reason !== undefined) {
      checked.refused.push(reason);
      continue;
    }
    const good = operation as FactOperation;
    if (good.op !== 'add') ended.add(good.fact);
    checked.accepted.push(good);
  }
  return checked;
}

function wrongWith(
  operation: unknown,
  { turns, before, known }: FactRequest,
  evidenceFrom: 'user' | 'anyone',
  ended: ReadonlySet<string>,
): string | undefined {
  if (!isPlainObject(operation)) return 'it is no object';
  const { op, fact, duplicateOf } = operation;
  if (op !== 'add' && op !== 'supersede' && op !== 'drop') return 'it is neither add, supersede nor drop';
  const find = (id: unknown) => known.find((one) => one.id === id);
  if (op !== 'add') {
    if (!find(fact)) return 'it names a fact that is not known';
    if (ended.has(fact as string)) return 'it ends a fact that another operation has ended';
  }
  if (op === 'drop') {
    if (find(fact)!.kind !== 'fact') return 'it drops a note, which is the user’s own';
    if (!find(duplicateOf) || duplicateOf === fact) return 'it names no other known fact as the one that stays';
    return ended.has(duplicateOf as string) ? 'it keeps a fact that another operation has ended' : undefined;
  }
  return wrongWithFact(operation, [...turns, ...before], evidenceFrom);
}

function wrongWithFact(
  { text, evidence, since }: { [name: string]: unknown },
  turns: FactRequest['turns'],
  evidenceFrom: 'user' | 'anyone',
): string | undefined {
  if (typeof text !== 'string' || text.trim() === '') return 'its text is empty';
  if (text.length > MAX_FACT_CHARACTERS) return 'its text is too long for a fact';
  if (!Array.isArray(evidence) || evidence.length === 0) return 'it has no evidence';
  const said = evidence.map((id) => turns.find((turn) => turn.id === id));
  if (said.includes(undefined)) return 'its evidence does not exist';
  if (evidenceFrom === 'user' && !said.some((turn) => turn?.author === 'user')) return 'the user said nothing of it';
  if (since !== undefined && !Number.isFinite(since)) return 'its since is no time';
  return undefined;
}
