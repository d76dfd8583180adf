import { encodeBase64, decodeBase64, decodeText, encodeText } from '@thole/core/kit';
import type { MemoryScope, IndexSegment, IndexSnapshots, TextCodec } from '@thole/core';
import { query } from '../client/sql-database.ts';
import type { Row, SqlValue, StatementResult, Steps } from '../client/sql-database.ts';
import type { SqlStorage } from '../client/sql-storage.ts';
import { columnText } from '../session/row-values.ts';
import type { MemoryLog } from './memory-log.ts';
import { assertVersion, toIdKey } from './memory-records.ts';

/** Maximum bytes of a row. Each row has its own statement, because SQLite blocks the event loop during a statement. */
const PART_BYTES = 512 * 1024;
/** Maximum number of rows of a segment. A save numbers its rows from a random multiple of this number. */
const MAX_PARTS = 10_000;
/** Maximum number of rows of replaced segments that one transaction deletes. */
const MAX_DELETIONS = 4;

/** Milliseconds after which this class yields to the event loop. */
const SLICE_MS = 5;

/** One call of `saveSegment`. */
interface Save {
  readonly scope: MemoryScope;
  readonly ifRemovals: number;
  /** Index key of the analyzer, and `upTo`. */
  readonly key: readonly [string, number];
  /** First part number. Concurrent saves of the same key have different first numbers. */
  readonly first: number;
}

/** `removed`: entries were removed since the segment was built. `covered`: a newer segment exists, or another save was faster. */
type Outcome = 'saved' | 'removed' | 'covered';

/**
 * Saved segments of memory indexes. A segment has rows with parts of its bytes, and a row with the part number 0. That row is
 * written last and lists the part numbers. Parts that no such row lists are incomplete: the next save deletes them.
 */
export class SqlIndexSnapshots implements IndexSnapshots {
  readonly #storage: SqlStorage;
  readonly #log: MemoryLog;
  readonly #codec: TextCodec | undefined;
  #resumedAt: number;

  constructor(storage: SqlStorage, log: MemoryLog, codec: TextCodec | undefined) {
    this.#storage = storage;
    this.#log = log;
    this.#codec = codec;
    this.#resumedAt = storage.runtime.monotonic();
  }

