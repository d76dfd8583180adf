import type { Column } from '../memory/segment-bytes.ts';
import { grown } from './grown.ts';
import { MAX_SLOTS } from './posting-list.ts';
import { Stretches } from './stretches.ts';
import { ASKS } from './turn-flags.ts';

/** How many neighbours each way belong to a turn's window. */
export const REACH = 4;
/** What a neighbour at this distance counts, in fifths: 5, 4, 3, 2, 1. Whole numbers, so that sums do not depend on their order. */
export const shareAt = (distance: number): number => REACH + 1 - distance;

const NONE = -1;
const PER_TURN = 8 + 6 * 4 + 1;

/** What is known of a turn beside its words. */
export interface TurnRow {
  id: string;
  /** Seconds; -Infinity without one. */
  time: number;
  /** Words after analysis. */
  length: number;
  author: number;
  session: number;
  flags: number;
}

/**
 * The turns of an index in columns, each turn at a slot of its own. Those of a session stand in a line by time and then by id,
 * whatever the order of their coming; the length of the window around each is kept up.
 */
export class TurnTable {
  ids: string[] = [];
  times: Float64Array = new Float64Array(64);
  lengths: Int32Array = new Int32Array(64);
  authors: Int32Array = new Int32Array(64);
  sessions: Int32Array = new Int32Array(64);
  flags: Uint8Array = new Uint8Array(64);
  /** The turn before and after in the session; -1 at its ends. */
  before: Int32Array = new Int32Array(64);
  after: Int32Array = new Int32Array(64);
  /** Words in the window around a turn, in fifths. */
  windows: Int32Array = new Int32Array(64);
  readonly stretches: Stretches;
  /** By stretch: no turn in it is shorter, and no window; the latter 0 until somebody asks. */
  #leastLengths: Int32Array = new Int32Array(64);
  #leastWindows: Int32Array = new Int32Array(64);
  /** Of all turns. */
  totalLength = 0;
  totalWindow = 0;
  /** Words, and turns, of each session. */
  readonly sessionLengths: number[] = [];
  readonly sessionTurns: number[] = [];
  /** Sessions with a turn. */
  sessionCount = 0;
  readonly #slots = new Map<string, number>();
  readonly #free: number[] = [];
  readonly #lastOfSession: number[] = [];
  #idLetters = 0;
  /** Until the next change. */
  #timeSpan: readonly [number, number] | undefined;

  /** `moved` hears of a turn that comes into another stretch than before. */
  constructor(moved: (turn: number, from: number, to: number) => void) {
    this.stretches = new Stretches(moved);
  }

  get size(): number {
    return this.#slots.size;
  }

  /** Slots given so far, free ones included. */
  get end(): number {
    return this.ids.length;
  }

  get capacity(): number {
    return this.times.length;
  }

  get bytes(): number {
    const columns = this.capacity * PER_TURN + this.stretches.bytes + 2 * this.#leastWindows.byteLength;
    return columns + this.#slots.size * 110 + this.#idLetters * 2 + this.sessionTurns.length * 24;
  }

  find(id: string): number | undefined {
    return this.#slots.get(id);
  }

  /** Live slots, in no order that means something. */
  slots(): Iterable<number> {
    return this.#slots.values();
  }

  add(row: TurnRow): number {
    const slot = this.#takeSlot();
    this.#timeSpan = undefined;
    this.#slots.set(row.id, slot);
    this.#idLetters += row.id.length;
    this.ids[slot] = row.id;
    this.times[slot] = row.time;
    this.lengths[slot] = row.length;
    this.authors[slot] = row.author;
    this.sessions[slot] = row.session;
    this.flags[slot] = row.flags;
    this.windows[slot] = 0;
    this.totalLength += row.length;
    this.#countInSession(row.session, 1, row.length);
    this.#link(slot);
    return slot;
  }

  remove(slot: number): void {
    this.#timeSpan = undefined;
    this.#slots.delete(this.ids[slot]!);
    this.#idLetters -= this.ids[slot]!.length;
    this.ids[slot] = '';
    const length = this.lengths[slot]!;
    this.totalLength -= length;
    this.#countInSession(this.sessions[slot]!, -1, -length);
    this.#unlink(slot);
    this.#free.push(slot);
  }

