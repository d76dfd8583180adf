import { assertName, raceAbort } from '@thole/core/kit';
import type { CallOptions, UserRef, VectorQuery, VectorRow, VectorStore } from '@thole/core';
import { assertVectorIds, checkVectorQuery, checkVectorRows } from '@thole/recall';
import { dimensionMismatch } from '@thole/recall/kit';
import { query } from '../client/sql-database.ts';
import type { Row, SqlDatabase, SqlValue, StatementResult, Steps } from '../client/sql-database.ts';
import { isSqlFailure, mapSqlError } from '../client/sql-failure.ts';
import { toIdKey } from '../memory/memory-records.ts';
import { paddedChunksOf, placeholders, chunksOf } from '../memory/chunks.ts';
import { tableNames } from '../schema/table-names.ts';
import { columnText } from '../session/row-values.ts';
import { vectorTableName, vectorTableStatements } from './vector-table.ts';
import type { VectorDialect } from './vector-table.ts';

/** Rows that one statement writes, and ids that one asks about; powers of two. */
const [MOST_ROWS, MOST_IDS] = [64, 256];
const COLUMNS = 'app_name, user_id, id_key, id_text, model, dimensions, vector';
const THE_USER = 'app_name = ? AND user_id = ?';

/** Where vectors are kept. */
export interface VectorDatabase {
  readonly database: SqlDatabase;
  readonly dialect: VectorDialect;
  readonly tablePrefix?: string | undefined;
  readonly schema?: string | undefined;
  readonly autoMigrate?: boolean | undefined;
}

/** Vectors in a table, each with its length and model, found by an exact scan of one user's rows in the database. */
export class SqlVectorStore implements VectorStore {
  readonly specVersion = 1;
  readonly #place: VectorDatabase;
  readonly #database: SqlDatabase;
  readonly #flavour: VectorDialect;
  readonly #table: string;
  #preparing: Promise<void> | undefined;

  constructor(place: VectorDatabase) {
    const { tablePrefix = 'thole_', schema } = place;
    // For its checks: both are written into SQL as they are.
    tableNames(tablePrefix, schema);
    this.#place = place;
    this.#database = place.database;
    this.#flavour = place.dialect;
    this.#table = vectorTableName(tablePrefix, schema);
  }

  async upsert(scope: UserRef, rows: readonly VectorRow[]): Promise<void> {
    const checked = checkVectorRows(scope, rows);
    if (checked.length === 0) return;
    await this.#ready();
    await this.#told(this.#database.transact(() => this.#upsert(scope, checked)));
  }

