import { encodeBase64, decodeBase64, decodeText, encodeText } from '@thole/core/kit';
import type { MemoryScope, IndexSegment, IndexSnapshots, TextCodec } from '@thole/core';
import { query } from '../client/sql-database.ts';
import type { Row, SqlValue, StatementResult, Steps } from '../client/sql-database.ts';
import type { SqlStorage } from '../client/sql-storage.ts';
import { columnText } from '../session/row-values.ts';
import type { MemoryLog } from './memory-log.ts';
import { assertVersion, toIdKey } from './memory-records.ts';

/** Bytes of a row. Each row is written and read by itself, because SQLite blocks the event loop during a statement. */
const PART_BYTES = 512 * 1024;
/** Largest number of rows of a segment: a save writes its parts under the numbers `save * MAX_PARTS` and following. */
const MAX_PARTS = 10_000;
/** Rows of replaced segments that one transaction deletes. */
const DELETED_AT_ONCE = 4;

/** Time in milliseconds after which other work of the event loop gets its turn. */
const SLICE_MS = 5;

/** What a save writes, and on which condition. */
interface Save {
  readonly scope: MemoryScope;
  readonly ifRemovals: number;
  /** Analyzer and `upTo`. */
  readonly key: readonly [string, number];
  /** First part number of this save; another saver of the same key has another one. */
  readonly first: number;
}

/** `removed`: entries were removed since the segment was made. `covered`: there is a newer segment, or another save was faster. */
type Outcome = 'saved' | 'removed' | 'covered';

/**
 * Saved segments of derived indexes. A segment is a list of rows with parts of its bytes, and a row with the part number 0, which
 * is written last and holds the numbers of the others. Rows that no such row names are not a segment: the next save deletes them.
 */
export class SqlIndexSnapshots implements IndexSnapshots {
  readonly #storage: SqlStorage;
  readonly #log: MemoryLog;
  readonly #codec: TextCodec | undefined;
  #resumed: number;

  constructor(storage: SqlStorage, log: MemoryLog, codec: TextCodec | undefined) {
    this.#storage = storage;
    this.#log = log;
    this.#codec = codec;
    this.#resumed = storage.runtime.monotonic();
  }

  async loadSegments(scope: MemoryScope): Promise<IndexSegment[]> {
    const deadline = this.#storage.deadline();
    const columns =
      'g.scope_row AS scope_row, g.analyzer_key AS analyzer_key, g.up_to AS up_to, g.analyzer AS analyzer';
    const sql = `SELECT ${columns}, g.content AS content, g.v AS v FROM ${this.#log.tables.memoryScopes} s
      JOIN ${this.#table} g ON g.scope_row = s.row_id
      WHERE s.app_name = ? AND s.user_id = ? AND g.part = 0 ORDER BY g.up_to, g.analyzer_key`;
    const { rows } = await this.#storage.read(() => this.#ask(sql, this.#log.names(scope)), deadline);
    const segments: IndexSegment[] = [];
    for (const row of rows) {
      const segment = await this.#read(row, deadline);
      if (segment) segments.push(segment);
    }
    return segments;
  }

  async saveSegment(
    scope: MemoryScope,
    segment: IndexSegment,
    { ifRemovals }: { ifRemovals: number },
  ): Promise<boolean> {
    const { bytes, upTo } = segment;
    const first = (1 + Math.floor(this.#storage.runtime.random() * 1e9)) * MAX_PARTS;
    const save: Save = { scope, ifRemovals, key: [toIdKey(segment.analyzer), upTo], first };
    const analyzer = await encodeText(this.#codec, JSON.stringify(segment.analyzer));
    const insert = `INSERT INTO ${this.#table} (scope_row, analyzer_key, up_to, part, analyzer, content, v)
      VALUES (?, ?, ?, ?, ?, ?, 1)`;
    const count = Math.ceil(bytes.length / PART_BYTES);
    for (let i = 0; i < count; i++) {
      const content = await this.#encoded(bytes.subarray(i * PART_BYTES, (i + 1) * PART_BYTES));
      const outcome = await this.#ifWanted(save, (row) =>
        this.#ask(insert, [row, ...save.key, first + i, analyzer, content]),
      );
      if (outcome !== 'saved') return outcome === 'covered';
      await this.#pause();
    }
    const outcome = await this.#ifWanted(save, (row) =>
      this.#complete(save, row, { insert, analyzer, count, size: bytes.length }),
    );
    if (outcome !== 'removed') await this.#deleteReplaced(save);
    return outcome !== 'removed';
  }

  /** Names the parts in the row that makes them a segment, which takes the place of those that end no later. */
  *#complete(
    save: Save,
    row: number,
    p: { insert: string; analyzer: string; count: number; size: number },
  ): Steps<unknown> {
    const which = 'scope_row = ? AND analyzer_key = ? AND up_to';
    const parts = `SELECT COUNT(*) AS parts FROM ${this.#table} WHERE ${which} = ? AND part >= ? AND part < ?`;
    const { rows } = yield* this.#ask(parts, [row, ...save.key, save.first, save.first + MAX_PARTS]);
    // Another save of the same key was faster and has deleted these.
    if (Number(rows[0]!['parts']) !== p.count) return;
    yield* this.#ask(`DELETE FROM ${this.#table} WHERE ${which} <= ? AND part = 0`, [row, ...save.key]);
    const named = new TextEncoder().encode(JSON.stringify([save.first, p.count, p.size]));
    yield* this.#ask(p.insert, [row, ...save.key, 0, p.analyzer, named]);
  }

