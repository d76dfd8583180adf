import { turnId } from '@thole/core/kit';
import type { MemoryHeader } from './matches-filter.ts';
import type { Steps } from './time-slicer.ts';

const ROWS_PER_LINE = 100;

/** The headers of a user's entries by their id. Those of a saved index are read when somebody asks: most searches have no filter. */
export class EntryHeaders {
  #saved: { bytes: Uint8Array; count: number } | undefined;
  readonly #known = new Map<string, MemoryHeader>();
  /** What has come since; without a header, what has gone. */
  readonly #changed = new Map<string, MemoryHeader | undefined>();

  /** Those that were saved as these bytes, so many. */
  static fromSaved(bytes: Uint8Array, count: number): EntryHeaders {
    const headers = new EntryHeaders();
    headers.#saved = { bytes, count };
    return headers;
  }

  /** How many there are; as long as saved ones were not read, those that have changed count twice. */
  get size(): number {
    return (this.#saved?.count ?? 0) + this.#known.size + this.#changed.size;
  }

  get(id: string): MemoryHeader | undefined {
    return this.#known.get(id);
  }

  set(id: string, header: MemoryHeader): void {
    if (this.#saved) this.#changed.set(id, header);
    else this.#known.set(id, header);
  }

  delete(id: string): void {
    if (this.#saved) this.#changed.set(id, undefined);
    else this.#known.delete(id);
  }

  /** Returns all headers: a line of JSON for every hundred. */
  *save(): Steps<Uint8Array> {
    yield* this.read();
    const lines: string[] = [];
    const all = [...this.#known.values()];
    for (let i = 0; i < all.length; i += ROWS_PER_LINE) {
      yield;
      lines.push(JSON.stringify(all.slice(i, i + ROWS_PER_LINE).map(packed)));
    }
    return new TextEncoder().encode(lines.join('\n'));
  }

  /** Reads saved headers, if there are any that were not read yet. `get` needs it. */
  *read(): Steps<void> {
    if (!this.#saved) return;
    const { bytes } = this.#saved;
    for (const line of bytes.length === 0 ? [] : new TextDecoder().decode(bytes).split('\n')) {
      yield;
      // Another call may have read them meanwhile.
      if (!this.#saved) return;
      for (const header of (JSON.parse(line) as Packed[]).map(unpacked)) this.#known.set(header.id, header);
    }
    this.#saved = undefined;
    for (const [id, header] of this.#changed) {
      if (header) this.#known.set(id, header);
      else this.#known.delete(id);
    }
    this.#changed.clear();
  }
}

/** What nearly every header has, without its names; 0 for what is absent, and for an id that its session and event tell. */
type Packed = [id: string | 0, sessionId: string | 0, eventId: string | 0, author: string | 0, rest: object];

function packed({ id, sessionId, eventId, author, ...rest }: MemoryHeader): Packed {
  const isTold = sessionId !== undefined && eventId !== undefined && turnId(sessionId, eventId) === id;
  return [isTold ? 0 : id, sessionId ?? 0, eventId ?? 0, author ?? 0, rest];
}

function unpacked([id, sessionId, eventId, author, rest]: Packed): MemoryHeader {
  return {
    ...(rest as MemoryHeader),
    id: id === 0 ? turnId(sessionId as string, eventId as string) : id,
    ...(sessionId !== 0 && { sessionId }),
    ...(eventId !== 0 && { eventId }),
    ...(author !== 0 && { author }),
  };
}
