import type { Statement, Steps } from '../client/sql-database.ts';

/** In what the vectors of two databases differ. */
export interface VectorDialect {
  /** Types of the columns: names, texts, whole numbers, vectors. */
  readonly types: { readonly name: string; readonly text: string; readonly integer: string; readonly vector: string };
  /** What stands for a vector in SQL, and what is bound there. */
  readonly placeholder: string;
  bind(unit: Float32Array): string | Uint8Array;
  /** The distance of the column from a bound vector: 1 less the cosine. */
  readonly distance: string;
  /** Makes upserts of one user wait for each other, within their transaction. */
  readonly lockUser: Statement['sql'] | undefined;
  /** What has to be there before the table is made. */
  prepare(): Steps<void>;
}

/** What makes the table and its index; each may be repeated. */
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

/** The table, as it is written in SQL. */
export function vectorTableName(prefix: string, schema: string | undefined): string {
  return `${schema === undefined ? '' : `${schema}.`}${prefix}vectors`;
}
