import { TholeError } from '@thole/core';
import { assertName, raceAbort } from '@thole/core/kit';
import type { CallOptions, Runtime, UserRef, VectorQuery, VectorRow, VectorStore } from '@thole/core';
import { assertVectorIds, checkVectorQuery, checkVectorRows } from '@thole/recall';
import { dimensionMismatch } from '@thole/recall/kit';
import { chunksOf, paddedChunksOf, placeholders } from '../client/chunks.ts';
import { mapSqlError } from '../client/map-sql-error.ts';
import { query } from '../client/sql-database.ts';
import type { Row, SqlDatabase, SqlValue, StatementResult, Steps } from '../client/sql-database.ts';
import { isSqlFailure } from '../client/sql-failure.ts';
import { tablesNotReady, withDeadline } from '../client/with-deadline.ts';
import { toIdKey } from '../memory/memory-records.ts';
import { migrationDeadline } from '../schema/migrate.ts';
import { tableNames } from '../schema/table-names.ts';
import { columnText } from '../session/row-values.ts';
import { createVectorTable, hasVectorTable, VECTOR_COLUMNS, VECTOR_KEY, vectorTableName } from './vector-table.ts';
import type { VectorDialect } from './vector-table.ts';

/** Maximum numbers of rows and ids in one statement, powers of two. */
const [MAX_ROWS, MAX_IDS] = [64, 256];
const USER_CONDITION = 'app_name = ? AND user_id = ?';

/** The database of a `SqlVectorStore`, and its table. */
export interface VectorDatabase {
  readonly database: SqlDatabase;
  readonly dialect: VectorDialect;
  readonly runtime: Runtime;
  readonly tablePrefix?: string | undefined;
  readonly schema?: string | undefined;
  readonly autoMigrate?: boolean | undefined;
}

/** Vectors in a table, with their models and dimensions. A query compares all vectors of the user and model. */
export class SqlVectorStore implements VectorStore {
  readonly specVersion = 1;
  readonly #options: VectorDatabase;
  readonly #database: SqlDatabase;
  readonly #dialect: VectorDialect;
  readonly #table: string;
  #isReady = false;
  #preparing: Promise<void> | undefined;

  constructor(options: VectorDatabase) {
    const { tablePrefix = 'thole_', schema } = options;
    // Checks both names, which are written into SQL.
    tableNames(tablePrefix, schema);
    this.#options = options;
    this.#database = options.database;
    this.#dialect = options.dialect;
    this.#table = vectorTableName(tablePrefix, schema);
  }

  async upsert(scope: UserRef, rows: readonly VectorRow[]): Promise<void> {
    const checked = checkVectorRows(scope, rows);
    if (checked.length === 0) return;
    const deadline = this.#database.deadline();
    await this.#prepare(deadline);
    await this.#mapErrors(this.#database.transact(() => this.#upsert(scope, checked), deadline));
  }

