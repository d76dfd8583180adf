import { query } from '../client/sql-database.ts';
import type { Statement, Steps } from '../client/sql-database.ts';

/** The differences between the databases of vectors. */
export interface VectorDialect {
  /** SQL types of the columns. */
  readonly types: { readonly name: string; readonly text: string; readonly integer: string; readonly vector: string };
  /** SQL of a vector parameter. `bind` returns its value. */
  readonly placeholder: string;
  bind(unit: Float32Array): string | Uint8Array;
  /** SQL of the cosine distance (1 − cosine) between the column and a vector parameter. */
  readonly distance: string;
  /** Statement that locks a user until the end of the transaction. Undefined if a transaction locks the whole database. */
  readonly lockUser: Statement['sql'] | undefined;
  /** Prepares the database before the table is created. */
  prepare(): Steps<void>;
  /** SQL that reads the number of columns in the primary key of a table, or 0 if there is no table, as `count`. */
  keyColumnsSql(table: string): string;
}

/** The columns of the table. The first four are its key: an entry has one vector of each model. */
export const VECTOR_COLUMNS = 'app_name, user_id, id_key, model, id_text, dimensions, vector';
export const VECTOR_KEY = 'app_name, user_id, id_key, model';
/** Number of columns in the key. In an earlier version, an entry had one vector. */
const [KEY_COLUMNS, EARLIER_KEY_COLUMNS] = [4, 3];

/** True if the table exists and has the key of this version. */
export function* hasVectorTable(table: string, dialect: VectorDialect): Steps<boolean> {
  return (yield* readKeyColumns(table, dialect)) === KEY_COLUMNS;
}

/** Creates the table and its index if they do not exist, and changes the key of a table of an earlier version. */
export function* createVectorTable(prefix: string, schema: string | undefined, dialect: VectorDialect): Steps<void> {
  const { types } = dialect;
  const table = vectorTableName(prefix, schema);
  const earlier = vectorTableName(`${prefix}earlier_`, schema);
  const hasEarlierKey = (yield* readKeyColumns(table, dialect)) === EARLIER_KEY_COLUMNS;
  if (hasEarlierKey) {
    yield* query(`DROP INDEX IF EXISTS ${table}_model`);
    yield* query(`ALTER TABLE ${table} RENAME TO ${prefix}earlier_vectors`);
  }
  yield* query(`CREATE TABLE IF NOT EXISTS ${table} (
    app_name ${types.name} NOT NULL, user_id ${types.name} NOT NULL, id_key ${types.name} NOT NULL, id_text ${types.text} NOT NULL,
    model ${types.name} NOT NULL, dimensions ${types.integer} NOT NULL, vector ${types.vector} NOT NULL,
    PRIMARY KEY (${VECTOR_KEY}))`);
  yield* query(`CREATE INDEX IF NOT EXISTS ${prefix}vectors_model ON ${table} (app_name, user_id, model)`);
  if (!hasEarlierKey) return;
  yield* query(`INSERT INTO ${table} (${VECTOR_COLUMNS}) SELECT ${VECTOR_COLUMNS} FROM ${earlier}`);
  yield* query(`DROP TABLE ${earlier}`);
}

function* readKeyColumns(table: string, dialect: VectorDialect): Steps<number> {
  const { rows } = yield* query(dialect.keyColumnsSql(table));
  return Number(rows[0]?.['count']);
}

/** Returns the name of the table in SQL, with prefix and schema. */
export function vectorTableName(prefix: string, schema: string | undefined): string {
  return `${schema === undefined ? '' : `${schema}.`}${prefix}vectors`;
}
