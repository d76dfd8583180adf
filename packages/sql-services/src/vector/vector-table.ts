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
}

/** Returns the statements that create the table and its index if they do not exist. */
export function vectorTableStatements(prefix: string, schema: string | undefined, { types }: VectorDialect): string[] {
  const table = vectorTableName(prefix, schema);
  return [
    `CREATE TABLE IF NOT EXISTS ${table} (
      app_name ${types.name} NOT NULL, user_id ${types.name} NOT NULL, id_key ${types.name} NOT NULL, id_text ${types.text} NOT NULL,
      model ${types.name} NOT NULL, dimensions ${types.integer} NOT NULL, vector ${types.vector} NOT NULL,
      PRIMARY KEY (app_name, user_id, id_key))`,
    `CREATE INDEX IF NOT EXISTS ${prefix}vectors_model ON ${table} (app_name, user_id, model)`,
  ];
}

/** Returns the name of the table in SQL, with prefix and schema. */
export function vectorTableName(prefix: string, schema: string | undefined): string {
  return `${schema === undefined ? '' : `${schema}.`}${prefix}vectors`;
}
