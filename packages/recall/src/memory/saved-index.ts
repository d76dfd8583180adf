import { isPlainObject } from '@thole/core';
import type { Json, MemoryScope, Segment, Segmented } from '@thole/core';
import type { MemoryHeader } from './matches-filter.ts';
import type { MemoryIndex, MemoryRanking } from './memory-index.ts';
import { packColumns, unpackColumns } from './segment-bytes.ts';

/** An index with the headers of its entries, as it was when the log stood at `seq`. */
export interface SavedIndex {
  index: MemoryIndex;
  headers: Map<string, MemoryHeader>;
  seq: number;
}

/** The segment of an index; undefined where its ranking does not save. */
export function segmentOf(ranking: MemoryRanking, { index, headers, seq }: SavedIndex): Segment | undefined {
  if (ranking.savedAs === undefined || !index.save) return undefined;
  // One text for all headers is read faster than many.
  const bytes = packColumns([[JSON.stringify([...headers.values()])], ...index.save()]);
  return { analyzer: ranking.savedAs, upTo: seq, bytes };
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
  const [headers, ...columns] = unpackColumns(bytes) ?? [];
  if (headers === undefined || columns.length === 0) return undefined;
  const list = JSON.parse(headers[0] as string) as Json[];
  const index = ranking.loadIndex!(columns, scope);
  if (!index) return undefined;
  const known = new Map<string, MemoryHeader>();
  for (const header of list)
    if (isPlainObject(header)) known.set(header['id'] as string, header as unknown as MemoryHeader);
  return { index, headers: known, seq: upTo };
}
