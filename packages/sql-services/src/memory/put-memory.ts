import type { MemoryPutMode, MemoryScope } from '@thole/core';
import type { Steps } from '../client/sql-database.ts';
import type { LogHead, MemoryLog } from './memory-log.ts';
import type { MemoryRecord } from './memory-records.ts';

/** What a put answers. */
export interface PutResult {
  written: readonly string[];
  seq: number;
  /** Number of entries and tombstones that were there before under the same ids. */
  replaced: number;
}

/** Which of these ids the log has not heard of, and its last number; it never forgets one, so that an old answer holds. */
export function* findNewIdSteps(
  log: MemoryLog,
  scope: MemoryScope,
  idKeys: readonly string[],
): Steps<{ unheard: ReadonlySet<string>; seq: number }> {
  const head = yield* log.head(scope, { toWrite: false });
  if (!head) return { unheard: new Set(idKeys), seq: 0 };
  const known = yield* log.findRows(head.row, idKeys);
  return { unheard: new Set(idKeys.filter((key) => !known.has(key))), seq: head.lastSeq };
}

/** Writes what the mode lets in; entries of the same ids make room. */
export function* putMemorySteps(
  log: MemoryLog,
  scope: MemoryScope,
  records: readonly MemoryRecord[],
  mode: MemoryPutMode,
): Steps<PutResult> {
  const head = mode === 'ifPresent' ? yield* log.head(scope, { toWrite: true }) : yield* log.lockHead(scope);
  if (!head) return { written: [], seq: 0, replaced: 0 };
  const known = yield* log.findRows(
    head.row,
    records.map(({ idKey }) => idKey),
  );
  const chosen = new Map<string, MemoryRecord>();
  for (const record of records) {
    if (chosen.has(record.idKey) || !mayWrite(head, known.get(record.idKey), record, mode)) continue;
    chosen.set(record.idKey, record);
  }
  if (chosen.size === 0) return { written: [], seq: head.lastSeq, replaced: 0 };
  const replaced = [...chosen.keys()].flatMap((key) => known.get(key)?.seq ?? []);
  yield* log.remove(head.row, replaced);
  const lines = [...chosen.values()].map(({ idKey, idText, ...entry }) => ({ idKey, idText, entry }));
  yield* log.append(head, lines);
  yield* log.writeHead(head);
  return { written: [...chosen.values()].map(({ id }) => id), seq: head.lastSeq, replaced: replaced.length };
}

function mayWrite(
  { forgottenUntil }: LogHead,
  known: { isEntry: boolean } | undefined,
  { time }: MemoryRecord,
  mode: MemoryPutMode,
): boolean {
  if (mode === 'replace') return true;
  if (mode === 'ifPresent') return known?.isEntry === true;
  return !known && !(time !== null && forgottenUntil !== undefined && time <= forgottenUntil);
}