  async query(scope: UserRef, p: VectorQuery): Promise<{ id: string; score: number }[]> {
    const { model, unit, limit, minScore = -Infinity } = checkVectorQuery(scope, p);
    if (limit === 0) return [];
    const rows = await raceAbort(this.#findNearest(scope, { model, unit, limit }), p.signal);
    const hits = rows.map((row) => {
      const score = Math.max(-1, Math.min(1, 1 - Number(row['distance'])));
      return { id: JSON.parse(columnText(row['id_text'])) as string, score };
    });
    hits.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
    return hits.filter(({ score }) => score >= minScore);
  }

  async delete(scope: UserRef, ids: readonly string[] | 'everything'): Promise<void> {
    assertVectorIds(scope, ids);
    if (ids.length === 0) return;
    const deadline = this.#database.deadline();
    await this.#prepare(deadline);
    await this.#mapErrors(this.#database.transact(() => this.#delete(scope, ids), deadline));
    await this.#database.erase?.(this.#options.tablePrefix ?? 'thole_');
  }

  async has(scope: UserRef, p: { model: string; ids: readonly string[] } & CallOptions): Promise<string[]> {
    assertVectorIds(scope, p.ids);
    assertName('model', p.model);
    p.signal?.throwIfAborted();
    if (p.ids.length === 0) return [];
    const deadline = this.#database.deadline();
    await raceAbort(this.#prepare(deadline), p.signal);
    const reading = this.#database.run(() => this.#has(scope, p.model, p.ids), { writes: false, deadline });
    const keys = await raceAbort(this.#mapErrors(reading), p.signal);
    return p.ids.filter((id) => keys.has(toIdKey(id)));
  }

  /**
   * Creates the table if it does not exist, or updates it. Several processes may call this at the same time. Throws `DRIVER_MISSING` without
   * the extension.
   */
  async migrate(): Promise<void> {
    const { tablePrefix = 'thole_', schema } = this.#options;
    const [database, dialect] = [this.#database, this.#dialect];
    const lock = database.dialect.migrationLock(this.#table);
    const create = (): Promise<void> =>
      database.transact(function* () {
        if (lock.acquire) yield lock.acquire;
        yield* dialect.prepare();
        yield* createVectorTable(tablePrefix, schema, dialect);
      }, migrationDeadline(database));
    await this.#mapErrors(
      create().catch((error: unknown) => {
        // Another process created the table at the same time.
        if (isSqlFailure(error, 'duplicate')) return create();
        throw error;
      }),
    );
  }

  /** Throws `STORE_UNAVAILABLE` unless the database answers. */
  async ping(): Promise<void> {
    await this.#mapErrors(this.#database.run(() => query('SELECT 1'), { writes: false }));
  }

  /** Rewrites a SQLite file so that its unused space contains no deleted data. Has no effect on PostgreSQL. */
  async compact(): Promise<void> {
    if (this.#database.compact) await this.#mapErrors(this.#database.compact());
  }

  /** Closes the connections that were opened from a URL. A pool or Kysely instance of the caller stays open. */
  close(): Promise<void> {
    return this.#database.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #findNearest(scope: UserRef, p: { model: string; unit: Float32Array; limit: number }): Promise<readonly Row[]> {
    const deadline = this.#database.deadline();
    await this.#prepare(deadline);
    return this.#mapErrors(this.#database.run(() => this.#nearestSteps(scope, p), { writes: false, deadline }));
  }

  *#upsert(scope: UserRef, rows: readonly VectorRow[]): Steps<void> {
    const user = this.#bindUser(scope);
    const { lockUser, placeholder } = this.#dialect;
    if (lockUser !== undefined) yield* this.#query(lockUser, user);
    for (const [model, { length }] of new Map(rows.map(({ model, vector }) => [model, vector]))) {
      const stored = yield* this.#readDimensions(scope, model);
      if (stored !== undefined && stored !== length) throw dimensionMismatch('vector', length, stored, model);
    }
    const row = `(?, ?, ?, ?, ?, ?, ${placeholder})`;
    for (const chunk of chunksOf(rows, MAX_ROWS)) {
      const sql = `INSERT INTO ${this.#table} (${VECTOR_COLUMNS}) VALUES ${chunk.map(() => row).join(', ')}
        ON CONFLICT (${VECTOR_KEY}) DO UPDATE
        SET dimensions = excluded.dimensions, vector = excluded.vector`;
      const parameters = chunk.flatMap(({ id, model, vector }) => [
        ...[...user, this.#bindName(toIdKey(id)), this.#bindName(model), JSON.stringify(id)],
        ...[vector.length, this.#dialect.bind(vector)],
      ]);
      yield* this.#query(sql, parameters);
    }
  }

  *#nearestSteps(scope: UserRef, p: { model: string; unit: Float32Array; limit: number }): Steps<readonly Row[]> {
    const sql = `SELECT id_text, ${this.#dialect.distance} AS distance FROM ${this.#table}
      WHERE ${USER_CONDITION} AND model = ? AND dimensions = ? ORDER BY distance, id_text LIMIT ?`;
    const vector = this.#dialect.bind(p.unit);
    const parameters = [vector, ...this.#bindUser(scope), this.#bindName(p.model), p.unit.length, p.limit];
    const { rows } = yield* this.#query(sql, parameters);
    if (rows.length > 0) return rows;
    const stored = yield* this.#readDimensions(scope, p.model);
    if (stored !== undefined && stored !== p.unit.length)
      throw dimensionMismatch('vector', p.unit.length, stored, p.model);
    return rows;
  }

  *#readDimensions(scope: UserRef, model: string): Steps<number | undefined> {
    const sql = `SELECT dimensions FROM ${this.#table} WHERE ${USER_CONDITION} AND model = ? LIMIT 1`;
    const { rows } = yield* this.#query(sql, [...this.#bindUser(scope), this.#bindName(model)]);
    return rows[0] && Number(rows[0]['dimensions']);
  }

  *#delete(scope: UserRef, ids: readonly string[] | 'everything'): Steps<void> {
    const sql = `DELETE FROM ${this.#table} WHERE ${USER_CONDITION}`;
    if (ids === 'everything') {
      yield* this.#query(sql, this.#bindUser(scope));
      return;
    }
    for (const chunk of paddedChunksOf(ids, MAX_IDS)) {
      const keys = chunk.map((id) => this.#bindName(toIdKey(id)));
      yield* this.#query(`${sql} AND id_key IN (${placeholders(keys.length)})`, [...this.#bindUser(scope), ...keys]);
    }
  }

  *#has(scope: UserRef, model: string, ids: readonly string[]): Steps<Set<string>> {
    const found = new Set<string>();
    for (const chunk of paddedChunksOf(ids, MAX_IDS)) {
      const keys = chunk.map((id) => this.#bindName(toIdKey(id)));
      const sql = `SELECT id_key FROM ${this.#table} WHERE ${USER_CONDITION} AND model = ? AND id_key IN (${placeholders(keys.length)})`;
      const { rows } = yield* this.#query(sql, [...this.#bindUser(scope), this.#bindName(model), ...keys]);
      for (const row of rows) found.add(columnText(row['id_key']));
    }
    return found;
  }

  *#query(sql: string, parameters: readonly SqlValue[]): Steps<StatementResult> {
    return yield* query(this.#database.dialect.statement(sql), parameters);
  }

  #bindUser(scope: UserRef): SqlValue[] {
    return [this.#bindName(scope.appName), this.#bindName(scope.userId)];
  }

  #bindName(value: string): SqlValue {
    return this.#database.dialect.bindName(value);
  }

  /** Waits until the table exists. Throws `STORE_UNAVAILABLE` at the deadline. */
  async #prepare(deadline: number): Promise<void> {
    if (this.#isReady || this.#options.autoMigrate === false) return;
    this.#preparing ??= this.#makeReady().finally(() => (this.#preparing = undefined));
    const { runtime } = this.#options;
    const timeoutError = (): unknown => tablesNotReady(this.#database);
    await this.#mapErrors(withDeadline(runtime, deadline, this.#preparing, timeoutError));
  }

  // An existing table needs no lock and no right to create tables.
  async #makeReady(): Promise<void> {
    const find = (): Steps<boolean> => hasVectorTable(this.#table, this.#dialect);
    if (!(await this.#database.run(find, { writes: false }))) await this.migrate();
    this.#isReady = true;
  }

  async #mapErrors<T>(result: Promise<T>): Promise<T> {
    try {
      return await result;
    } catch (error) {
      if (isSqlFailure(error) && hasEarlierKey(error.cause))
        throw new TholeError('STORE_VERSION', 'The table of vectors has an earlier version. Call migrate().');
      throw mapSqlError(error, this.#database.displayName);
    }
  }
}

/** True if the table does not have the key that an `upsert` needs. */
function hasEarlierKey(cause: unknown): boolean {
  const { code, message } = cause as { code?: unknown; message?: unknown };
  return code === '42P10' || String(message).startsWith('ON CONFLICT clause does not match');
}
