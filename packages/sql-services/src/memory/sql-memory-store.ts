import { TholeError } from '@thole/core';
import { assertTextCodec, optionNames } from '@thole/core/kit';
import type {
  MemoryChanges,
  MemoryEntry,
  MemoryPage,
  MemoryPageRequest,
  MemoryPutMode,
  MemoryRemoval,
  MemoryScope,
  MemoryStore,
  MemoryUsers,
  IndexSnapshots,
  StoredMemory,
  TextCodec,
} from '@thole/core';
import { matchesFilter } from '@thole/recall';
import { seqOfCursor } from '@thole/recall/kit';
import { query } from '../client/sql-database.ts';
import type { Steps } from '../client/sql-database.ts';
import { openStorage } from '../client/sql-storage.ts';
import type { SqlStorage } from '../client/sql-storage.ts';
import { SqlStore } from '../client/sql-store.ts';
import { sqlOptionNames } from '../client/sql-options.ts';
import type { DatabaseOptions } from '../client/sql-options.ts';
import { columnText } from '../session/row-values.ts';
import { MemoryLog } from './memory-log.ts';
import { assertVersion, fromMemoryRow, readEntryId, readWriteId, toIdKey, toMemoryRecords } from './memory-records.ts';
import { putMemorySteps, findNewIdSteps } from './put-memory.ts';
import { bindChangesSince, getMemorySteps, listMemoriesSql, changesSinceSql, listUserSteps } from './read-memory.ts';
import { removeMemorySteps } from './remove-memory.ts';
import { SqlIndexSnapshots } from './sql-index-snapshots.ts';

/** Maximum number of entries that one statement reads. */
const PAGE = 1_000;
/** Maximum number of attempts of a write while other connections create the same log. */
const MAX_ATTEMPTS = 10;

/** Options of `SqlMemoryStore`. */
export interface SqlMemoryStoreOptions extends DatabaseOptions {
  /** Encodes entries and index segments, for example to encrypt them. Ids, times and kinds are not encoded. Default: none. */
  codec?: TextCodec | undefined;
}

/** Names of all options of `SqlMemoryStore`. */
export const memoryStoreOptionNames: readonly string[] = [
  ...sqlOptionNames,
  ...optionNames<Omit<SqlMemoryStoreOptions, keyof DatabaseOptions>>({ codec: true }),
];

/**
 * Stores memory in SQLite, PostgreSQL or MariaDB: one log per user, with a row for each entry or tombstone. Each call ends
 * within `timeoutMs`. It throws `STORE_UNAVAILABLE` if nothing was written, and `STORE_OUTCOME_UNKNOWN` if the write may have
 * been done. Removed and replaced text is also removed from the bytes of a SQLite file.
 */
export class SqlMemoryStore extends SqlStore implements MemoryStore {
  readonly abilities: { readonly segmented: IndexSnapshots; readonly users: MemoryUsers };
  readonly #storage: SqlStorage;
  readonly #codec: TextCodec | undefined;
  readonly #log: MemoryLog;

