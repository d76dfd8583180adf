import { TholeError } from '@thole/core';
import {
  assertTextCodec,
  decodeBase64,
  decodeText,
  encodeBase64,
  encodeText,
  isEncoded,
  optionNames,
} from '@thole/core/kit';
import type { ArtifactKey, ArtifactMeta, ArtifactScope, ArtifactStore, TextCodec } from '@thole/core';
import type { SqlValue, StatementResult, Steps } from '../client/sql-database.ts';
import { openStorage } from '../client/sql-storage.ts';
import type { SqlStorage } from '../client/sql-storage.ts';
import { SqlStore } from '../client/sql-store.ts';
import { sqlOptionNames } from '../client/sql-options.ts';
import type { DatabaseOptions } from '../client/sql-options.ts';
import { columnText } from '../session/row-values.ts';

const ARTIFACT_CONDITION = 'app_name = ? AND user_id = ? AND session_id = ? AND filename = ?';

/** Options of `SqlArtifactStore`. */
export interface SqlArtifactStoreOptions extends DatabaseOptions {
  /** Encodes artifacts (as base64) and their metadata, for example to encrypt them. Default: none. */
  codec?: TextCodec | undefined;
}

const artifactStoreOptionNames = [
  ...sqlOptionNames,
  ...optionNames<Omit<SqlArtifactStoreOptions, keyof DatabaseOptions>>({ codec: true }),
];

/**
 * Stores artifacts in SQLite, PostgreSQL or MariaDB: one row per version, and one row per name with the next version
 * number. Deleted artifacts are also removed from the bytes of a SQLite file.
 */
export class SqlArtifactStore extends SqlStore implements ArtifactStore {
  readonly #storage: SqlStorage;
  readonly #codec: TextCodec | undefined;

  constructor(options: SqlArtifactStoreOptions) {
    const storage = openStorage(options, artifactStoreOptionNames, 'SqlArtifactStore');
    super(storage);
    this.#storage = storage;
    assertTextCodec(options.codec);
    this.#codec = options.codec;
  }

  async put(key: ArtifactKey, bytes: Uint8Array, meta: ArtifactMeta): Promise<number> {
    const codec = this.#codec;
    const text = await encodeText(codec, JSON.stringify(meta));
    const content = codec ? new TextEncoder().encode(await encodeText(codec, encodeBase64(bytes))) : bytes;
    const deadline = this.#storage.deadline();
    for (;;) {
      // Another call saved the first version of this artifact at the same time. The next attempt finds its row.
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
    const selection = version === undefined ? 'ORDER BY version DESC LIMIT 1' : 'AND version = ?';
    const sql = `SELECT version, meta, content, v FROM ${artifacts} WHERE ${ARTIFACT_CONDITION} ${selection}`;
    const { rows } = await this.#read(sql, [...this.#bind(key), ...(version === undefined ? [] : [version])]);
    const [row] = rows;
    if (!row) return undefined;
    if (Number(row['v']) !== 1) {
      const message = `Artifact "${key.filename}" has a record of version ${Number(row['v'])}. This package reads version 1.`;
      throw new TholeError('STORE_VERSION', message);
    }
    const storedMeta = columnText(row['meta']);
    const content = new Uint8Array(row['content'] as Uint8Array);
    const meta = JSON.parse(await decodeText(this.#codec, storedMeta)) as ArtifactMeta;
    // The content may start with any bytes, so only the metadata shows whether a codec was used.
    const bytes = isEncoded(storedMeta)
      ? decodeBase64(await decodeText(this.#codec, new TextDecoder().decode(content)))!
      : content;
    return { version: Number(row['version']), bytes, meta };
  }

  async versions(key: ArtifactKey): Promise<number[]> {
    const sql = `SELECT version FROM ${this.#storage.tables.artifacts} WHERE ${ARTIFACT_CONDITION} ORDER BY version`;
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
    const sql = `DELETE FROM ${this.#storage.tables.artifacts} WHERE ${ARTIFACT_CONDITION}`;
    const { changes } = await this.#storage.write(() => this.#query(sql, this.#bind(key)));
    if (changes > 0) await this.#storage.erase();
  }

  async removeAll(scope: ArtifactScope): Promise<void> {
    const { artifacts, artifactNames } = this.#storage.tables;
    const names = this.#bindScope(scope);
    const sessionCondition = scope.sessionId === undefined ? '' : ' AND session_id = ?';
    const condition = `WHERE app_name = ? AND user_id = ?${sessionCondition}`;
    const parameters = scope.sessionId === undefined ? names.slice(0, 2) : names;
    const remove = (table: string): Steps<StatementResult> =>
      this.#query(`DELETE FROM ${table} ${condition}`, parameters);
    // A deleted artifact has left its name, which may say something about the user.
    const count = await this.#storage.transact(function* () {
      const removedNames = yield* remove(artifactNames);
      return removedNames.changes + (yield* remove(artifacts)).changes;
    });
    if (count > 0) await this.#storage.erase();
  }

  *#put(names: readonly SqlValue[], bytes: Uint8Array, meta: string): Steps<number> {
    const { artifacts, artifactNames } = this.#storage.tables;
    const { forUpdate } = this.#storage.dialect;
    const find = `SELECT next_version FROM ${artifactNames} WHERE ${ARTIFACT_CONDITION}${forUpdate}`;
    const { rows } = yield* this.#query(find, names);
    const version = rows[0] ? Number(rows[0]['next_version']) : 0;
    if (rows[0]) {
      yield* this.#query(`UPDATE ${artifactNames} SET next_version = ? WHERE ${ARTIFACT_CONDITION}`, [
        version + 1,
        ...names,
      ]);
    } else {
      const columns = 'app_name, user_id, session_id, filename, next_version';
      yield* this.#query(`INSERT INTO ${artifactNames} (${columns}) VALUES (?, ?, ?, ?, ?)`, [...names, 1]);
    }
    const sql = `INSERT INTO ${artifacts} (app_name, user_id, session_id, filename, version, meta, content, v)
      VALUES (?, ?, ?, ?, ?, ?, ?, 1)`;
    yield* this.#query(sql, [...names, version, meta, bytes]);
    return version;
  }

  *#query(sql: string, parameters: readonly SqlValue[]): Steps<StatementResult> {
    return yield { sql: this.#storage.dialect.statement(sql), parameters };
  }

  #read(sql: string, parameters: readonly SqlValue[]): Promise<StatementResult> {
    return this.#storage.read(() => this.#query(sql, parameters));
  }

  #bind(key: ArtifactKey): SqlValue[] {
    return [...this.#bindScope(key), this.#storage.dialect.bindName(key.filename)];
  }

  // The empty session id marks artifacts of the user. A session id is never empty.
  #bindScope({ appName, userId, sessionId = '' }: ArtifactScope): SqlValue[] {
    return [appName, userId, sessionId].map(this.#storage.dialect.bindName);
  }
}
