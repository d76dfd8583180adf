import type { MemoryScope, IndexSegment, IndexSnapshots } from '@thole/core';
import { EntryHeaders } from './entry-headers.ts';
import type { MemoryIndex, MemoryRanking } from './memory-index.ts';
import { packColumns, unpackColumns } from './pack-columns.ts';
import { runAllSteps } from './time-slicer.ts';
import type { Steps, TimeSlicer } from './time-slicer.ts';

/** An index with the headers of its entries, as it was when the log stood at `seq`. */
export interface SavedIndex {
  index: MemoryIndex;
  headers: EntryHeaders;
  /** Times from which entries are no longer found. */
  expiries: Map<string, number>;
  seq: number;
}

/** Returns an index as a segment; undefined if its ranking does not save. */
export function* toSegment(
  ranking: MemoryRanking,
  { index, headers, expiries, seq }: SavedIndex,
): Steps<IndexSegment | undefined> {
  if (ranking.savedAs === undefined || !index.save) return undefined;
  const saved = yield* headers.save();
  const columns = yield* index.save();
  return {
    analyzer: ranking.savedAs,
    upTo: seq,
    bytes: yield* packColumns([
      saved,
      Int32Array.of(headers.size),
      [...expiries.keys()],
      Float64Array.from(expiries.values()),
      ...columns,
    ]),
  };
}

/** A segment that takes the place of older ones and is none. */
export function emptySegment({ savedAs }: MemoryRanking, seq: number): IndexSegment | undefined {
  return savedAs === undefined ? undefined : { analyzer: savedAs, upTo: seq, bytes: runAllSteps(packColumns([])) };
}

/** The newest segment that this ranking has made, or undefined: what is lost, of another make or broken costs time only. */
export async function loadSavedIndex(
  ranking: MemoryRanking,
  segmented: IndexSnapshots,
  scope: MemoryScope,
  turns: TimeSlicer,
): Promise<SavedIndex | undefined> {
  if (ranking.savedAs === undefined || !ranking.loadIndex) return undefined;
  try {
    const segments = await segmented.loadSegments(scope);
    const mine = segments.filter(({ analyzer }) => analyzer === ranking.savedAs).sort((a, b) => b.upTo - a.upTo);
    for (const segment of mine) {
      const saved = await turns.run(read(ranking, segment, scope));
      if (saved) return saved;
    }
  } catch {
    // Reading the log instead says what is wrong with the store, if anything is.
  }
  return undefined;
}

function* read(
  ranking: MemoryRanking,
  { bytes, upTo }: IndexSegment,
  scope: MemoryScope,
): Steps<SavedIndex | undefined> {
  const [headers, count, ids, times, ...columns] = (yield* unpackColumns(bytes)) ?? [];
  if (headers === undefined || count === undefined || columns.length === 0) return undefined;
  const index = yield* ranking.loadIndex!(columns, scope);
  const expiries = new Map((ids as string[]).map((id, i) => [id, (times as Float64Array)[i]!]));
  return (
    index && { index, expiries, headers: EntryHeaders.fromSaved(headers as Uint8Array, count[0] as number), seq: upTo }
  );
}