  /** Whether it asks something, and the next turn of the session is another author's. */
  isAnswered(slot: number): boolean {
    const next = this.after[slot]!;
    return (this.flags[slot]! & ASKS) !== 0 && next !== NONE && this.authors[next] !== this.authors[slot];
  }

  /** Later ones first; of one time those with the smaller id. */
  isNewer(a: number, b: number): boolean {
    if (this.times[a] !== this.times[b]) return this.times[a]! > this.times[b]!;
    return this.ids[a]! < this.ids[b]!;
  }

  /** The length of the shortest window in a stretch, in fifths. */
  leastWindow(stretch: number): number {
    return this.#leastWindows[stretch] || this.#readLeast(stretch);
  }

  /** The length of the shortest turn in a stretch. */
  leastLength(stretch: number): number {
    if (this.#leastWindows[stretch] === 0) this.#readLeast(stretch);
    return this.#leastLengths[stretch]!;
  }

  #readLeast(stretch: number): number {
    let [length, window] = [Infinity, Infinity];
    let slot = this.stretches.first[stretch]!;
    for (let i = this.stretches.sizes[stretch]!; i > 0; i--) {
      length = Math.min(length, this.lengths[slot]!);
      window = Math.min(window, this.windows[slot]!);
      slot = this.after[slot]!;
    }
    this.#leastLengths[stretch] = length;
    return (this.#leastWindows[stretch] = window);
  }

  /** All that is known of each slot; nothing of what was in free ones. */
  save(): Column[] {
    const { ids, end } = this;
    const numbers = (column: Int32Array, free: number): Int32Array =>
      column.slice(0, end).map((value, slot) => (ids[slot] === '' ? free : value));
    return [
      ids,
      this.times.slice(0, end).map((time, slot) => (ids[slot] === '' ? 0 : time)),
      this.flags.slice(0, end).map((flags, slot) => (ids[slot] === '' ? 0 : flags)),
      numbers(this.lengths, 0),
      numbers(this.authors, 0),
      numbers(this.sessions, 0),
      numbers(this.before, NONE),
      numbers(this.after, NONE),
      numbers(this.windows, 0),
      ...this.stretches.save(end),
    ];
  }

  /** Takes what was saved; nothing may be here yet. */
  load(columns: readonly Column[]): void {
    this.ids = [...(columns[0] as readonly string[])];
    while (this.capacity < this.ids.length) this.#grow();
    this.times.set(columns[1] as Float64Array);
    this.flags.set(columns[2] as Uint8Array);
    [this.lengths, this.authors, this.sessions, this.before, this.after, this.windows].forEach((column, i) =>
      column.set(columns[3 + i] as Int32Array),
    );
    this.stretches.load(columns.slice(9));
    while (this.#leastWindows.length < this.stretches.end) this.#growLeast();
    for (let slot = 0; slot < this.ids.length; slot++) this.#count(slot);
  }

  #count(slot: number): void {
    const id = this.ids[slot]!;
    if (id === '') {
      this.#free.push(slot);
      return;
    }
    this.#slots.set(id, slot);
    this.#idLetters += id.length;
    this.totalLength += this.lengths[slot]!;
    this.totalWindow += this.windows[slot]!;
    this.#countInSession(this.sessions[slot]!, 1, this.lengths[slot]!);
    if (this.after[slot] === NONE) this.#lastOfSession[this.sessions[slot]!] = slot;
  }

  /** When the first and the last turn were said; the first is larger where none tells its time. */
  timeSpan(): readonly [first: number, last: number] {
    if (this.#timeSpan) return this.#timeSpan;
    let [first, last] = [Infinity, -Infinity];
    for (let slot = 0; slot < this.end; slot++) {
      const time = this.times[slot]!;
      if (time === -Infinity || this.ids[slot] === '') continue;
      if (time < first) first = time;
      if (time > last) last = time;
    }
    return (this.#timeSpan = [first, last]);
  }

  #takeSlot(): number {
    const slot = this.#free.pop() ?? this.ids.length;
    if (slot >= MAX_SLOTS) throw new RangeError(`An index holds at most ${MAX_SLOTS} entries.`);
    if (slot < this.capacity) return slot;
    this.#grow();
    return slot;
  }

  #grow(): void {
    this.times = grown(this.times);
    this.lengths = grown(this.lengths);
    this.authors = grown(this.authors);
    this.sessions = grown(this.sessions);
    this.flags = grown(this.flags);
    this.before = grown(this.before);
    this.after = grown(this.after);
    this.windows = grown(this.windows);
    this.stretches.makeRoom(this.capacity);
  }

  #growLeast(): void {
    this.#leastLengths = grown(this.#leastLengths);
    this.#leastWindows = grown(this.#leastWindows);
  }