  constructor(options: SqlMemoryStoreOptions) {
    const storage = openStorage(options, memoryStoreOptionNames, 'SqlMemoryStore');
    super(storage);
    this.#storage = storage;
    assertTextCodec(options.codec);
    this.#codec = options.codec;
    const { dialect, tables } = this.#storage;
    this.#log = new MemoryLog(dialect, tables);
    this.abilities = {
      segmented: new SqlIndexSnapshots(this.#storage, this.#log, options.codec),
      users: { listUsers: (appName, page) => this.#listUsers(appName, page) },
    };
  }

  async put(
    scope: MemoryScope,
    entries: readonly MemoryEntry[],
    mode: MemoryPutMode,
  ): Promise<{ written: readonly string[]; seq: number }> {
    const deadline = this.#storage.deadline();
    let candidates = entries;
    if (mode === 'ifAbsent' || entries.length === 0) {
      // A session is ingested again after each change. Entries that are stored already are neither encoded nor sent.
      const keys = entries.map(({ id }) => toIdKey(id));
      const { newIds, seq } = await this.#storage.read(() => findNewIdSteps(this.#log, scope, keys), deadline);
      candidates = entries.filter((_, i) => newIds.has(keys[i]!));
      if (candidates.length === 0) return { written: [], seq };
    }
    const records = await toMemoryRecords(this.#codec, candidates);
    const write = { mode, writeId: this.#newWriteId() };
    const { replaced, ...put } = await this.#transact(() => putMemorySteps(this.#log, scope, records, write), deadline);
    if (replaced > 0) await this.#storage.erase();
    return put;
  }

  async since(scope: MemoryScope, seq: number, limit: number): Promise<MemoryChanges> {
    const sql = this.#storage.dialect.statement(changesSinceSql(this.#log, limit + 1));
    const { rows } = await this.#storage.read(() => query(sql, bindChangesSince(this.#log.bindNames(scope), seq)));
    if (!rows[0]) return { changes: [], previous: null, removals: 0, more: false };
    assertVersion(rows[0]['head_v'], 'A memory log');
    const found = rows.filter((row) => row['seq'] !== null);
    const previousRow = found[0] && Number(found[0]['seq']) <= seq ? found.shift() : undefined;
    const changes: MemoryChanges['changes'] = [];
    for (const row of found.slice(0, limit)) {
      assertVersion(row['v'], 'A memory entry');
      const writeId = readWriteId(row);
      if (row['entry'] === null) changes.push({ seq: Number(row['seq']), removed: readEntryId(row), writeId });
      else changes.push({ ...(await fromMemoryRow(this.#codec, row)), writeId });
    }
    const previous = previousRow
      ? { seq: Number(previousRow['seq']), id: readEntryId(previousRow), writeId: readWriteId(previousRow) }
      : null;
    return { changes, previous, removals: Number(rows[0]['removals']), more: found.length > limit };
  }

  async get(scope: MemoryScope, ids: readonly string[]): Promise<StoredMemory[]> {
    const keys = [...new Set(ids.map(toIdKey))];
    if (keys.length === 0) return [];
    const rows = await this.#storage.read(() => getMemorySteps(this.#log, scope, keys));
    const rowOf = new Map(rows.map((row) => [columnText(row['id_key']), row]));
    const found: StoredMemory[] = [];
    for (const key of keys) {
      const row = rowOf.get(key);
      if (row) found.push(await fromMemoryRow(this.#codec, row));
    }
    return found;
  }

  async list(scope: MemoryScope, page: MemoryPageRequest): Promise<MemoryPage> {
    const { limit, filter = {} } = page;
    const deadline = this.#storage.deadline();
    // Keyed by id: if another process writes an entry again during this call, the entry is returned once, at its new place.
    const found = new Map<string, StoredMemory>();
    // More at each step, because the part of the filter that is not in the statement may match few entries.
    let count = Math.min(limit + 1, PAGE);
    for (let after = seqOfCursor(page.cursor); ; count = Math.min(count * 4, PAGE)) {
      const { sql, parameters } = listMemoriesSql(this.#log, { scope, after, count, filter });
      const { rows } = await this.#storage.read(() => query(sql, parameters), deadline);
      for (const row of rows) {
        const stored = await fromMemoryRow(this.#codec, row);
        after = stored.seq;
        if (!matchesFilter(stored.entry, filter)) continue;
        found.delete(stored.entry.id);
        found.set(stored.entry.id, stored);
        if (found.size > limit) {
          const memories = [...found.values()].slice(0, limit);
          return { memories, next: String(memories.at(-1)?.seq ?? seqOfCursor(page.cursor)) };
        }
      }
      if (rows.length < count) return { memories: [...found.values()] };
    }
  }

  async remove(scope: MemoryScope, removal: MemoryRemoval, now: number): Promise<number> {
    const write = { now, writeId: this.#newWriteId() };
    const count = await this.#transact(
      () => removeMemorySteps(this.#log, scope, removal, write),
      this.#storage.deadline(),
    );
    if (count > 0) await this.#storage.erase();
    return count;
  }

  #newWriteId(): string {
    return this.#storage.runtime.newId('write');
  }

  async #listUsers(
    appName: string,
    { limit, cursor }: { limit: number; cursor?: string | undefined },
  ): Promise<{ userIds: string[]; next?: string | undefined }> {
    const rows = await this.#storage.read(() => listUserSteps(this.#log, appName, seqOfCursor(cursor), limit + 1));
    const page = rows.slice(0, limit);
    const userIds = page.map((row) => columnText(row['user_id']));
    return rows.length > limit ? { userIds, next: String(Number(page.at(-1)!['row_id'])) } : { userIds };
  }

  async #transact<T>(steps: () => Steps<T>, deadline: number): Promise<T> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      // Another connection created the user's log at the same time. The next attempt finds it.
      const onDuplicate = (): undefined => undefined;
      const result = await this.#storage.transact<{ value: T } | undefined>(
        function* () {
          return { value: yield* steps() };
        },
        { onDuplicate, deadline },
      );
      if (result) return result.value;
    }
    throw new TholeError(
      'STORE_UNAVAILABLE',
      'The memory log of a user has rows after the last `seq` of its head. The tables were changed by other software.',
    );
  }
}
