import type { MemoryChange, MemoryChanges, MemoryLogPosition } from '@thole/core';
import type { Column } from './pack-columns.ts';

/** Maximum number of changes that a history contains. */
const MAX_CHANGES = 64;
const BYTES_PER_CHANGE = 150;

/**
 * `complete`: the log contains all changes that the index has read, or later changes of the same entries. `lost`: it does not.
 * `unknown`: all changes of the history were replaced, so they cannot show whether earlier changes are lost.
 */
export type Continuation = 'complete' | 'lost' | 'unknown';

/**
 * The last changes that an index has read from a log. They show whether the log still contains all changes that the index has
 * read. Each write has a random id. So if the log and the index have the same change, they also have the same changes before it.
 */
export class LogHistory {
  /** In the order of the log. Without changes of entries that have later changes. */
  #last: readonly MemoryLogPosition[] = [];
  /** True if the index has read changes before `#last`. */
  #isCut = false;
  /** Ids of entries whose changes are no longer in the log. The following pages must contain later changes of them. */
  readonly #expected = new Set<string>();

  /** Returns the history that `toColumns` returned as columns. */
  static fromColumns([ids, seqs, writeIds, isCut]: readonly Column[]): LogHistory {
    const history = new LogHistory();
    history.#last = (ids as readonly string[]).map((id, i) => ({
      seq: (seqs as Float64Array)[i]!,
      id,
      writeId: (writeIds as readonly string[])[i] || undefined,
    }));
    history.#isCut = (isCut as Uint8Array)[0] === 1;
    return history;
  }

  /** Approximate memory in bytes. */
  get bytes(): number {
    return this.#last.length * BYTES_PER_CHANGE;
  }

  toColumns(): Column[] {
    return [
      this.#last.map(({ id }) => id),
      Float64Array.from(this.#last, ({ seq }) => seq),
      this.#last.map(({ writeId }) => writeId ?? ''),
      Uint8Array.of(this.#isCut ? 1 : 0),
    ];
  }

  /** Adds the next page of changes. A page that does not continue this history is not added. */
  add({ previous, changes, more }: MemoryChanges): Continuation {
    const continues = previous === undefined || this.#continuesAfter(previous);
    const positions = changes.map(positionOf);
    const changed = new Set(positions.map(({ id }) => id));
    for (const id of changed) this.#expected.delete(id);
    if (!more && this.#expected.size > 0) return 'lost';
    if (!continues) return this.#isCut && this.#last.length === 0 ? 'unknown' : 'lost';
    const all = [...this.#last.filter(({ id }) => !changed.has(id)), ...positions];
    this.#isCut ||= all.length > MAX_CHANGES;
    this.#last = all.slice(-MAX_CHANGES);
    return 'complete';
  }

  /** True if `previous` was read. Entries with later changes in this history must have been changed again. */
  #continuesAfter(previous: MemoryLogPosition | null): boolean {
    const seq = previous?.seq ?? 0;
    if (this.#last.length > 0 && this.#last.at(-1)!.seq > seq) {
      for (const each of this.#last) if (each.seq > seq) this.#expected.add(each.id);
      this.#last = this.#last.filter((each) => each.seq <= seq);
    }
    const last = this.#last.at(-1);
    if (!last) return !this.#isCut && previous === null;
    return last.seq === seq && last.id === previous?.id && last.writeId === previous.writeId;
  }
}

function positionOf(change: MemoryChange): MemoryLogPosition {
  const { seq, writeId } = change;
  return { seq, id: 'removed' in change ? change.removed : change.entry.id, writeId };
}
