import { base64OfBytes, bytesOfBase64, decodeText, encodeText, isEncoded } from '@thole/core';
import type { MemoryScope, Segment, Segmented, TextCodec } from '@thole/core';
import { ask } from '../database/sql-database.ts';
import type { Row, Steps } from '../database/sql-database.ts';
import type { SqlStorage } from '../database/sql-storage.ts';
import { textOf } from '../session/row-values.ts';
import type { MemoryLog } from './memory-log.ts';
import { checkVersion, keyOf } from './memory-records.ts';

/** Most bytes of a row: servers limit what goes into one statement. */
const PART_BYTES = 4_000_000;

/** Saved pieces of derived indexes, in rows of at most four million bytes. */
export class SqlSegments implements Segmented {
  readonly #storage: SqlStorage;
  readonly #log: MemoryLog;
  readonly #codec: TextCodec | undefined;

  constructor(storage: SqlStorage, log: MemoryLog, codec: TextCodec | undefined) {
    this.#storage = storage;
    this.#log = log;
    this.#codec = codec;
  }

  async loadSegments(scope: MemoryScope): Promise<Segment[]> {
    const { tables, dialect } = this.#log;
    const sql =
      dialect.statement(`SELECT g.analyzer AS analyzer, g.up_to AS up_to, g.part AS part, g.content AS content, g.v AS v
      FROM ${tables.memoryScopes} s JOIN ${tables.memorySegments} g ON g.scope_row = s.row_id
      WHERE s.app_name = ? AND s.user_id = ? ORDER BY g.up_to, g.analyzer_key, g.part`);
    const { rows } = await this.#storage.read(() => ask(sql, this.#log.names(scope)));
    const segments: Segment[] = [];
    for (let from = 0; from < rows.length;) {
      let to = from + 1;
      while (to < rows.length && Number(rows[to]!['part']) > 0) to++;
      segments.push(await this.#read(rows.slice(from, to)));
      from = to;
    }
    return segments;
  }

  async saveSegment(scope: MemoryScope, segment: Segment, { ifRemovals }: { ifRemovals: number }): Promise<boolean> {
    const codec = this.#codec;
    const analyzer = await encodeText(codec, JSON.stringify(segment.analyzer));
    const parts: Uint8Array[] = [];
    for (let from = 0; from === 0 || from < segment.bytes.length; from += PART_BYTES) {
      const part = segment.bytes.subarray(from, from + PART_BYTES);
      parts.push(codec ? new TextEncoder().encode(await encodeText(codec, base64OfBytes(part))) : part);
    }
    const key = [keyOf(segment.analyzer), segment.upTo] as const;
    return this.#storage.transact(() => this.#save(scope, { key, analyzer, parts, ifRemovals }));
  }

  /** A segment of the same analyzer covers those that end no later: they go, and one that is covered is not kept. */
  *#save(
    scope: MemoryScope,
    p: { key: readonly [string, number]; analyzer: string; parts: readonly Uint8Array[]; ifRemovals: number },
  ): Steps<boolean> {
    const { dialect, tables } = this.#log;
    const head = yield* this.#log.head(scope, { toWrite: true });
    if (!head || head.removals !== p.ifRemovals) return false;
    const which = `scope_row = ? AND analyzer_key = ? AND up_to`;
    const newer = `SELECT up_to FROM ${tables.memorySegments} WHERE ${which} > ? AND part = 0`;
    const found = yield* ask(dialect.statement(newer), [head.row, ...p.key]);
    if (found.rows.length > 0) return true;
    yield* ask(dialect.statement(`DELETE FROM ${tables.memorySegments} WHERE ${which} <= ?`), [head.row, ...p.key]);
    const insert =
      dialect.statement(`INSERT INTO ${tables.memorySegments} (scope_row, analyzer_key, up_to, part, analyzer, content, v)
      VALUES (?, ?, ?, ?, ?, ?, 1)`);
    for (const [i, content] of p.parts.entries()) yield* ask(insert, [head.row, ...p.key, i, p.analyzer, content]);
    return true;
  }

  async #read(rows: readonly Row[]): Promise<Segment> {
    const codec = this.#codec;
    for (const row of rows) checkVersion(row['v'], 'A segment of an index');
    const known = textOf(rows[0]!['analyzer']);
    const parts: Uint8Array[] = [];
    for (const row of rows) {
      const content = row['content'] as Uint8Array;
      // Bytes may begin like anything; the analyzer's name was encoded with them or not at all.
      parts.push(
        isEncoded(known) ? bytesOfBase64(await decodeText(codec, new TextDecoder().decode(content)))! : content,
      );
    }
    const analyzer = JSON.parse(await decodeText(codec, known)) as string;
    return { analyzer, upTo: Number(rows[0]!['up_to']), bytes: joined(parts) };
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
