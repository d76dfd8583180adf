import type { RankingRoom } from './ranking-room.ts';
import type { RecallIndex } from './recall-index.ts';

/** Bounds are added up in another order than scores, and may come out smaller by what is lost in rounding. */
export const ROUNDING = 1e-9;

/** What is told only by reading turns, and by which column of the room it is bound, as numbered in SIGNALS. */
const READ: readonly { signal: number; most: (room: RankingRoom) => Float64Array }[] = [
  { signal: 0, most: (room) => room.mostOwn },
  { signal: 1, most: (room) => room.mostWindow },
  { signal: 4, most: (room) => room.mostAsked },
  { signal: 5, most: (room) => room.mostAhead },
  { signal: 6, most: (room) => room.mostPhrase },
];

/** Has the columns say what they mean once all words are counted: what is answered, or lies ahead, may stand in the stretch beside it. */
export function settleBounds({ turns }: RecallIndex, room: RankingRoom, p: { ahead: boolean; words: number }): void {
  const { stretches, mostOwn, mostAsked, mostAhead, mostPhrase } = room;
  const { before, after } = turns.stretches;
  for (let i = 0, { items } = stretches; i < stretches.length; i++) {
    const stretch = items[i]!;
    const asked = before[stretch]!;
    // It may be that of two before by then: a bound all the same.
    if (asked >= 0 && mostAsked[asked]! > mostAsked[stretch]!) mostAsked[stretch] = mostAsked[asked]!;
    mostPhrase[stretch]! *= p.words - 1;
    if (!p.ahead) continue;
    const next = after[stretch]!;
    mostAhead[stretch] = next < 0 ? mostOwn[stretch]! : Math.max(mostOwn[stretch]!, mostOwn[next]!);
  }
}

/**
 * Has those stretches read that may hold the largest of what is told by reading; `largest`, by signal, is kept up by whoever
 * reads.
 */
export function findLargest(
  room: RankingRoom,
  weights: Float64Array,
  largest: Float64Array,
  read: (stretch: number) => void,
): void {
  const { items, length } = room.stretches;
  for (const { signal, most } of READ) {
    if (weights[signal] === 0) continue;
    const column = most(room);
    let [widest, width] = [-1, 0];
    for (let i = 0; i < length; i++) {
      const stretch = items[i]!;
      if (column[stretch]! > width) [widest, width] = [stretch, column[stretch]!];
    }
    if (widest < 0) continue;
    read(widest);
    const rest: number[] = [];
    const least = largest[signal]! - ROUNDING;
    for (let i = 0; i < length; i++) if (column[items[i]!]! > least) rest.push(items[i]!);
    // The widest first: they are the likeliest to make the rest needless.
    rest.sort((a, b) => column[b]! - column[a]!);
    for (const stretch of rest) if (column[stretch]! + ROUNDING > largest[signal]!) read(stretch);
  }
}

/** What no score can exceed, by place in `room.stretches`, into `room.bounds`; `factors` say what each signal's values are worth, `rest` what else there may be. */
export function boundScores(
  { turns }: RecallIndex,
  room: RankingRoom,
  p: { factors: Float64Array; largest: Float64Array; rest: number },
): void {
  const { factors, largest } = p;
  const { stretches, sessions, mostOwn, mostWindow, mostAsked, mostAhead, mostPhrase, mostThen, mostAbout } = room;
  const sessionOf = turns.stretches.sessions;
  const { length } = stretches;
  while (room.bounds.length < length) room.bounds = new Float64Array(2 * room.bounds.length);
  const { bounds } = room;
  const rest = p.rest + ROUNDING;
  const [own, window, session, answer] = [factors[0]!, factors[1]!, factors[2]!, factors[4]!];
  const [mostOfOwn, mostOfWindow, mostOfAnswer] = [largest[0]!, largest[1]!, largest[4]!];
  for (let i = 0, { items } = stretches; i < length; i++) {
    const stretch = items[i]!;
    const [owned, around, asked] = [mostOwn[stretch]!, mostWindow[stretch]!, mostAsked[stretch]!];
    bounds[i] =
      rest +
      own * (owned < mostOfOwn ? owned : mostOfOwn) +
      window * (around < mostOfWindow ? around : mostOfWindow) +
      session * sessions[sessionOf[stretch]!]! +
      answer * (asked < mostOfAnswer ? asked : mostOfAnswer);
  }
  for (const [signal, most] of [
    [5, mostAhead],
    [6, mostPhrase],
    [7, mostThen],
    [8, mostAbout],
  ] as const) {
    const [factor, top] = [factors[signal]!, largest[signal]!];
    if (factor === 0) continue;
    for (let i = 0, { items } = stretches; i < length; i++) bounds[i]! += factor * Math.min(top, most[items[i]!]!);
  }
}