  async query(scope: UserRef, p: VectorQuery): Promise<{ id: string; score: number }[]> {
    const { model, unit, limit, minScore = -Infinity } = checkVectorQuery(scope, p);
    if (limit === 0) return [];
    const rows = await raceAbort(this.#nearest(scope, { model, unit, limit }), p.signal);
    const found = rows.map((row) => {
      const score = Math.max(-1, Math.min(1, 1 - Number(row['distance'])));
      return { id: JSON.parse(columnText(row['id_text'])) as string, score };
    });
    found.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
    return found.filter(({ score }) => score >= minScore);
  }

  async delete(scope: UserRef, ids: readonly string[] | 'everything'): Promise<void> {
    assertVectorIds(scope, ids);
    if (ids.length === 0) return;
    await this.#ready();
    await this.#told(this.#database.transact(() => this.#delete(scope, ids)));
    await this.#database.erase?.(this.#place.tablePrefix ?? 'thole_');
  }

  async has(scope: UserRef, p: { model: string; ids: readonly string[] } & CallOptions): Promise<string[]> {
    assertVectorIds(scope, p.ids);
    assertName('model', p.model);
    p.signal?.throwIfAborted();
    if (p.ids.length === 0) return [];
    await raceAbort(this.#ready(), p.signal);
    const asking = this.#database.run(() => this.#has(scope, p.model, p.ids), { writes: false });
    const keys = await raceAbort(this.#told(asking), p.signal);
    return p.ids.filter((id) => keys.has(toIdKey(id)));
  }

  /** Makes the table where it is not there; several processes may do so at once. `DRIVER_MISSING` without the extension. */
  async migrate(): Promise<void> {
    const { tablePrefix = 'thole_', schema } = this.#place;
    const statements = vectorTableStatements(tablePrefix, schema, this.#flavour);
    const [database, flavour] = [this.#database, this.#flavour];
    const lock = database.dialect.migrationLock(this.#table);
    const make = (): Promise<void> =>
      database.transact(function* () {
        if (lock.take) yield lock.take;
        yield* flavour.prepare();
        for (const sql of statements) yield* query(sql);
      });
    await this.#told(
      make().catch((error: unknown) => {
        // Another process was faster.
        if (isSqlFailure(error, 'duplicate')) return make();
        throw error;
      }),
    );
  }

  /** `STORE_UNAVAILABLE` unless the database answers. */
  async ping(): Promise<void> {
    await this.#told(this.#database.run(() => query('SELECT 1'), { writes: false }));
  }

  /** Closes what was opened from a URL; what was passed in stays open. */
  close(): Promise<void> {
    return this.#database.close();
  }

  async #nearest(scope: UserRef, p: { model: string; unit: Float32Array; limit: number }): Promise<readonly Row[]> {
    await this.#ready();
    return this.#told(this.#database.run(() => this.#query(scope, p), { writes: false }));
  }

  *#upsert(scope: UserRef, rows: readonly VectorRow[]): Steps<void> {
    const user = this.#user(scope);
    const { lockUser, placeholder } = this.#flavour;
    if (lockUser !== undefined) yield* this.#ask(lockUser, user);
    for (const [model, { length }] of new Map(rows.map(({ model, vector }) => [model, vector]))) {
      const kept = yield* this.#dimensions(scope, model);
      if (kept !== undefined && kept !== length) throw dimensionMismatch('vector', length, kept, model);
    }
    const one = `(?, ?, ?, ?, ?, ?, ${placeholder})`;
    for (const portion of chunksOf(rows, MOST_ROWS)) {
      const sql = `INSERT INTO ${this.#table} (${COLUMNS}) VALUES ${portion.map(() => one).join(', ')}
        ON CONFLICT (app_name, user_id, id_key) DO UPDATE
        SET model = excluded.model, dimensions = excluded.dimensions, vector = excluded.vector`;
      const parameters = portion.flatMap(({ id, model, vector }) => [
        ...[...user, this.#name(toIdKey(id)), JSON.stringify(id), this.#name(model)],
        ...[vector.length, this.#flavour.bind(vector)],
      ]);
      yield* this.#ask(sql, parameters);
    }
  }

  *#query(scope: UserRef, p: { model: string; unit: Float32Array; limit: number }): Steps<readonly Row[]> {
    const sql = `SELECT id_text, ${this.#flavour.distance} AS distance FROM ${this.#table}
      WHERE ${THE_USER} AND model = ? AND dimensions = ? ORDER BY distance, id_text LIMIT ?`;
    const vector = this.#flavour.bind(p.unit);
    const parameters = [vector, ...this.#user(scope), this.#name(p.model), p.unit.length, p.limit];
    const { rows } = yield* this.#ask(sql, parameters);
    if (rows.length > 0) return rows;
    const kept = yield* this.#dimensions(scope, p.model);
    if (kept !== undefined && kept !== p.unit.length) throw dimensionMismatch('vector', p.unit.length, kept, p.model);
    return rows;
  }

  *#dimensions(scope: UserRef, model: string): Steps<number | undefined> {
    const sql = `SELECT dimensions FROM ${this.#table} WHERE ${THE_USER} AND model = ? LIMIT 1`;
    const { rows } = yield* this.#ask(sql, [...this.#user(scope), this.#name(model)]);
    return rows[0] && Number(rows[0]['dimensions']);
  }

  *#delete(scope: UserRef, ids: readonly string[] | 'everything'): Steps<void> {
    const sql = `DELETE FROM ${this.#table} WHERE ${THE_USER}`;
    if (ids === 'everything') {
      yield* this.#ask(sql, this.#user(scope));
      return;
    }
    for (const portion of paddedChunksOf(ids, MOST_IDS)) {
      const keys = portion.map((id) => this.#name(toIdKey(id)));
      yield* this.#ask(`${sql} AND id_key IN (${placeholders(keys.length)})`, [...this.#user(scope), ...keys]);
    }
  }

  *#has(scope: UserRef, model: string, ids: readonly string[]): Steps<Set<string>> {
    const found = new Set<string>();
    for (const portion of paddedChunksOf(ids, MOST_IDS)) {
      const keys = portion.map((id) => this.#name(toIdKey(id)));
      const sql = `SELECT id_key FROM ${this.#table} WHERE ${THE_USER} AND model = ? AND id_key IN (${placeholders(keys.length)})`;
      const { rows } = yield* this.#ask(sql, [...this.#user(scope), this.#name(model), ...keys]);
      for (const row of rows) found.add(columnText(row['id_key']));
    }
    return found;
  }

  *#ask(sql: string, parameters: readonly SqlValue[]): Steps<StatementResult> {
    return yield* query(this.#database.dialect.statement(sql), parameters);
  }

  #user(scope: UserRef): SqlValue[] {
    return [this.#name(scope.appName), this.#name(scope.userId)];
  }

  #name(value: string): SqlValue {
    return this.#database.dialect.bindName(value);
  }

  #ready(): Promise<void> {
    if (this.#place.autoMigrate === false) return Promise.resolve();
    this.#preparing ??= this.migrate().catch((error: unknown) => {
      this.#preparing = undefined;
      throw error;
    });
    return this.#preparing;
  }

  async #told<T>(working: Promise<T>): Promise<T> {
    try {
      return await working;
    } catch (error) {
      throw mapSqlError(error, this.#database.displayName);
    }
  }
}
