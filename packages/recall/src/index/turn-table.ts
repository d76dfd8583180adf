import { isOnCalendar } from '../dates/day-span.ts';
import { growColumns } from './grow-columns.ts';
import { MAX_SLOTS } from './postings.ts';
import { SessionCounts } from './session-counts.ts';
import { HAS_QUESTION } from './turn-flags.ts';
import { WindowLengths } from './window-lengths.ts';

const NO_SLOT = -1;
const BYTES_PER_TURN = 8 + 6 * 4 + 1;

/** A turn without its words. */
export interface TurnRow {
  id: string;
  /** Seconds since the epoch; -Infinity if unknown. */
  time: number;
  /** Number of words after analysis. */
  length: number;
  author: number;
  session: number;
  flags: number;
}

/** The turns of an index in columns, one slot per turn. The turns of a session are linked in order of time and id. */
export class TurnTable {
  readonly ids: string[] = [];
  times: Float64Array = new Float64Array(64);
  lengths: Int32Array = new Int32Array(64);
  authors: Int32Array = new Int32Array(64);
  sessions: Int32Array = new Int32Array(64);
  flags: Uint8Array = new Uint8Array(64);
  /** By slot: the slots of the previous and the next turn of the session; -1 at its ends. */
  previousOf: Int32Array = new Int32Array(64);
  nextOf: Int32Array = new Int32Array(64);
  readonly windows: WindowLengths = new WindowLengths(this);
  /** Sum of the lengths of all turns. */
  totalLength = 0;
  readonly sessionCounts: SessionCounts = new SessionCounts();
  readonly #slots = new Map<string, number>();
  readonly #free: number[] = [];
  readonly #lastOfSession: number[] = [];
  /** By session: cache of `shortestWindow`, deleted when the session changes. */
  readonly #shortestWindows: (number | undefined)[] = [];
  #idLetters = 0;
  /** Cache of `timeSpan`, deleted at each change. */
  #timeSpan: readonly [number, number] | undefined;

  get size(): number {
    return this.#slots.size;
  }

  /** Number of slots assigned so far, including free ones. */
  get end(): number {
    return this.ids.length;
  }

  get capacity(): number {
    return this.times.length;
  }

  get bytes(): number {
    return this.capacity * BYTES_PER_TURN + this.#slots.size * 110 + this.#idLetters * 2 + this.sessionCounts.bytes;
  }

  /** Returns the slot of a turn. */
  find(id: string): number | undefined {
    return this.#slots.get(id);
  }

  /** Returns the slots in use, in no particular order. */
  slots(): Iterable<number> {
    return this.#slots.values();
  }

  /** Adds a turn and returns its slot. */
  add(row: TurnRow): number {
    const slot = this.#takeSlot();
    this.ids[slot] = row.id;
    this.times[slot] = row.time;
    this.lengths[slot] = row.length;
    this.authors[slot] = row.author;
    this.sessions[slot] = row.session;
    this.flags[slot] = row.flags;
    this.#timeSpan = undefined;
    this.#slots.set(row.id, slot);
    this.#idLetters += row.id.length;
    this.totalLength += row.length;
    this.sessionCounts.add(row.session, 1, row.length);
    this.#link(slot);
    this.windows.add(slot);
    this.#shortestWindows[row.session] = undefined;
    return slot;
  }

  remove(slot: number): void {
    this.#timeSpan = undefined;
    this.#slots.delete(this.ids[slot]!);
    this.#idLetters -= this.ids[slot]!.length;
    this.ids[slot] = '';
    const length = this.lengths[slot]!;
    this.totalLength -= length;
    this.sessionCounts.add(this.sessions[slot]!, -1, -length);
    this.#unlink(slot);
    this.windows.remove(slot);
    this.#shortestWindows[this.sessions[slot]!] = undefined;
    this.#free.push(slot);
  }

  /** Returns the length of the shortest window of a session, in fifths. */
  shortestWindow(session: number): number {
    const { lengths } = this.windows;
    const shortest = (): number =>
      this.ofSession(session).reduce((min, slot) => Math.min(min, lengths[slot]!), Infinity);
    return (this.#shortestWindows[session] ??= shortest());
  }

  /** Returns the turns of a session in order. */
  ofSession(session: number): number[] {
    const slots: number[] = [];
    for (let slot = this.#lastOfSession[session] ?? NO_SLOT; slot !== NO_SLOT; slot = this.previousOf[slot]!)
      slots.push(slot);
    return slots.reverse();
  }

  /** True if the turn asks a question and the next turn of the session is by another author. */
  isAnswered(slot: number): boolean {
    if ((this.flags[slot]! & HAS_QUESTION) === 0) return false;
    const next = this.nextOf[slot]!;
    return next !== NO_SLOT && this.authors[next] !== this.authors[slot];
  }

  /** True if `a` is later than `b`, or has the same time and a smaller id. */
  isNewer(a: number, b: number): boolean {
    if (this.times[a] !== this.times[b]) return this.times[a]! > this.times[b]!;
    return this.ids[a]! < this.ids[b]!;
  }

  /** Returns the times of the first and the last turn; the first is greater than the last if no turn has a time. */
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

  #takeSlot(): number {
    const slot = this.#free.pop() ?? this.ids.length;
    if (slot >= MAX_SLOTS) throw new RangeError(`An index can have at most ${MAX_SLOTS} entries.`);
    if (slot === this.capacity) {
      growColumns(this, ['times', 'flags', 'lengths', 'authors', 'sessions', 'previousOf', 'nextOf']);
      this.windows.grow();
    }
    return slot;
  }

  #link(slot: number): void {
    const session = this.sessions[slot]!;
    let previous = this.#lastOfSession[session] ?? NO_SLOT;
    let next = NO_SLOT;
    while (previous !== NO_SLOT && this.#isBefore(slot, previous)) {
      next = previous;
      previous = this.previousOf[previous]!;
    }
    this.previousOf[slot] = previous;
    this.nextOf[slot] = next;
    if (previous !== NO_SLOT) this.nextOf[previous] = slot;
    if (next === NO_SLOT) this.#lastOfSession[session] = slot;
    else this.previousOf[next] = slot;
  }

  #unlink(slot: number): void {
    const previous = this.previousOf[slot]!;
    const next = this.nextOf[slot]!;
    if (previous !== NO_SLOT) this.nextOf[previous] = next;
    if (next === NO_SLOT) this.#lastOfSession[this.sessions[slot]!] = previous;
    else this.previousOf[next] = previous;
  }

  #isBefore(a: number, b: number): boolean {
    return this.times[a] === this.times[b] ? this.ids[a]! < this.ids[b]! : this.times[a]! < this.times[b]!;
  }
}
