import type { MemoryScope, Segment, Segmented } from '@thole/core';
import { Headers } from './headers.ts';
import type { MemoryIndex, MemoryRanking } from './memory-index.ts';
import { packColumns, unpackColumns } from './segment-bytes.ts';

/** An index with the headers of its entries, as it was when the log stood at `seq`. */
export interface SavedIndex {
  index: MemoryIndex;
  headers: Headers;
  seq: number;
}

/** The segment of an index; undefined where its ranking does not save. */
export function segmentOf(ranking: MemoryRanking, { index, headers, seq }: SavedIndex): Segment | undefined {
  if (ranking.savedAs === undefined || !index.save) return undefined;
  const bytes = packColumns([headers.save(), Int32Array.of(headers.size), ...index.save()]);
  return { analyzer: ranking.savedAs, upTo: seq, bytes };
}

/** A segment that takes the place of older ones and is none. */
export function emptySegment({ savedAs }: MemoryRanking, seq: number): Segment | undefined {
  return savedAs === undefined ? undefined : { analyzer: savedAs, upTo: seq, bytes: packColumns([]) };
}

/** The newest segment that this ranking has made, or undefined: what is lost, of another make or broken costs time only. */
export async function loadSaved(
  ranking: MemoryRanking,
  segmented: Segmented,
  scope: MemoryScope,
): Promise<SavedIndex | undefined> {
  if (ranking.savedAs === undefined || !ranking.loadIndex) return undefined;
  try {
    const segments = await segmented.loadSegments(scope);
    const mine = segments.filter(({ analyzer }) => analyzer === ranking.savedAs).sort((a, b) => b.upTo - a.upTo);
    for (const segment of mine) {
      const saved = read(ranking, segment, scope);
      if (saved) return saved;
    }
  } catch {
    // Reading the log instead says what is wrong with the store, if anything is.
  }
  return undefined;
}

function read(ranking: MemoryRanking, { bytes, upTo }: Segment, scope: MemoryScope): SavedIndex | undefined {
  const [headers, count, ...columns] = unpackColumns(bytes) ?? [];
  if (headers === undefined || count === undefined || columns.length === 0) return undefined;
  const index = ranking.loadIndex!(columns, scope);
  return index && { index, headers: Headers.from(headers as Uint8Array, count[0] as number), seq: upTo };
}
