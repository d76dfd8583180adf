import { TholeError } from '@thole/core';
import type { CredentialRecord, CredentialRecordKey, CredentialStore, UserRef } from '@thole/core';
import type { SqlValue, StatementResult, Steps } from '../client/sql-database.ts';
import { openStorage } from '../client/sql-storage.ts';
import type { SqlStorage } from '../client/sql-storage.ts';
import { SqlStore } from '../client/sql-store.ts';
import { sqlOptionNames } from '../client/sql-options.ts';
import type { DatabaseOptions } from '../client/sql-options.ts';
import { columnText } from '../session/row-values.ts';

const RECORD_CONDITION = 'app_name = ? AND user_id = ? AND kind = ? AND record_name = ?';

/** Stores credentials in SQLite, PostgreSQL or MariaDB: one row per credential. The caller encrypts the content. */
export class SqlCredentialStore extends SqlStore implements CredentialStore {
  readonly #storage: SqlStorage;

  constructor(options: DatabaseOptions) {
    const storage = openStorage(options, sqlOptionNames, 'SqlCredentialStore');
    super(storage);
    this.#storage = storage;
  }

  async put(key: CredentialRecordKey, { content, expiresAt }: CredentialRecord, now: number): Promise<void> {
    const { credentials } = this.#storage.tables;
    const names = this.#bind(key);
    const values = [content, expiresAt ?? null];
    const update = `UPDATE ${credentials} SET content = ?, expires_at = ?, v = 1 WHERE ${RECORD_CONDITION}`;
    const insert = `INSERT INTO ${credentials} (app_name, user_id, kind, record_name, content, expires_at, v)
      VALUES (?, ?, ?, ?, ?, ?, 1)`;
    const removeExpired = `DELETE FROM ${credentials} WHERE app_name = ? AND user_id = ? AND expires_at < ?`;
    const query = this.#query.bind(this);
    const deadline = this.#storage.deadline();
    for (;;) {
      // Another call stored a record with this name at the same time. The next attempt updates its row.
      const onDuplicate = (): undefined => undefined;
      const hasErased = await this.#storage.transact<boolean | undefined>(
        function* () {
          const removed = yield* query(removeExpired, [...names.slice(0, 2), now]);
          const updated = yield* query(update, [...values, ...names]);
          if (updated.changes === 0) yield* query(insert, [...names, ...values]);
          return removed.changes + updated.changes > 0;
        },
        { onDuplicate, deadline },
      );
      if (hasErased === undefined) continue;
      if (hasErased) await this.#storage.erase();
      return;
    }
  }

  async get(key: CredentialRecordKey): Promise<CredentialRecord | undefined> {
    const sql = `SELECT content, expires_at, v FROM ${this.#storage.tables.credentials} WHERE ${RECORD_CONDITION}`;
    const { rows } = await this.#storage.read(() => this.#query(sql, this.#bind(key)));
    const [row] = rows;
    if (!row) return undefined;
    if (Number(row['v']) !== 1) {
      const message = `A credential has a record of version ${Number(row['v'])}. This package reads version 1.`;
      throw new TholeError('STORE_VERSION', message);
    }
    const expiresAt = row['expires_at'] === null ? undefined : Number(row['expires_at']);
    return { content: columnText(row['content']), ...(expiresAt !== undefined && { expiresAt }) };
  }

  async names(scope: UserRef & Pick<CredentialRecordKey, 'kind'>): Promise<string[]> {
    const sql = `SELECT record_name FROM ${this.#storage.tables.credentials}
      WHERE app_name = ? AND user_id = ? AND kind = ?`;
    const { bindName } = this.#storage.dialect;
    const parameters = [scope.appName, scope.userId, scope.kind].map(bindName);
    const { rows } = await this.#storage.read(() => this.#query(sql, parameters));
    return rows.map((row) => columnText(row['record_name']));
  }

  async remove(key: CredentialRecordKey): Promise<void> {
    await this.#delete(RECORD_CONDITION, this.#bind(key));
  }

  async removeAll(user: UserRef): Promise<void> {
    const { bindName } = this.#storage.dialect;
    await this.#delete('app_name = ? AND user_id = ?', [bindName(user.appName), bindName(user.userId)]);
  }

  async #delete(condition: string, parameters: readonly SqlValue[]): Promise<void> {
    const sql = `DELETE FROM ${this.#storage.tables.credentials} WHERE ${condition}`;
    const { changes } = await this.#storage.write(() => this.#query(sql, parameters));
    if (changes > 0) await this.#storage.erase();
  }

  *#query(sql: string, parameters: readonly SqlValue[]): Steps<StatementResult> {
    return yield { sql: this.#storage.dialect.statement(sql), parameters };
  }

  #bind({ appName, userId, kind, name }: CredentialRecordKey): SqlValue[] {
    return [appName, userId, kind, name].map(this.#storage.dialect.bindName);
  }
}
