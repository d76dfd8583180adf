import { TholeError } from '@thole/core';
import { PgVectorStore } from '@thole/sql-services';
import { expect, it } from 'vitest';

it('PgVectorStore rejects other databases, a missing database, and unknown options', () => {
  const bad: readonly object[] = [
    {},
    { dbUrl: 'sqlite://:memory:' },
    { dbUrl: 'mysql://localhost/x' },
    { dbUrl: 'postgresql://localhost/x', dialect: 'postgres' },
    { dbUrl: 'postgresql://localhost/x', tablePrefix: 'a"; DROP TABLE x' },
    { dbUrl: 'postgresql://localhost/x', schema: 'Not lower' },
    { db: {} },
  ];
  for (const options of bad) {
    expect(() => new PgVectorStore(options), JSON.stringify(options)).toThrow(TholeError);
  }
});