  #countInSession(session: number, turns: number, words: number): void {
    const had = this.sessionTurns[session] ?? 0;
    this.sessionTurns[session] = had + turns;
    this.sessionLengths[session] = (this.sessionLengths[session] ?? 0) + words;
    if (had === 0) this.sessionCount++;
    if (had + turns === 0) this.sessionCount--;
  }

  #link(slot: number): void {
    const session = this.sessions[slot]!;
    let before = this.#lastOfSession[session] ?? NONE;
    let after = NONE;
    while (before !== NONE && this.#standsBefore(slot, before)) {
      after = before;
      before = this.before[before]!;
    }
    this.before[slot] = before;
    this.after[slot] = after;
    if (before !== NONE) this.after[before] = slot;
    if (after === NONE) this.#lastOfSession[session] = slot;
    else this.before[after] = slot;
    this.stretches.add(slot, session, this);
    while (this.#leastWindows.length < this.stretches.end) this.#growLeast();
    if (after === NONE) this.#measureLast(slot);
    else this.#measureAround(slot);
  }

  #unlink(slot: number): void {
    const before = this.before[slot]!;
    const after = this.after[slot]!;
    this.#leastWindows[this.stretches.of[slot]!] = 0;
    this.stretches.remove(slot, this);
    if (before !== NONE) this.after[before] = after;
    if (after === NONE) this.#lastOfSession[this.sessions[slot]!] = before;
    else this.before[after] = before;
    this.totalWindow -= this.windows[slot]!;
    if (before !== NONE) this.#measureAround(before);
    if (after !== NONE) this.#measureAround(after);
  }

  #standsBefore(a: number, b: number): boolean {
    return this.times[a] === this.times[b] ? this.ids[a]! < this.ids[b]! : this.times[a]! < this.times[b]!;
  }

  /** Most turns come last: what that changes in the windows before is known without looking at the rest of them. */
  #measureLast(slot: number): void {
    const length = this.lengths[slot]!;
    let window = length * shareAt(0);
    for (let at = this.before[slot]!, d = 1; at !== NONE && d <= REACH; at = this.before[at]!, d++) {
      window += this.lengths[at]! * shareAt(d);
      this.windows[at]! += length * shareAt(d);
      this.totalWindow += length * shareAt(d);
      this.#leastWindows[this.stretches.of[at]!] = 0;
    }
    this.windows[slot] = window;
    this.totalWindow += window;
    this.#leastWindows[this.stretches.of[slot]!] = 0;
  }

  #measureAround(slot: number): void {
    this.#measure(slot);
    for (let at = this.before[slot]!, i = 0; at !== NONE && i < REACH; at = this.before[at]!, i++) this.#measure(at);
    for (let at = this.after[slot]!, i = 0; at !== NONE && i < REACH; at = this.after[at]!, i++) this.#measure(at);
  }

  #measure(slot: number): void {
    const { before, after } = this;
    let length = this.lengths[slot]! * shareAt(0);
    for (let at = before[slot]!, d = 1; at !== NONE && d <= REACH; at = before[at]!, d++)
      length += this.lengths[at]! * shareAt(d);
    for (let at = after[slot]!, d = 1; at !== NONE && d <= REACH; at = after[at]!, d++)
      length += this.lengths[at]! * shareAt(d);
    this.totalWindow += length - this.windows[slot]!;
    this.windows[slot] = length;
    this.#leastWindows[this.stretches.of[slot]!] = 0;
  }
}