  async loadSegments(scope: MemoryScope): Promise<IndexSegment[]> {
    const deadline = this.#storage.deadline();
    const columns =
      'g.scope_row AS scope_row, g.analyzer_key AS analyzer_key, g.up_to AS up_to, g.analyzer AS analyzer';
    const sql = `SELECT ${columns}, g.content AS content, g.v AS v FROM ${this.#log.tables.memoryScopes} s
      JOIN ${this.#table} g ON g.scope_row = s.row_id
      WHERE s.app_name = ? AND s.user_id = ? AND g.part = 0 ORDER BY g.up_to, g.analyzer_key`;
    const { rows } = await this.#storage.read(() => this.#query(sql, this.#log.bindNames(scope)), deadline);
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
      const content = await this.#encode(bytes.subarray(i * PART_BYTES, (i + 1) * PART_BYTES));
      const outcome = await this.#writeIfCurrent(save, (row) =>
        this.#query(insert, [row, ...save.key, first + i, analyzer, content]),
      );
      if (outcome !== 'saved') return outcome === 'covered';
      await this.#pause();
      await this.#checkpoint();
    }
    const outcome = await this.#writeIfCurrent(save, (row) =>
      this.#complete(save, row, { insert, analyzer, count, size: bytes.length }),
    );
    if (outcome !== 'removed') await this.#deleteReplaced(save);
    return outcome !== 'removed';
  }

  /** Writes the row that lists the parts, and deletes the part lists of the segments that this segment replaces. */
  *#complete(
    save: Save,
    row: number,
    p: { insert: string; analyzer: string; count: number; size: number },
  ): Steps<unknown> {
    const condition = 'scope_row = ? AND analyzer_key = ? AND up_to';
    const parts = `SELECT COUNT(*) AS parts FROM ${this.#table} WHERE ${condition} = ? AND part >= ? AND part < ?`;
    const { rows } = yield* this.#query(parts, [row, ...save.key, save.first, save.first + MAX_PARTS]);
    // Another save of the same key was faster and has deleted these parts.
    if (Number(rows[0]!['parts']) !== p.count) return;
    yield* this.#query(`DELETE FROM ${this.#table} WHERE ${condition} <= ? AND part = 0`, [row, ...save.key]);
    const partList = new TextEncoder().encode(JSON.stringify([save.first, p.count, p.size]));
    yield* this.#query(p.insert, [row, ...save.key, 0, p.analyzer, partList]);
  }

  /** Runs `work` unless entries were removed or a newer segment was saved. So no part outlives the removal of its entries. */
  #writeIfCurrent({ scope, ifRemovals, key }: Save, work: (row: number) => Steps<unknown>): Promise<Outcome> {
    const newer = `SELECT up_to FROM ${this.#table} WHERE scope_row = ? AND analyzer_key = ? AND up_to > ? AND part = 0`;
    const [log, query] = [this.#log, this.#query.bind(this)];
    return this.#storage.transact<Outcome>(function* () {
      const head = yield* log.readHead(scope, { lock: true });
      if (!head || head.removals !== ifRemovals) return 'removed';
      if ((yield* query(newer, [head.row, ...key])).rows.length > 0) return 'covered';
      yield* work(head.row);
      return 'saved';
    });
  }

  /** Deletes older parts that the saved segment does not list, in small transactions. */
  async #deleteReplaced({ scope, key: [analyzer, upTo] }: Save): Promise<void> {
    const [log, query, table] = [this.#log, this.#query.bind(this), this.#table];
    const select = `SELECT up_to, part, content FROM ${table} WHERE scope_row = ? AND analyzer_key = ? AND up_to <= ?`;
    const condition = `scope_row = ? AND analyzer_key = ? AND up_to = ? AND part = ?`;
    let hasDeleted = false;
    for (let isMore = true; isMore; await this.#pause()) {
      isMore = await this.#storage.transact(function* () {
        const head = yield* log.readHead(scope, { lock: true });
        if (!head) return false;
        const { rows } = yield* query(`${select} AND part = 0`, [head.row, analyzer, upTo]);
        const completeRow = rows.find((row) => Number(row['up_to']) === upTo);
        const [first, count] = (completeRow && readPartList(completeRow)) ?? [0, 0];
        const others = `${select.replace('content', 'v')} AND part <> 0 AND NOT (up_to = ? AND part >= ? AND part < ?)
          ORDER BY up_to, part LIMIT ${MAX_DELETIONS}`;
        const found = yield* query(others, [head.row, analyzer, upTo, upTo, first, first + count]);
        for (const row of found.rows) {
          const [rowUpTo, part] = [Number(row['up_to']), Number(row['part'])];
          yield* query(`DELETE FROM ${table} WHERE ${condition}`, [head.row, analyzer, rowUpTo, part]);
        }
        return found.rows.length > 0;
      });
      hasDeleted ||= isMore;
    }
    if (hasDeleted) await this.#storage.erase();
  }

  async #read(row: Row, deadline: number): Promise<IndexSegment | undefined> {
    assertVersion(row['v'], 'A segment of an index');
    const partList = readPartList(row);
    if (!partList) return undefined;
    const [first, count, size] = partList;
    const sql = `SELECT content FROM ${this.#table} WHERE scope_row = ? AND analyzer_key = ? AND up_to = ? AND part = ?`;
    const key = [Number(row['scope_row']), columnText(row['analyzer_key']), Number(row['up_to'])];
    const bytes = new Uint8Array(size);
    let offset = 0;
    for (let part = first; part < first + count; part++) {
      const { rows } = await this.#storage.read(() => this.#query(sql, [...key, part]), deadline);
      // Another process has replaced the segment.
      if (!rows[0]) return undefined;
      const content = await this.#decode(rows[0]['content'] as Uint8Array);
      bytes.set(content, offset);
      offset += content.length;
      await this.#pause();
    }
    const analyzer = JSON.parse(await decodeText(this.#codec, columnText(row['analyzer']))) as string;
    return { analyzer, upTo: Number(row['up_to']), bytes };
  }

  async #encode(part: Uint8Array): Promise<Uint8Array> {
    return this.#codec ? new TextEncoder().encode(await encodeText(this.#codec, encodeBase64(part))) : part;
  }

  async #decode(content: Uint8Array): Promise<Uint8Array> {
    if (!this.#codec) return content;
    return decodeBase64(await decodeText(this.#codec, new TextDecoder().decode(content)))!;
  }

  // SQLite itself runs a checkpoint when the log has 4 MiB. It then blocks the event loop until all of them are on the disk.
  async #checkpoint(): Promise<void> {
    const { checkpoint } = this.#log.dialect;
    if (checkpoint === undefined) return;
    await this.#storage.write(() => query(checkpoint));
    await this.#pause();
  }

  // Statements of SQLite block the event loop. This lets other work run every few milliseconds.
  async #pause(): Promise<void> {
    const { runtime } = this.#storage;
    if (runtime.monotonic() - this.#resumedAt < SLICE_MS) return;
    await runtime.eventLoopTurn?.();
    this.#resumedAt = runtime.monotonic();
  }

  get #table(): string {
    return this.#log.tables.memorySegments;
  }

  #query(sql: string, parameters: readonly SqlValue[]): Steps<StatementResult> {
    return query(this.#log.dialect.statement(sql), parameters);
  }
}

/** Returns the first number, the count and the total bytes of the parts. Returns undefined if the row has another format. */
function readPartList(row: Row): [first: number, count: number, size: number] | undefined {
  try {
    const list: unknown = JSON.parse(new TextDecoder().decode(row['content'] as Uint8Array));
    const isValid = Array.isArray(list) && list.length === 3 && list.every((n) => Number.isSafeInteger(n) && n >= 0);
    return isValid ? (list as [number, number, number]) : undefined;
  } catch {
    return undefined;
  }
}
