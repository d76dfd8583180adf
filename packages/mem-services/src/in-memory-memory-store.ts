import { systemRuntime } from '@thole/core';
import { failInvalidJson, JsonCopier, userKeyOf } from '@thole/core/kit';
import type {
  MemoryChanges,
  MemoryEntry,
  MemoryLogPosition,
  MemoryPage,
  MemoryPageRequest,
  MemoryPutMode,
  MemoryRemoval,
  MemoryScope,
  MemoryStore,
  MemoryUsers,
  IndexSegment,
  IndexSnapshots,
  StoredMemory,
} from '@thole/core';
import { matchesFilter } from '@thole/recall';
import { seqOfCursor } from '@thole/recall/kit';

/** A record of a log: an entry, or a removal if `entry` is undefined. */
interface LogRecord {
  seq: number;
  id: string;
  entry: MemoryEntry | undefined;
  writeId: string;
  /** True if a later record has the same id. */
  stale: boolean;
}

interface Log {
  seq: number;
  /** Ordered by `seq`. Stale records are dropped when they are more than half. */
  records: LogRecord[];
  /** By id. */
  latest: Map<string, LogRecord>;
  /** Number of removed entries. */
  removals: number;
  /** Time of the last removal of everything, in seconds. Entries up to this time are not added again. */
  forgottenUntil: number;
  /** By analyzer. */
  segments: Map<string, IndexSegment>;
}

/** Stores memory entries in the memory of this process, as frozen objects. They are lost when the process ends. */
export class InMemoryMemoryStore implements MemoryStore {
  readonly specVersion = 1;
  readonly abilities: { readonly segmented: IndexSnapshots; readonly users: MemoryUsers };
  readonly #logs = new Map<string, Log>();
  readonly #runtime = systemRuntime();
  /** Ids of the users with a log, by app. */
  readonly #users = new Map<string, string[]>();

