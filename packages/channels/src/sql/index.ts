import type { DeliveryStore } from '../delivery/delivery-store.ts';
import type { IdentityStore } from '../identity/identity-store.ts';

/** A database of the caller. */
export interface SqlDatabase {
  readonly dialect: 'sqlite' | 'postgresql' | 'mysql';
  /** Runs one statement with `?` (`$1` in PostgreSQL) as parameters. */
  query(sql: string, parameters: readonly SqlParameter[]): Promise<SqlResult>;
  close?(): Promise<void>;
}
/** A value of a parameter. */
export type SqlParameter = string | number | null;
/** The result of a statement. */
export interface SqlResult {
  rows: readonly { readonly [column: string]: unknown }[];
  /** Number of inserted, updated or deleted rows. */
  changes: number;
}

/** Opens a SQLite file, created if missing, with the SQLite of Node. */
export declare function sqliteDatabase(path: string): SqlDatabase;

/** Users in an SQL database. */
export declare class SqlIdentityStore {
  constructor(database: SqlDatabase);
}
export declare interface SqlIdentityStore extends IdentityStore {}

/** Messages in an SQL database. */
export declare class SqlDeliveryStore {
  constructor(database: SqlDatabase);
}
export declare interface SqlDeliveryStore extends DeliveryStore {}
