import { TholeError } from '@thole/core';
import { encodeBase64, decodeBase64, assertTextCodec, decodeText, encodeText, isEncoded } from '@thole/core/kit';
import type { ArtifactKey, ArtifactMeta, ArtifactScope, ArtifactStore, TextCodec } from '@thole/core';
import type { SqlValue, StatementResult, Steps } from '../client/sql-database.ts';
import { openStorage } from '../client/sql-storage.ts';
import type { SqlStorage } from '../client/sql-storage.ts';
import { databaseOptionNames } from '../client/sql-options.ts';
import type { DatabaseOptions } from '../client/sql-options.ts';
import { columnText } from '../session/row-values.ts';

const THE_FILE = 'app_name = ? AND user_id = ? AND session_id = ? AND filename = ?';

/** What a `SqlArtifactStore` may be told. */
export interface SqlArtifactStoreOptions extends DatabaseOptions {
  /** What files, as base64, and what is known of them go through on their way into the database, as for encryption at rest. */
  codec?: TextCodec | undefined;
}

/**
 * Keeps files in SQLite, PostgreSQL or MariaDB: a row for each version, and one for each name, which counts them. Deleted files are
 * also removed from the bytes of a SQLite file.
 */
export class SqlArtifactStore implements ArtifactStore {
  readonly specVersion = 1;
  readonly #storage: SqlStorage;
  readonly #codec: TextCodec | undefined;

  constructor(options: SqlArtifactStoreOptions) {
    this.#storage = openStorage(options, [...databaseOptionNames, 'codec'], 'An artifact store');
    assertTextCodec(options.codec);
    this.#codec = options.codec;
  }

  async put(key: ArtifactKey, bytes: Uint8Array, meta: ArtifactMeta): Promise<number> {
    const codec = this.#codec;
    const text = await encodeText(codec, JSON.stringify(meta));
    const content = codec ? new TextEncoder().encode(await encodeText(codec, encodeBase64(bytes))) : bytes;
    const deadline = this.#storage.deadline();
    for (;;) {
      // Two save the first version of a file at the same moment: the second counts on from the first.
      const onDuplicate = (): undefined => undefined;
      const version = await this.#storage.transact<number | undefined>(
        () => this.#put(this.#bind(key), content, text),
        { onDuplicate, deadline },
      );
      if (version !== undefined) return version;
    }
  }

  async get(
    key: ArtifactKey,
    version?: number,
  ): Promise<{ version: number; bytes: Uint8Array; meta: ArtifactMeta } | undefined> {
    const { artifacts } = this.#storage.tables;
    const which = version === undefined ? 'ORDER BY version DESC LIMIT 1' : 'AND version = ?';
    const sql = `SELECT version, meta, content, v FROM ${artifacts} WHERE ${THE_FILE} ${which}`;
    const { rows } = await this.#read(sql, [...this.#bind(key), ...(version === undefined ? [] : [version])]);
    const [row] = rows;
    if (!row) return undefined;
    if (Number(row['v']) !== 1) {
      const sentence = `Artifact ${key.filename} has a record of version ${Number(row['v'])}; this package reads version 1.`;
      throw new TholeError('STORE_VERSION', sentence);
    }
    const known = columnText(row['meta']);
    const content = new Uint8Array(row['content'] as Uint8Array);
    const meta = JSON.parse(await decodeText(this.#codec, known)) as ArtifactMeta;
    // A file may begin like anything; what is known of it was encoded with it or not at all.
    const bytes = isEncoded(known)
      ? decodeBase64(await decodeText(this.#codec, new TextDecoder().decode(content)))!
      : content;
    return { version: Number(row['version']), bytes, meta };
  }

  async versions(key: ArtifactKey): Promise<number[]> {
    const sql = `SELECT version FROM ${this.#storage.tables.artifacts} WHERE ${THE_FILE} ORDER BY version`;
    const { rows } = await this.#read(sql, this.#bind(key));
    return rows.map((row) => Number(row['version']));
  }

  async names(scope: ArtifactScope): Promise<string[]> {
    const sql = `SELECT DISTINCT filename FROM ${this.#storage.tables.artifacts}
      WHERE app_name = ? AND user_id = ? AND session_id = ?`;
    const { rows } = await this.#read(sql, this.#bindScope(scope));
    return rows.map((row) => columnText(row['filename']));
  }

  async remove(key: ArtifactKey): Promise<void> {
    const sql = `DELETE FROM ${this.#storage.tables.artifacts} WHERE ${THE_FILE}`;
    const { changes } = await this.#storage.write(() => this.#step(sql, this.#bind(key)));
    if (changes > 0) await this.#storage.erase();
  }

  async removeAll(scope: ArtifactScope): Promise<void> {
    const { artifacts, artifactNames } = this.#storage.tables;
    const names = this.#bindScope(scope);
    const ofSession = scope.sessionId === undefined ? '' : ' AND session_id = ?';
    const which = `WHERE app_name = ? AND user_id = ?${ofSession}`;
    const parameters = scope.sessionId === undefined ? names.slice(0, 2) : names;
    const step = (table: string): Steps<StatementResult> => this.#step(`DELETE FROM ${table} ${which}`, parameters);
    const { changes } = await this.#storage.transact(function* () {
      yield* step(artifactNames);
      return yield* step(artifacts);
    });
    if (changes > 0) await this.#storage.erase();
  }

  /** Makes the tables, or brings them to this package's version; several processes may do so at once. */
  migrate(): Promise<void> {
    return this.#storage.migrate();
  }

  /** `STORE_UNAVAILABLE` unless the database answers. */
  ping(): Promise<void> {
    return this.#storage.ping();
  }

  /** Closes what was opened from a URL; what was passed in stays open. */
  close(): Promise<void> {
    return this.#storage.close();
  }

  *#put(names: readonly SqlValue[], bytes: Uint8Array, meta: string): Steps<number> {
    const { artifacts, artifactNames } = this.#storage.tables;
    const { forUpdate } = this.#storage.dialect;
    const find = `SELECT next_version FROM ${artifactNames} WHERE ${THE_FILE}${forUpdate}`;
    const { rows } = yield* this.#step(find, names);
    const version = rows[0] ? Number(rows[0]['next_version']) : 0;
    if (rows[0]) {
      yield* this.#step(`UPDATE ${artifactNames} SET next_version = ? WHERE ${THE_FILE}`, [version + 1, ...names]);
    } else {
      const columns = 'app_name, user_id, session_id, filename, next_version';
      yield* this.#step(`INSERT INTO ${artifactNames} (${columns}) VALUES (?, ?, ?, ?, ?)`, [...names, 1]);
    }
    const sql = `INSERT INTO ${artifacts} (app_name, user_id, session_id, filename, version, meta, content, v)
      VALUES (?, ?, ?, ?, ?, ?, ?, 1)`;
    yield* this.#step(sql, [...names, version, meta, bytes]);
    return version;
  }

  *#step(sql: string, parameters: readonly SqlValue[]): Steps<StatementResult> {
    return yield { sql: this.#storage.dialect.statement(sql), parameters };
  }

  #read(sql: string, parameters: readonly SqlValue[]): Promise<StatementResult> {
    return this.#storage.read(() => this.#step(sql, parameters));
  }

  #bind(key: ArtifactKey): SqlValue[] {
    return [...this.#bindScope(key), this.#storage.dialect.bindName(key.filename)];
  }

  // A name is never empty, so the user's own files are those of the session without a name.
  #bindScope({ appName, userId, sessionId = '' }: ArtifactScope): SqlValue[] {
    return [appName, userId, sessionId].map(this.#storage.dialect.bindName);
  }
}
