import type { MemoryPutMode, MemoryScope } from '@thole/core';
import type { Steps } from '../client/sql-database.ts';
import type { LogHead, MemoryLog } from './memory-log.ts';
import type { MemoryRecord } from './memory-records.ts';

/** Result of a put. */
export interface PutResult {
  written: readonly string[];
  seq: number;
  /** Number of entries and tombstones with the same ids that were replaced. */
  replaced: number;
}

/**
 * Returns the ids that the log does not contain, and its last `seq`. A log keeps every id: deleted entries stay as
 * tombstones.
 */
export function* findNewIdSteps(
  log: MemoryLog,
  scope: MemoryScope,
  idKeys: readonly string[],
): Steps<{ newIds: ReadonlySet<string>; seq: number }> {
  const head = yield* log.readHead(scope, { lock: false });
  if (!head) return { newIds: new Set(idKeys), seq: 0 };
  const stored = yield* log.findRows(head.row, idKeys);
  return { newIds: new Set(idKeys.filter((key) => !stored.has(key))), seq: head.lastSeq };
}

/** Writes the entries that the mode allows, and replaces rows with the same ids. */
export function* putMemorySteps(
  log: MemoryLog,
  scope: MemoryScope,
  records: readonly MemoryRecord[],
  { mode, writeId }: { mode: MemoryPutMode; writeId: string },
): Steps<PutResult> {
  const head = mode === 'ifPresent' ? yield* log.readHead(scope, { lock: true }) : yield* log.lockHead(scope);
  if (!head) return { written: [], seq: 0, replaced: 0 };
  const stored = yield* log.findRows(
    head.row,
    records.map(({ idKey }) => idKey),
  );
  const selected = new Map<string, MemoryRecord>();
  for (const record of records) {
    if (selected.has(record.idKey) || !mayWrite(head, stored.get(record.idKey), record, mode)) continue;
    selected.set(record.idKey, record);
  }
  if (selected.size === 0) return { written: [], seq: head.lastSeq, replaced: 0 };
  const replaced = [...selected.keys()].flatMap((key) => stored.get(key)?.seq ?? []);
  yield* log.remove(head.row, replaced);
  const rows = [...selected.values()].map(({ idKey, idText, ...entry }) => ({ idKey, idText, entry }));
  yield* log.append(head, rows, writeId);
  yield* log.writeHead(head);
  return { written: [...selected.values()].map(({ id }) => id), seq: head.lastSeq, replaced: replaced.length };
}

function mayWrite(
  { forgottenUntil }: LogHead,
  stored: { isEntry: boolean } | undefined,
  { time }: MemoryRecord,
  mode: MemoryPutMode,
): boolean {
  if (mode === 'replace') return true;
  if (mode === 'ifPresent') return stored?.isEntry === true;
  return !stored && !(time !== null && forgottenUntil !== undefined && time <= forgottenUntil);
}
