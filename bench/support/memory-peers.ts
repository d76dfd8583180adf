import { join } from 'node:path';
import type { MaybePromise } from '@thole/core';
import { DatabaseSync } from 'node:sqlite';
import type { StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { fetchPeer } from '../../scripts/fetch-package.mjs';
import { Adk } from './adk.ts';

/** Another search engine for texts. A text is identified by its index in the list that `add` received. */
export interface Peer {
  readonly name: string;
  add(texts: readonly string[]): MaybePromise<void>;
  /** Returns the indexes of the best texts, best first. */
  search(query: string, limit: number): MaybePromise<number[]>;
  close(): void;
}

/** SQLite's full-text index (FTS5) with its bm25 and Porter stems. A query matches any of its words. */
export class Fts5 implements Peer {
  readonly name = 'FTS5';
  readonly #db = new DatabaseSync(':memory:');
  readonly #select: StatementSync;

  constructor() {
    this.#db.exec(`CREATE VIRTUAL TABLE turns USING fts5(text, tokenize = 'porter unicode61')`);
    this.#select = this.#db.prepare('SELECT rowid, text, rank FROM turns WHERE turns MATCH ? ORDER BY rank LIMIT ?');
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

/** minisearch with its default options. */
export class MiniSearch implements Peer {
  static readonly version = '7.2.0';
  readonly name = 'minisearch';
  readonly #engine: Engine;

  private constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Returns a factory. The package is downloaded once. */
  static async load(): Promise<() => MiniSearch> {
    const entry = pathToFileURL(join(await fetchPeer('minisearch', MiniSearch.version), 'dist/es/index.js')).href;
    const module = (await import(entry)) as { default: new (options: object) => Engine };
    return () => new MiniSearch(new module.default({ fields: ['text'], storeFields: ['text'] }));
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

interface Entry {
  content: object;
}

interface AdkMemoryService {
  addSessionToMemory(session: object): Promise<void>;
  searchMemory(request: object): Promise<{ memories: Entry[] }>;
}

/** The memory of `@google/adk`: all texts that share a word with the query, in the order of insertion. */
export class AdkMemory implements Peer {
  readonly name = 'adk';
  readonly #service: AdkMemoryService;
  readonly #places = new Map<object, number>();

  private constructor(service: AdkMemoryService) {
    this.#service = service;
  }

  /** Returns a factory. The package is downloaded once. */
  static async load(): Promise<() => AdkMemory> {
    const module = (await import(await Adk.fetchEntry())) as { InMemoryMemoryService: new () => AdkMemoryService };
    return () => new AdkMemory(new module.InMemoryMemoryService());
  }

  async add(texts: readonly string[]): Promise<void> {
    const events = texts.map((text, i) => {
      const content = { role: 'user', parts: [{ text }] };
      this.#places.set(content, i);
      return { id: `event-${i}`, author: 'user', timestamp: 1_500_000_000_000 + i, content };
    });
    await this.#service.addSessionToMemory({ id: 'session', appName: 'app', userId: 'u', events });
  }

  async search(query: string, limit: number): Promise<number[]> {
    const { memories } = await this.#service.searchMemory({ appName: 'app', userId: 'u', query });
    return memories.slice(0, limit).map(({ content }) => this.#places.get(content)!);
  }

  close(): void {}
}
