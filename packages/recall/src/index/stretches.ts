import type { Column } from '../memory/segment-bytes.ts';
import { growColumns, grown } from './grown.ts';

/** Turns of a stretch as long as all come in order; one that takes in late ones is parted when it has twice as many. */
const FULL = 24;
const NONE = -1;
/** What is known of each stretch, in the order in which it is saved. */
const COLUMNS = ['first', 'sizes', 'sessions', 'before', 'after'] as const;

/** Where a session's line goes on from a turn, and which turn stands before. */
interface Line {
  readonly before: Int32Array;
  readonly after: Int32Array;
}

/**
 * The line of each session, cut into stretches of some two dozen turns that stand side by side: they are weighed together, and
 * of most of them no turn is ever looked at singly.
 */
export class Stretches {
  /** By turn: its stretch. */
  of: Int32Array = new Int32Array(64);
  /** By stretch: its first turn, how many turns it has, its session. */
  first: Int32Array = new Int32Array(64);
  sizes: Int32Array = new Int32Array(64);
  sessions: Int32Array = new Int32Array(64);
  /** The stretches before and after in the session; -1 at its ends. */
  before: Int32Array = new Int32Array(64);
  after: Int32Array = new Int32Array(64);
  /** By stretch: its session where there is no other stretch of it; else -1. */
  alone: Int32Array = new Int32Array(64);
  /** Stretches that are not alone. */
  joined = 0;
  readonly #free: number[] = [];
  readonly #moved: (turn: number, from: number, to: number) => void;
  #end = 0;

  /** `moved` hears of a turn that comes into another stretch than before. */
  constructor(moved: (turn: number, from: number, to: number) => void) {
    this.#moved = moved;
  }

  /** Numbers given so far, free ones included. */
  get end(): number {
    return this.#end;
  }

  get bytes(): number {
    return this.of.byteLength + (COLUMNS.length + 1) * this.first.byteLength;
  }

  makeRoom(turns: number): void {
    while (this.of.length < turns) this.of = grown(this.of);
  }

  /** Takes in a turn that stands in its line already. */
  add(turn: number, session: number, line: Line): void {
    const before = line.before[turn]!;
    const after = line.after[turn]!;
    const left = before === NONE ? NONE : this.of[before]!;
    const right = after === NONE ? NONE : this.of[after]!;
    let stretch: number;
    if (left !== NONE && (left === right || this.sizes[left]! < FULL)) stretch = left;
    else if (right !== NONE && this.sizes[right]! < FULL) stretch = right;
    else stretch = this.#begin(session, left, right);
    this.of[turn] = stretch;
    this.sizes[stretch]!++;
    if (before === NONE || this.of[before] !== stretch) this.first[stretch] = turn;
    if (this.sizes[stretch]! >= 2 * FULL) this.#part(stretch, line);
  }

  /** Lets a turn go that stands in its line still. */
  remove(turn: number, line: Line): void {
    const stretch = this.of[turn]!;
    if (this.first[stretch] === turn) this.first[stretch] = line.after[turn]!;
    if (--this.sizes[stretch]! > 0) return;
    const before = this.before[stretch]!;
    const after = this.after[stretch]!;
    if (before !== NONE || after !== NONE) this.joined--;
    if (before !== NONE) this.after[before] = after;
    if (after !== NONE) this.before[after] = before;
    for (const each of [before, after]) if (each !== NONE) this.#noteAlone(each, true);
    this.#free.push(stretch);
  }

  /** The stretches of the turns, and what is known of each stretch, one column after the other. */
  save(turns: number): Column[] {
    const end = this.#end;
    const columns = new Int32Array(COLUMNS.length * end);
    COLUMNS.forEach((name, i) => columns.set(this[name].subarray(0, end), i * end));
    return [this.of.slice(0, turns), columns];
  }

  /** Takes what was saved; nothing may be here yet. */
  load([of, columns]: readonly Column[]): void {
    const [turns, all] = [of as Int32Array, columns as Int32Array];
    const end = (this.#end = all.length / COLUMNS.length);
    this.makeRoom(turns.length);
    this.of.set(turns);
    const room = Math.max(64, end);
    COLUMNS.forEach((name, i) => {
      this[name] = new Int32Array(room);
      this[name].set(all.subarray(i * end, (i + 1) * end));
    });
    this.alone = new Int32Array(room);
    for (let stretch = 0; stretch < end; stretch++) {
      if (this.sizes[stretch] === 0) this.#free.push(stretch);
      else this.#noteAlone(stretch, false);
    }
  }

  #begin(session: number, before: number, after: number): number {
    const stretch = this.#free.pop() ?? this.#end++;
    if (stretch === this.first.length) growColumns(this, [...COLUMNS, 'alone']);
    this.sizes[stretch] = 0;
    this.sessions[stretch] = session;
    this.before[stretch] = before;
    this.after[stretch] = after;
    if (before !== NONE) this.after[before] = stretch;
    if (after !== NONE) this.before[after] = stretch;
    for (const each of [before, after]) if (each !== NONE) this.#noteAlone(each, this.alone[each] === NONE);
    this.#noteAlone(stretch, false);
    return stretch;
  }

  #noteAlone(stretch: number, wasJoined: boolean): void {
    const isJoined = this.before[stretch] !== NONE || this.after[stretch] !== NONE;
    this.alone[stretch] = isJoined ? NONE : this.sessions[stretch]!;
    this.joined += Number(isJoined) - Number(wasJoined);
  }

  #part(stretch: number, { after }: Line): void {
    let turn = this.first[stretch]!;
    for (let i = 0; i < FULL; i++) turn = after[turn]!;
    const next = this.#begin(this.sessions[stretch]!, stretch, this.after[stretch]!);
    this.first[next] = turn;
    this.sizes[next] = this.sizes[stretch]! - FULL;
    this.sizes[stretch] = FULL;
    for (let i = this.sizes[next]!; i > 0; i--) {
      this.of[turn] = next;
      this.#moved(turn, stretch, next);
      turn = after[turn]!;
    }
  }
}
