import { clipToTokens, estimateTokens } from '@thole/core/kit';
import type { FactTurn } from './fact-extractor.ts';

/** The turns of one call of the extractor. */
export interface Batch {
  turns: FactTurn[];
  /** The turns directly before these turns, as context. */
  before: FactTurn[];
}

/** Tokens of a turn's author and time. */
const HEADING_TOKENS = 10;

/**
 * Splits the new turns of a session into batches of at most `batchTokens`, in order. A longer turn is clipped and has a separate
 * batch. Each batch also gets the turns directly before it, up to `contextTokens`.
 */
export function batchTurns(
  turns: readonly { turn: FactTurn; isNew: boolean }[],
  budget: { batchTokens: number; contextTokens: number },
): Batch[] {
  const batches: Batch[] = [];
  let remaining = 0;
  turns.forEach(({ turn, isNew }, i) => {
    if (!isNew) return;
    const clipped = { ...turn, text: clipToTokens(turn.text, budget.batchTokens) };
    const cost = costOf(clipped);
    if (batches.length === 0 || cost > remaining) {
      batches.push({ turns: [], before: turnsBefore(turns, i, budget.contextTokens) });
      remaining = budget.batchTokens;
    }
    batches.at(-1)!.turns.push(clipped);
    remaining -= cost;
  });
  return batches;
}

function turnsBefore(turns: readonly { turn: FactTurn }[], end: number, tokens: number): FactTurn[] {
  let remaining = tokens;
  let start = end;
  while (start > 0 && costOf(turns[start - 1]!.turn) <= remaining) remaining -= costOf(turns[--start]!.turn);
  return turns.slice(start, end).map(({ turn }) => turn);
}

const costOf = ({ text }: FactTurn): number => HEADING_TOKENS + estimateTokens(text);
