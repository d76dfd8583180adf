import { turnId } from '@thole/core/kit';
import type { MemoryHeader } from './matches-filter.ts';
import { concatBytes } from './pack-columns.ts';
import type { Steps } from './time-slicer.ts';

const HEADERS_PER_LINE = 100;

/** The headers of a user's entries by id. Headers of a saved index are parsed at the first search with a filter. */
export class EntryHeaders {
  /** Saved headers that have not been parsed yet. */
  #saved: { bytes: Uint8Array; count: number } | undefined;
  readonly #parsed = new Map<string, MemoryHeader>();
  /** Changes since the save, while the saved headers are not parsed. Undefined for removed entries. */
  readonly #changed = new Map<string, MemoryHeader | undefined>();

  /** Returns the headers that `save` returned as bytes. */
  static fromSaved(bytes: Uint8Array, count: number): EntryHeaders {
    const headers = new EntryHeaders();
    headers.#saved = { bytes, count };
    return headers;
  }

  /** Number of headers. Changed headers count twice while the saved headers are not parsed. */
  get size(): number {
    return (this.#saved?.count ?? 0) + this.#parsed.size + this.#changed.size;
  }

  /** Returns a header. Call `read` before. */
  get(id: string): MemoryHeader | undefined {
    return this.#parsed.get(id);
  }

  /** Returns the ids of all headers. Call `read` before. */
  ids(): Iterable<string> {
    return this.#parsed.keys();
  }

  set(id: string, header: MemoryHeader): void {
    if (this.#saved) this.#changed.set(id, header);
    else this.#parsed.set(id, header);
  }

  delete(id: string): void {
    if (this.#saved) this.#changed.set(id, undefined);
    else this.#parsed.delete(id);
  }

  /** Returns all headers as JSON, one line for every hundred. */
  *save(): Steps<Uint8Array> {
    yield* this.read();
    const encoder = new TextEncoder();
    const chunks: Uint8Array[] = [];
    const all = [...this.#parsed.values()];
    for (let i = 0; i < all.length; i += HEADERS_PER_LINE) {
      yield;
      const line = JSON.stringify(all.slice(i, i + HEADERS_PER_LINE).map(toPacked));
      chunks.push(encoder.encode(i === 0 ? line : `\n${line}`));
    }
    return yield* concatBytes(chunks);
  }

  /** Parses the saved headers unless they have been parsed. Call it before `get`. */
  *read(): Steps<void> {
    if (!this.#saved) return;
    const { bytes } = this.#saved;
    for (const line of bytes.length === 0 ? [] : new TextDecoder().decode(bytes).split('\n')) {
      yield;
      // Another call may have parsed the headers meanwhile.
      if (!this.#saved) return;
      for (const header of (JSON.parse(line) as PackedHeader[]).map(fromPacked)) this.#parsed.set(header.id, header);
    }
    this.#saved = undefined;
    for (const [id, header] of this.#changed) {
      if (header) this.#parsed.set(id, header);
      else this.#parsed.delete(id);
    }
    this.#changed.clear();
  }
}

/** The common members of a header without their names. 0 means absent, or an id that follows from session and event. */
type PackedHeader = [id: string | 0, sessionId: string | 0, eventId: string | 0, author: string | 0, rest: object];

function toPacked({ id, sessionId, eventId, author, ...rest }: MemoryHeader): PackedHeader {
  const isTurnId = sessionId !== undefined && eventId !== undefined && turnId(sessionId, eventId) === id;
  return [isTurnId ? 0 : id, sessionId ?? 0, eventId ?? 0, author ?? 0, rest];
}

function fromPacked([id, sessionId, eventId, author, rest]: PackedHeader): MemoryHeader {
  return {
    ...(rest as MemoryHeader),
    id: id === 0 ? turnId(sessionId as string, eventId as string) : id,
    ...(sessionId !== 0 && { sessionId }),
    ...(eventId !== 0 && { eventId }),
    ...(author !== 0 && { author }),
  };
}
