import { turnId } from '@thole/core';
import type { MemoryHeader } from './matches-filter.ts';

/** The headers of a user's entries by their id. Those of a saved index are read when somebody asks: most searches have no filter. */
export class Headers {
  #saved: { bytes: Uint8Array; count: number } | undefined;
  readonly #known = new Map<string, MemoryHeader>();
  /** What has come since; without a header, what has gone. */
  readonly #changed = new Map<string, MemoryHeader | undefined>();

  /** Those that were saved as these bytes, so many. */
  static from(bytes: Uint8Array, count: number): Headers {
    const headers = new Headers();
    headers.#saved = { bytes, count };
    return headers;
  }

  /** How many there are; as long as saved ones were not read, those that have changed count twice. */
  get size(): number {
    return (this.#saved?.count ?? 0) + this.#known.size + this.#changed.size;
  }

  get(id: string): MemoryHeader | undefined {
    return this.#read().get(id);
  }

  set(id: string, header: MemoryHeader): void {
    if (this.#saved) this.#changed.set(id, header);
    else this.#known.set(id, header);
  }

  delete(id: string): void {
    if (this.#saved) this.#changed.set(id, undefined);
    else this.#known.delete(id);
  }

  save(): Uint8Array {
    return new TextEncoder().encode(JSON.stringify([...this.#read().values()].map(packed)));
  }

  #read(): Map<string, MemoryHeader> {
    if (!this.#saved) return this.#known;
    for (const row of JSON.parse(new TextDecoder().decode(this.#saved.bytes)) as Packed[]) {
      const header = unpacked(row);
      this.#known.set(header.id, header);
    }
    this.#saved = undefined;
    for (const [id, header] of this.#changed) {
      if (header) this.#known.set(id, header);
      else this.#known.delete(id);
    }
    this.#changed.clear();
    return this.#known;
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
