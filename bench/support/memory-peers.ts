import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { fetchPeer } from '../../scripts/fetch-package.mjs';

/** A text to be found, by its place in the list it came in. */
export interface Peer {
  readonly name: string;
  add(texts: readonly string[]): void;
  /** Places of the best, best first. */
  search(query: string, limit: number): number[];
  close(): void;
}

/** SQLite's full-text index with its own bm25 and Porter stems, asked for any of a question's words. */
export class Fts5 implements Peer {
  readonly name = 'FTS5';
  readonly #db = new DatabaseSync(':memory:');
  readonly #select: StatementSync;

  constructor() {
    this.#db.exec(`CREATE VIRTUAL TABLE turns USING fts5(text, tokenize = 'porter unicode61')`);
    this.#select = this.#db.prepare('SELECT rowid FROM turns WHERE turns MATCH ? ORDER BY rank LIMIT ?');
  }

  add(texts: readonly string[]): void {
    const insert = this.#db.prepare('INSERT INTO turns (text) VALUES (?)');
    this.#db.exec('BEGIN');
    for (const text of texts) insert.run(text);
    this.#db.exec('COMMIT');
  }

  search(query: string, limit: number): number[] {
    const words = query.match(/[\p{L}\p{N}]+/gu) ?? [];
    if (words.length === 0) return [];
    return this.#select
      .all(words.map((word) => `"${word}"`).join(' OR '), limit)
      .map((row) => Number(row['rowid']) - 1);
  }

  close(): void {
    this.#db.close();
  }
}

interface Engine {
  addAll(documents: readonly object[]): void;
  search(query: string): { id: number }[];
}

/** minisearch as it comes. */
export class MiniSearch implements Peer {
  static readonly version = '7.2.0';
  readonly name = 'minisearch';
  readonly #engine: Engine;

  private constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** A way to make them: the package is fetched once. */
  static async load(): Promise<() => MiniSearch> {
    const entry = pathToFileURL(join(await fetchPeer('minisearch', MiniSearch.version), 'dist/es/index.js')).href;
    const module = (await import(entry)) as { default: new (options: object) => Engine };
    return () => new MiniSearch(new module.default({ fields: ['text'] }));
  }

  add(texts: readonly string[]): void {
    this.#engine.addAll(texts.map((text, id) => ({ id, text })));
  }

  search(query: string, limit: number): number[] {
    return this.#engine
      .search(query)
      .slice(0, limit)
      .map(({ id }) => id);
  }

  close(): void {}
}
