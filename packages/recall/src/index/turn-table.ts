import { grown } from './grown.ts';
import { MAX_SLOTS } from './posting-list.ts';

/** How many neighbours each way belong to a turn's window. */
export const REACH = 4;
/** What a neighbour at this distance counts, in fifths: 5, 4, 3, 2, 1. Whole numbers, so that sums do not depend on their order. */
export const shareAt = (distance: number): number => REACH + 1 - distance;

const NONE = -1;
const PER_TURN = 8 + 6 * 4 + 2;
const BLOCK_BITS = 4;
/** Turns in slots that stand side by side, weighed together: of most blocks none is looked at singly. */
export const BLOCK: number = 2 ** BLOCK_BITS;
export const blockOf = (slot: number): number => slot >> BLOCK_BITS;

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
  readonly ids: string[] = [];
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
  /** 1 where the window reaches into another block. */
  edges: Uint8Array = new Uint8Array(64);
  /** By block: no window in it is shorter; -1 until somebody asks. */
  #leastWindows: Int32Array = new Int32Array(64).fill(NONE);
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
    return this.capacity * PER_TURN + this.#slots.size * 110 + this.#idLetters * 2 + this.sessionTurns.length * 24;
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
    this.#slots.delete(this.ids[slot]!);
    this.#idLetters -= this.ids[slot]!.length;
    this.ids[slot] = '';
    this.#leastWindows[blockOf(slot)] = NONE;
    this.totalLength -= this.lengths[slot]!;
    this.#countInSession(this.sessions[slot]!, -1, -this.lengths[slot]!);
    this.#unlink(slot);
    this.#free.push(slot);
  }

  /** Later ones first; of one time those with the smaller id. */
  isNewer(a: number, b: number): boolean {
    if (this.times[a] !== this.times[b]) return this.times[a]! > this.times[b]!;
    return this.ids[a]! < this.ids[b]!;
  }

  /** The length of the shortest window in a block, in fifths. */
  leastWindow(block: number): number {
    const known = this.#leastWindows[block]!;
    if (known !== NONE) return known;
    let least = Infinity;
    for (let slot = block * BLOCK, end = Math.min(slot + BLOCK, this.end); slot < end; slot++)
      if (this.ids[slot] !== '' && this.windows[slot]! < least) least = this.windows[slot]!;
    return (this.#leastWindows[block] = least);
  }

  #takeSlot(): number {
    const slot = this.#free.pop() ?? this.ids.length;
    if (slot >= MAX_SLOTS) throw new RangeError(`An index holds at most ${MAX_SLOTS} entries.`);
    if (slot < this.capacity) return slot;
    this.times = grown(this.times);
    this.lengths = grown(this.lengths);
    this.authors = grown(this.authors);
    this.sessions = grown(this.sessions);
    this.flags = grown(this.flags);
    this.before = grown(this.before);
    this.after = grown(this.after);
    this.windows = grown(this.windows);
    this.edges = grown(this.edges);
    this.#leastWindows = new Int32Array(blockOf(this.capacity) + 1).fill(NONE);
    return slot;
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
    this.#measureAround(slot);
  }

  #unlink(slot: number): void {
    const before = this.before[slot]!;
    const after = this.after[slot]!;
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

  #measureAround(slot: number): void {
    this.#measure(slot);
    for (let at = this.before[slot]!, i = 0; at !== NONE && i < REACH; at = this.before[at]!, i++) this.#measure(at);
    for (let at = this.after[slot]!, i = 0; at !== NONE && i < REACH; at = this.after[at]!, i++) this.#measure(at);
  }

  #measure(slot: number): void {
    const { before, after, lengths } = this;
    let length = lengths[slot]! * shareAt(0);
    let others = 0;
    for (let at = before[slot]!, d = 1; at !== NONE && d <= REACH; at = before[at]!, d++) {
      length += lengths[at]! * shareAt(d);
      others |= blockOf(at) ^ blockOf(slot);
    }
    for (let at = after[slot]!, d = 1; at !== NONE && d <= REACH; at = after[at]!, d++) {
      length += lengths[at]! * shareAt(d);
      others |= blockOf(at) ^ blockOf(slot);
    }
    this.totalWindow += length - this.windows[slot]!;
    this.windows[slot] = length;
    this.#leastWindows[blockOf(slot)] = NONE;
    this.edges[slot] = others === 0 ? 0 : 1;
  }
}
