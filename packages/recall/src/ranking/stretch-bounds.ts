import { ABOUT, AHEAD, ASKED, BOUNDS, OWN, PHRASE, SCORE, THEN, WINDOW } from './ranking-room.ts';
import type { RankingRoom } from './ranking-room.ts';
import type { RecallIndex } from './recall-index.ts';

/** Bounds are added up in another order than scores, and may come out smaller by what is lost in rounding. */
export const ROUNDING = 1e-9;

/** What is told only by reading turns, as numbered in SIGNALS, and what binds it. */
const READ: readonly { signal: number; most: number }[] = [
  { signal: 0, most: OWN },
  { signal: 1, most: WINDOW },
  { signal: 4, most: ASKED },
  { signal: 5, most: AHEAD },
  { signal: 6, most: PHRASE },
];
/** What most queries do not have. */
const LESS_COMMON: typeof READ = [
  { signal: 5, most: AHEAD },
  { signal: 6, most: PHRASE },
  { signal: 7, most: THEN },
  { signal: 8, most: ABOUT },
];

/** Has the bounds of stretches that stand beside others say what they mean: what is answered, or lies ahead, may stand in the one beside. */
export function settleJoined({ turns }: RecallIndex, room: RankingRoom, p: { ahead: boolean; from: number }): void {
  if (room.joined.length === 0) return;
  const { stretches, rowOf, bounds } = room;
  const { before, after, alone } = turns.stretches;
  for (let row = p.from, { items } = stretches; row < stretches.length; row++) {
    const stretch = items[row]!;
    const at = row * BOUNDS;
    if (alone[stretch]! >= 0) continue;
    const asked = before[stretch]! < 0 ? 0 : rowOf[before[stretch]!]!;
    const next = after[stretch]! < 0 ? 0 : rowOf[after[stretch]!]!;
    // It may be that of two before by then: a bound all the same.
    if (asked > 0) bounds[at + ASKED] = Math.max(bounds[at + ASKED]!, bounds[(asked - 1) * BOUNDS + ASKED]!);
    if (p.ahead && next > 0) bounds[at + AHEAD] = Math.max(bounds[at + OWN]!, bounds[(next - 1) * BOUNDS + OWN]!);
  }
}

/** Has those rows read that may hold the largest of what is told by reading; whoever reads keeps up `room.largest`. */
export function findLargest(room: RankingRoom, read: (row: number) => void): void {
  const { weights, largest, bounds } = room;
  const end = room.stretches.length * BOUNDS;
  for (const { signal, most } of READ) {
    if (weights[signal] === 0) continue;
    let widest = most;
    for (let at = most; at < end; at += BOUNDS) if (bounds[at]! > bounds[widest]!) widest = at;
    if (end === 0 || bounds[widest] === 0) continue;
    read((widest - most) / BOUNDS);
    const rest: number[] = [];
    const least = largest[signal]! - ROUNDING;
    for (let at = most; at < end; at += BOUNDS) if (bounds[at]! > least) rest.push(at);
    // The widest first: they are the likeliest to make the rest needless.
    if (rest.length > 1) rest.sort((a, b) => bounds[b]! - bounds[a]!);
    for (const at of rest) if (bounds[at]! + ROUNDING > largest[signal]!) read((at - most) / BOUNDS);
  }
}

/** What no score can exceed, into the bounds; `besides` is what else there may be. */
export function boundScores({ turns }: RecallIndex, room: RankingRoom, besides: number): void {
  const { factors, largest, bounds, stretches, sessions } = room;
  const sessionOf = turns.stretches.sessions;
  const rest = besides + ROUNDING;
  const own = factors[0]!;
  const window = factors[1]!;
  const session = factors[2]!;
  const answer = factors[4]!;
  const mostOfOwn = largest[0]!;
  const mostOfWindow = largest[1]!;
  const mostOfAnswer = largest[4]!;
  for (let row = 0, { items } = stretches; row < stretches.length; row++) {
    const at = row * BOUNDS;
    const owned = bounds[at + OWN]!;
    const around = bounds[at + WINDOW]!;
    const asked = bounds[at + ASKED]!;
    bounds[at + SCORE] =
      rest +
      own * (owned < mostOfOwn ? owned : mostOfOwn) +
      window * (around < mostOfWindow ? around : mostOfWindow) +
      session * sessions[sessionOf[items[row]!]!]! +
      answer * (asked < mostOfAnswer ? asked : mostOfAnswer);
  }
  for (const { signal, most } of LESS_COMMON) {
    const factor = factors[signal]!;
    const top = largest[signal]!;
    if (factor === 0) continue;
    for (let at = 0; at < stretches.length * BOUNDS; at += BOUNDS)
      bounds[at + SCORE]! += factor * Math.min(top, bounds[at + most]!);
  }
}
