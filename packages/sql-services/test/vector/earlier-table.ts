/** Statements that create a table of vectors as an earlier version did: with one vector for each entry. */
export const earlierTable = (prefix: string, vectorType: string): string[] => [
  `CREATE TABLE ${prefix}vectors (
    app_name text NOT NULL, user_id text NOT NULL, id_key text NOT NULL, id_text text NOT NULL,
    model text NOT NULL, dimensions integer NOT NULL, vector ${vectorType} NOT NULL,
    PRIMARY KEY (app_name, user_id, id_key))`,
  `CREATE INDEX ${prefix}vectors_model ON ${prefix}vectors (app_name, user_id, model)`,
];
