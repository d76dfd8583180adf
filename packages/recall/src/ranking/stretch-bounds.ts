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

/** Has those stretches read that may hold the largest of what is told by reading; whoever reads keeps up `room.largest`. */
export function findLargest(room: RankingRoom, read: (stretch: number) => void): void {
  const { weights, largest } = room;
  const { items, length } = room.stretches;
  for (const { signal, most } of READ) {
    if (weights[signal] === 0) continue;
    const column = most(room);
    let widest = -1;
    let width = 0;
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

/** What no score can exceed, by place in `room.stretches`, into `room.bounds`; `besides` is what else there may be. */
export function boundScores({ turns }: RecallIndex, room: RankingRoom, besides: number): void {
  const { factors, largest } = room;
  const { bounds, stretches, sessions, mostOwn, mostWindow, mostAsked, mostAhead, mostPhrase, mostThen, mostAbout } = room;
  const sessionOf = turns.stretches.sessions;
  const { length } = stretches;
  const rest = besides + ROUNDING;
  const own = factors[0]!;
  const window = factors[1]!;
  const session = factors[2]!;
  const answer = factors[4]!;
  const mostOfOwn = largest[0]!;
  const mostOfWindow = largest[1]!;
  const mostOfAnswer = largest[4]!;
  for (let i = 0, { items } = stretches; i < length; i++) {
    const stretch = items[i]!;
    const owned = mostOwn[stretch]!;
    const around = mostWindow[stretch]!;
    const asked = mostAsked[stretch]!;
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
    const factor = factors[signal]!;
    const top = largest[signal]!;
    if (factor === 0) continue;
    for (let i = 0, { items } = stretches; i < length; i++) bounds[i]! += factor * Math.min(top, most[items[i]!]!);
  }
}
