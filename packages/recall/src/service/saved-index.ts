import type { MemoryScope, IndexSegment, IndexSnapshots } from '@thole/core';
import { EntryHeaders } from './entry-headers.ts';
import { LogHistory } from './log-history.ts';
import type { MemoryIndex, MemoryRanking } from './memory-index.ts';
import { packColumns, unpackColumns } from './pack-columns.ts';
import { runAllSteps } from './time-slicer.ts';
import type { Steps, TimeSlicer } from './time-slicer.ts';

/** Number of columns of a `LogHistory`. */
const HISTORY_COLUMNS = 4;

/** An index with the headers of its entries, up to the change `seq` of the log. */
export interface SavedIndex {
  index: MemoryIndex;
  headers: EntryHeaders;
  /** Times in seconds at which entries expire, by id. */
  expiries: Map<string, number>;
  history: LogHistory;
  seq: number;
}

/** Returns an index as a segment. Undefined if the ranking does not save indexes. */
export function* toSegment(
  ranking: MemoryRanking,
  { index, headers, expiries, history, seq }: SavedIndex,
): Steps<IndexSegment | undefined> {
  if (ranking.savedAs === undefined || !index.save) return undefined;
  const savedHeaders = yield* headers.save();
  const columns = yield* index.save();
  return {
    analyzer: ranking.savedAs,
    upTo: seq,
    bytes: yield* packColumns([
      savedHeaders,
      Int32Array.of(headers.size),
      [...expiries.keys()],
      Float64Array.from(expiries.values()),
      ...history.toColumns(),
      ...columns,
    ]),
  };
}

/** Returns a segment without an index, which replaces older segments. Undefined if the ranking does not save indexes. */
export function emptySegment({ savedAs }: MemoryRanking, seq: number): IndexSegment | undefined {
  return savedAs === undefined ? undefined : { analyzer: savedAs, upTo: seq, bytes: runAllSteps(packColumns([])) };
}

/** Returns the newest saved index of this ranking. Undefined if there is none, or only invalid ones: then the log is read instead. */
export async function loadSavedIndex(
  ranking: MemoryRanking,
  segmented: IndexSnapshots,
  scope: MemoryScope,
  slicer: TimeSlicer,
): Promise<SavedIndex | undefined> {
  if (ranking.savedAs === undefined || !ranking.loadIndex) return undefined;
  try {
    const segments = await segmented.loadSegments(scope);
    const ownSegments = segments.filter(({ analyzer }) => analyzer === ranking.savedAs).sort((a, b) => b.upTo - a.upTo);
    for (const segment of ownSegments) {
      const saved = await slicer.run(readSegment(ranking, segment, scope));
      if (saved) return saved;
    }
  } catch {
    // The log is read instead. If the store is unavailable, reading the log throws the error.
  }
  return undefined;
}

function* readSegment(
  ranking: MemoryRanking,
  { bytes, upTo }: IndexSegment,
  scope: MemoryScope,
): Steps<SavedIndex | undefined> {
  const [headers, count, ids, times, ...others] = (yield* unpackColumns(bytes)) ?? [];
  const [history, columns] = [others.slice(0, HISTORY_COLUMNS), others.slice(HISTORY_COLUMNS)];
  if (headers === undefined || count === undefined || columns.length === 0) return undefined;
  const index = yield* ranking.loadIndex!(columns, scope);
  const expiries = new Map((ids as string[]).map((id, i) => [id, (times as Float64Array)[i]!]));
  if (!index) return undefined;
  return {
    index,
    expiries,
    seq: upTo,
    history: LogHistory.fromColumns(history),
    headers: EntryHeaders.fromSaved(headers as Uint8Array, count[0] as number),
  };
}
