import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** New SQLite files in a folder that is removed after the tests. */
export interface SqliteFiles {
  readonly folder: string;
  /** Returns the path and URL of a new file. */
  next(): { path: string; dbUrl: string };
  /** Creates an object on a new file, and stores the file's URL. */
  create<T extends object>(create: (dbUrl: string) => T): T;
  /** Returns the URL that `create` stored. */
  urlOf(created: object): string;
}

export function sqliteFiles(): SqliteFiles {
  const folder = mkdtempSync(join(tmpdir(), 'sql-services-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const urls = new WeakMap<object, string>();
  let count = 0;
  const next = (): { path: string; dbUrl: string } => {
    const path = join(folder, `${count++}.db`);
    return { path, dbUrl: `sqlite:///${path}` };
  };
  return {
    folder,
    next,
    create(create) {
      const { dbUrl } = next();
      const created = create(dbUrl);
      urls.set(created, dbUrl);
      return created;
    },
    urlOf: (created) => urls.get(created)!,
  };
}