  /** Writes unless something was removed or a newer segment saved: no part outlives the removal of what it was made from. */
  #ifWanted({ scope, ifRemovals, key }: Save, work: (row: number) => Steps<unknown>): Promise<Outcome> {
    const newer = `SELECT up_to FROM ${this.#table} WHERE scope_row = ? AND analyzer_key = ? AND up_to > ? AND part = 0`;
    const [log, query] = [this.#log, this.#ask.bind(this)];
    return this.#storage.transact<Outcome>(function* () {
      const head = yield* log.head(scope, { toWrite: true });
      if (!head || head.removals !== ifRemovals) return 'removed';
      if ((yield* query(newer, [head.row, ...key])).rows.length > 0) return 'covered';
      yield* work(head.row);
      return 'saved';
    });
  }

  /** Deletes the rows up to this segment that the segment's own row does not name, some at a time. */
  async #deleteReplaced({ scope, key: [analyzer, upTo] }: Save): Promise<void> {
    const [log, query, table] = [this.#log, this.#ask.bind(this), this.#table];
    const left = `SELECT up_to, part, content FROM ${table} WHERE scope_row = ? AND analyzer_key = ? AND up_to <= ?`;
    const which = `scope_row = ? AND analyzer_key = ? AND up_to = ? AND part = ?`;
    let isAny = false;
    for (let isMore = true; isMore; await this.#pause()) {
      isMore = await this.#storage.transact(function* () {
        const head = yield* log.head(scope, { toWrite: true });
        if (!head) return false;
        const { rows } = yield* query(`${left} AND part = 0`, [head.row, analyzer, upTo]);
        const own = rows.find((row) => Number(row['up_to']) === upTo);
        const [first, count] = (own && readPartList(own)) ?? [0, 0];
        const others = `${left.replace('content', 'v')} AND part <> 0 AND NOT (up_to = ? AND part >= ? AND part < ?)
          ORDER BY up_to, part LIMIT ${DELETED_AT_ONCE}`;
        const found = yield* query(others, [head.row, analyzer, upTo, upTo, first, first + count]);
        for (const row of found.rows) {
          const [at, part] = [Number(row['up_to']), Number(row['part'])];
          yield* query(`DELETE FROM ${table} WHERE ${which}`, [head.row, analyzer, at, part]);
        }
        return found.rows.length > 0;
      });
      isAny ||= isMore;
    }
    if (isAny) await this.#storage.erase();
  }

  async #read(row: Row, deadline: number): Promise<IndexSegment | undefined> {
    assertVersion(row['v'], 'A segment of an index');
    const named = readPartList(row);
    if (!named) return undefined;
    const [first, count, size] = named;
    const sql = `SELECT content FROM ${this.#table} WHERE scope_row = ? AND analyzer_key = ? AND up_to = ? AND part = ?`;
    const key = [Number(row['scope_row']), columnText(row['analyzer_key']), Number(row['up_to'])];
    const bytes = new Uint8Array(size);
    let at = 0;
    for (let part = first; part < first + count; part++) {
      const { rows } = await this.#storage.read(() => this.#ask(sql, [...key, part]), deadline);
      // Another process has replaced the segment meanwhile.
      if (!rows[0]) return undefined;
      const content = await this.#decoded(rows[0]['content'] as Uint8Array);
      bytes.set(content, at);
      at += content.length;
      await this.#pause();
    }
    const analyzer = JSON.parse(await decodeText(this.#codec, columnText(row['analyzer']))) as string;
    return { analyzer, upTo: Number(row['up_to']), bytes };
  }

  async #encoded(part: Uint8Array): Promise<Uint8Array> {
    return this.#codec ? new TextEncoder().encode(await encodeText(this.#codec, encodeBase64(part))) : part;
  }

  async #decoded(content: Uint8Array): Promise<Uint8Array> {
    if (!this.#codec) return content;
    return decodeBase64(await decodeText(this.#codec, new TextDecoder().decode(content)))!;
  }

  // Statements on SQLite are done within one turn of the event loop; others get theirs after a few milliseconds.
  async #pause(): Promise<void> {
    const { runtime } = this.#storage;
    if (runtime.monotonic() - this.#resumed < SLICE_MS) return;
    await runtime.eventLoopTurn?.();
    this.#resumed = runtime.monotonic();
  }

  get #table(): string {
    return this.#log.tables.memorySegments;
  }

  #ask(sql: string, parameters: readonly SqlValue[]): Steps<StatementResult> {
    return query(this.#log.dialect.statement(sql), parameters);
  }
}

/** First number and count of the parts, and their bytes in all; undefined for a row of another make. */
function readPartList(row: Row): [first: number, count: number, size: number] | undefined {
  try {
    const named: unknown = JSON.parse(new TextDecoder().decode(row['content'] as Uint8Array));
    const isNamed = Array.isArray(named) && named.length === 3 && named.every((n) => Number.isSafeInteger(n) && n >= 0);
    return isNamed ? (named as [number, number, number]) : undefined;
  } catch {
    return undefined;
  }
}