  constructor() {
    this.abilities = {
      segmented: {
        loadSegments: async (scope) => [...(this.#logs.get(userKeyOf(scope))?.segments.values() ?? [])].map(copyOf),
        saveSegment: async (scope, segment, { ifRemovals }) => {
          const log = this.#logs.get(userKeyOf(scope));
          if ((log?.removals ?? 0) !== ifRemovals || !log) return false;
          const existing = log.segments.get(segment.analyzer);
          if (!existing || existing.upTo <= segment.upTo) log.segments.set(segment.analyzer, copyOf(segment));
          return true;
        },
      },
      users: {
        listUsers: async (appName, { limit, cursor }) => {
          const [all, start] = [this.#users.get(appName) ?? [], seqOfCursor(cursor)];
          const userIds = all.slice(start, start + limit);
          return start + limit < all.length ? { userIds, next: String(start + limit) } : { userIds };
        },
      },
    };
  }

  async put(
    scope: MemoryScope,
    entries: readonly MemoryEntry[],
    mode: MemoryPutMode,
  ): Promise<{ written: readonly string[]; seq: number }> {
    const log = this.#logs.get(userKeyOf(scope)) ?? emptyLog();
    const written = new Set<string>();
    const writeId = this.#runtime.newId('write');
    for (const entry of entries) {
      if (written.has(entry.id) || !canWrite(log, entry, mode)) continue;
      written.add(entry.id);
      append(log, { id: entry.id, entry: toFrozen(entry), writeId });
    }
    if (written.size > 0) this.#add(scope, log);
    return { written: [...written], seq: log.seq };
  }

  async since(scope: MemoryScope, seq: number, limit: number): Promise<MemoryChanges> {
    const log = this.#logs.get(userKeyOf(scope));
    if (!log) return { changes: [], previous: null, removals: 0, more: false };
    const previous = lastRecordUpTo(log, seq);
    const changes: MemoryChanges['changes'] = [];
    for (const record of recordsAfter(log, seq)) {
      if (changes.length === limit) return { changes, previous, removals: log.removals, more: true };
      const { id, entry, seq: recordSeq, writeId } = record;
      changes.push(entry ? { seq: recordSeq, entry, writeId } : { seq: recordSeq, removed: id, writeId });
    }
    return { changes, previous, removals: log.removals, more: false };
  }

  async get(scope: MemoryScope, ids: readonly string[]): Promise<StoredMemory[]> {
    const log = this.#logs.get(userKeyOf(scope));
    const found: StoredMemory[] = [];
    for (const id of new Set(ids)) {
      const record = log?.latest.get(id);
      if (record?.entry) found.push({ seq: record.seq, entry: record.entry });
    }
    return found;
  }

  async list(scope: MemoryScope, page: MemoryPageRequest): Promise<MemoryPage> {
    const after = seqOfCursor(page.cursor);
    const log = this.#logs.get(userKeyOf(scope));
    const memories: StoredMemory[] = [];
    if (!log) return { memories };
    for (const { seq, entry } of recordsAfter(log, after)) {
      if (!entry || (page.filter && !matchesFilter(entry, page.filter))) continue;
      if (memories.length === page.limit) return { memories, next: String(memories.at(-1)!.seq) };
      memories.push({ seq, entry });
    }
    return { memories };
  }

  async remove(scope: MemoryScope, removal: MemoryRemoval, now: number): Promise<number> {
    const log = this.#logs.get(userKeyOf(scope)) ?? emptyLog();
    const removed = idsOf(log, removal).filter((id) => log.latest.get(id)?.entry);
    const writeId = this.#runtime.newId('write');
    for (const id of removed) append(log, { id, entry: undefined, writeId });
    log.removals += removed.length;
    // Segments contain words of the removed entries.
    if (removed.length > 0) log.segments.clear();
    if (removal === 'everything') {
      log.forgottenUntil = Math.max(log.forgottenUntil, now);
      this.#add(scope, log);
    }
    return removed.length;
  }

  #add(scope: MemoryScope, log: Log): void {
    const key = userKeyOf(scope);
    if (this.#logs.has(key)) return;
    this.#logs.set(key, log);
    const users = this.#users.get(scope.appName) ?? [];
    this.#users.set(scope.appName, users);
    users.push(scope.userId);
  }
}

function emptyLog(): Log {
  return { seq: 0, records: [], latest: new Map(), removals: 0, forgottenUntil: -Infinity, segments: new Map() };
}

function copyOf(segment: IndexSegment): IndexSegment {
  return { ...segment, bytes: segment.bytes.slice() };
}

function canWrite(log: Log, entry: MemoryEntry, mode: MemoryPutMode): boolean {
  const record = log.latest.get(entry.id);
  if (mode === 'replace') return true;
  if (mode === 'ifPresent') return record?.entry !== undefined;
  return !record && !(entry.timestamp !== undefined && entry.timestamp <= log.forgottenUntil);
}

function append(log: Log, change: Pick<LogRecord, 'id' | 'entry' | 'writeId'>): void {
  const { id } = change;
  const previous = log.latest.get(id);
  if (previous) {
    previous.stale = true;
    previous.entry = undefined; // Removes the text now, not when stale records are dropped.
  }
  const record = { ...change, seq: ++log.seq, stale: false };
  log.records.push(record);
  log.latest.set(id, record);
  if (log.records.length > 2 * log.latest.size + 64) log.records = log.records.filter(({ stale }) => !stale);
}

function* recordsAfter({ records }: Log, seq: number): Generator<LogRecord> {
  for (let i = findIndexAfter(records, seq); i < records.length; i++) if (!records[i]!.stale) yield records[i]!;
}

function lastRecordUpTo({ records }: Log, seq: number): MemoryLogPosition | null {
  let i = findIndexAfter(records, seq) - 1;
  while (i >= 0 && records[i]!.stale) i--;
  if (i < 0) return null;
  const { id, seq: recordSeq, writeId } = records[i]!;
  return { seq: recordSeq, id, writeId };
}

/** Returns the index of the first record after `seq`. */
function findIndexAfter(records: readonly LogRecord[], seq: number): number {
  let low = 0;
  let high = records.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (records[middle]!.seq <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

function idsOf(log: Log, removal: MemoryRemoval): string[] {
  if (removal === 'everything') return [...log.latest.keys()];
  if ('ids' in removal) return [...new Set(removal.ids)];
  return [...log.latest.values()].filter(({ entry }) => entry?.sessionId === removal.sessionId).map(({ id }) => id);
}

// The service passes frozen copies, which can be shared. Any other object is copied.
function toFrozen(entry: MemoryEntry): MemoryEntry {
  if (Object.isFrozen(entry)) return entry;
  return new JsonCopier(failInvalidJson).copy(entry, 'entry') as unknown as MemoryEntry;
}
