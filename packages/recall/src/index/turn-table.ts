import type { Column } from '../memory/segment-bytes.ts';
import { isOnCalendar } from '../time/day-span.ts';
import { growColumns } from './grown.ts';
import { MAX_SLOTS } from './posting-list.ts';
import { SessionCounts } from './session-counts.ts';
import { Stretches } from './stretches.ts';
import { ASKS } from './turn-flags.ts';
import { Windows } from './windows.ts';

const NONE = -1;
const PER_TURN = 8 + 6 * 4 + 1;
/** Columns of whole numbers, in the order in which they are saved, and what they say of a free slot. */
const NUMBERS = ['lengths', 'authors', 'sessions', 'before', 'after'] as const;
const IN_FREE_SLOTS = { lengths: 0, authors: 0, sessions: 0, before: NONE, after: NONE } as const;

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
 * whatever the order of their coming.
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
  readonly stretches: Stretches;
  readonly windows: Windows = new Windows(this);
  /** Of all turns. */
  totalLength = 0;
  readonly ofSessions: SessionCounts = new SessionCounts();
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
    const columns = this.capacity * PER_TURN + this.stretches.bytes + this.windows.least.bytes;
    return columns + this.#slots.size * 110 + this.#idLetters * 2 + this.ofSessions.bytes;
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
    this.ids[slot] = row.id;
    this.times[slot] = row.time;
    this.lengths[slot] = row.length;
    this.authors[slot] = row.author;
    this.sessions[slot] = row.session;
    this.flags[slot] = row.flags;
    this.#timeSpan = undefined;
    this.#count(slot);
    this.#link(slot);
    this.windows.add(slot);
    return slot;
  }

  remove(slot: number): void {
    this.#timeSpan = undefined;
    this.#slots.delete(this.ids[slot]!);
    this.#idLetters -= this.ids[slot]!.length;
    this.ids[slot] = '';
    const length = this.lengths[slot]!;
    this.totalLength -= length;
    this.ofSessions.add(this.sessions[slot]!, -1, -length);
    this.#unlink(slot);
    this.windows.remove(slot);
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

  /** When the first and the last turn were said; the first is larger where none tells its time. */
  timeSpan(): readonly [first: number, last: number] {
    if (this.#timeSpan) return this.#timeSpan;
    let [first, last] = [Infinity, -Infinity];
    for (let slot = 0; slot < this.end; slot++) {
      const time = this.times[slot]!;
      if (!isOnCalendar(time) || this.ids[slot] === '') continue;
      if (time < first) first = time;
      if (time > last) last = time;
    }
    return (this.#timeSpan = [first, last]);
  }

  /** All that is known of each slot; nothing of what was in free ones. */
  save(): Column[] {
    const { ids, end } = this;
    const saved = <T extends Float64Array | Int32Array | Uint8Array>(column: T, free: number): Column =>
      column.slice(0, end).map((value, slot) => (ids[slot] === '' ? free : value));
    return [
      ids,
      saved(this.times, 0),
      saved(this.flags, 0),
      ...NUMBERS.map((name) => saved(this[name], IN_FREE_SLOTS[name])),
      saved(this.windows.lengths, 0),
      ...this.stretches.save(end),
    ];
  }

  /** Takes what was saved; nothing may be here yet. */
  load(columns: readonly Column[]): void {
    const [ids, times, flags, ...rest] = columns as [readonly string[], Float64Array, Uint8Array, ...Int32Array[]];
    this.ids = [...ids];
    while (this.capacity < ids.length) this.#grow();
    this.times.set(times);
    this.flags.set(flags);
    NUMBERS.forEach((name, i) => this[name].set(rest[i]!));
    this.stretches.load(rest.slice(NUMBERS.length + 1));
    this.windows.load(rest[NUMBERS.length]!);
    for (let slot = 0; slot < ids.length; slot++) {
      if (ids[slot] === '') this.#free.push(slot);
      else {
        this.#count(slot);
        if (this.after[slot] === NONE) this.#lastOfSession[this.sessions[slot]!] = slot;
      }
    }
  }

  #takeSlot(): number {
    const slot = this.#free.pop() ?? this.ids.length;
    if (slot >= MAX_SLOTS) throw new RangeError(`An index holds at most ${MAX_SLOTS} entries.`);
    if (slot === this.capacity) this.#grow();
    return slot;
  }

  #grow(): void {
    growColumns(this, ['times', 'flags', ...NUMBERS]);
    this.windows.grow();
    this.stretches.makeRoom(this.capacity);
  }

  #count(slot: number): void {
    const id = this.ids[slot]!;
    this.#slots.set(id, slot);
    this.#idLetters += id.length;
    this.totalLength += this.lengths[slot]!;
    this.ofSessions.add(this.sessions[slot]!, 1, this.lengths[slot]!);
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
  }

  #unlink(slot: number): void {
    const before = this.before[slot]!;
    const after = this.after[slot]!;
    this.windows.least.forget(this.stretches.of[slot]!);
    this.stretches.remove(slot, this);
    if (before !== NONE) this.after[before] = after;
    if (after === NONE) this.#lastOfSession[this.sessions[slot]!] = before;
    else this.before[after] = before;
  }

  #standsBefore(a: number, b: number): boolean {
    return this.times[a] === this.times[b] ? this.ids[a]! < this.ids[b]! : this.times[a]! < this.times[b]!;
  }
}
