import { mergeTurns } from './rag-lines.ts';
import type { RagTurn } from './rag-lines.ts';

/** A passage of a session that the service found. */
export interface Passage {
  /** Name of the session's file. */
  readonly file: string;
  readonly turns: ReadonlyMap<string, RagTurn>;
  readonly score: number;
}

/**
 * Merges passages of one session that share a turn. The turns of a passage are in the order of time; the passages are in
 * the order of their best score. Of equal scores, newer passages come first.
 */
export function mergePassages(found: readonly Passage[]): { turns: RagTurn[]; score: number }[] {
  const merged: { file: string; turns: Map<string, RagTurn>; score: number }[] = [];
  for (const { file, turns, score } of found) {
    const passage = { file, turns: new Map(turns), score };
    for (let i = merged.length - 1; i >= 0; i--) {
      const other = merged[i]!;
      if (other.file !== file || ![...other.turns.keys()].some((id) => passage.turns.has(id))) continue;
      passage.turns = merge(other.turns, passage.turns);
      passage.score = Math.max(passage.score, other.score);
      merged.splice(i, 1);
    }
    merged.push(passage);
  }
  return merged
    .filter(({ turns }) => turns.size > 0)
    .map(({ turns, score }) => ({ turns: [...turns.values()].sort(compareTurns), score }))
    .sort((a, b) => b.score - a.score || timeOf(b.turns.at(-1)!) - timeOf(a.turns.at(-1)!));
}

function merge(a: ReadonlyMap<string, RagTurn>, b: ReadonlyMap<string, RagTurn>): Map<string, RagTurn> {
  const turns = new Map(a);
  for (const [id, turn] of b) turns.set(id, mergeTurns(turns.get(id), turn));
  return turns;
}

function compareTurns(a: RagTurn, b: RagTurn): number {
  return timeOf(a) - timeOf(b) || a.seq - b.seq;
}

function timeOf({ entry }: RagTurn): number {
  return entry.timestamp!;
}
