import { isPlainObject } from '@thole/core/kit';
import type { FactOperation, FactRequest } from './fact-extractor.ts';

/** A longer text is a transcript, not a fact. */
const MAX_FACT_CHARACTERS = 2_000;

/** The result of `checkOperations`. */
export interface CheckedOperations {
  accepted: FactOperation[];
  /** The reason for each rejected operation, without its texts. */
  rejected: string[];
}

/**
 * Checks each operation against the request of the extractor. Rejects unknown ids, empty texts, missing evidence, evidence without a
 * turn of the user (unless `evidenceFrom` is `anyone`), and a second operation that ends the same fact. Accepts all others.
 */
export function checkOperations(
  operations: readonly unknown[],
  request: FactRequest,
  evidenceFrom: 'user' | 'anyone',
): CheckedOperations {
  const checked: CheckedOperations = { accepted: [], rejected: [] };
  const endedFacts = new Set<string>();
  for (const operation of operations) {
    const reason = rejectionOf(operation, request, evidenceFrom, endedFacts);
    if (reason !== undefined) {
      checked.rejected.push(reason);
      continue;
    }
    const valid = operation as FactOperation;
    if (valid.op !== 'add') endedFacts.add(valid.fact);
    checked.accepted.push(valid);
  }
  return checked;
}

/** Returns the reason for rejecting an operation. Undefined if it is valid. */
function rejectionOf(
  operation: unknown,
  { turns, before, known }: FactRequest,
  evidenceFrom: 'user' | 'anyone',
  endedFacts: ReadonlySet<string>,
): string | undefined {
  if (!isPlainObject(operation)) return 'it is not an object';
  const { op, fact, duplicateOf } = operation;
  if (op !== 'add' && op !== 'supersede' && op !== 'drop') return 'its op is not add, supersede or drop';
  const find = (id: unknown) => known.find((fact) => fact.id === id);
  if (op !== 'add') {
    if (!find(fact)) return 'its fact is not a known fact';
    if (endedFacts.has(fact as string)) return 'another operation has already ended its fact';
  }
  if (op === 'drop') {
    if (find(fact)!.kind !== 'fact') return 'it drops a note; notes belong to the user';
    if (!find(duplicateOf) || duplicateOf === fact) return 'its duplicateOf is not another known fact';
    return endedFacts.has(duplicateOf as string) ? 'another operation has already ended its duplicateOf' : undefined;
  }
  return rejectionOfFact(operation, [...turns, ...before], evidenceFrom);
}

function rejectionOfFact(
  { text, evidence, since }: { [name: string]: unknown },
  turns: FactRequest['turns'],
  evidenceFrom: 'user' | 'anyone',
): string | undefined {
  if (typeof text !== 'string' || text.trim() === '') return 'its text is empty';
  if (text.length > MAX_FACT_CHARACTERS) return 'its text is too long for a fact';
  if (!Array.isArray(evidence) || evidence.length === 0) return 'it has no evidence';
  const evidenceTurns = evidence.map((id) => turns.find((turn) => turn.id === id));
  if (evidenceTurns.includes(undefined)) return 'its evidence does not exist';
  if (evidenceFrom === 'user' && !evidenceTurns.some((turn) => turn?.author === 'user'))
    return 'its evidence has no turn of the user';
  if (since !== undefined && !Number.isFinite(since)) return 'its since is not a time';
  return undefined;
}
