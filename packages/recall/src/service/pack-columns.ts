import type { Steps } from './time-slicer.ts';

/** A column of a saved index: a list of strings or of numbers. */
export type Column = readonly string[] | Float64Array | Int32Array | Uint8Array;

// It is read as a number, so that it also detects a segment from a machine with another byte order.
const MAGIC = 0x7e0c1e04;
/** Bytes before the columns: magic, check sum, number of columns, and padding. */
const HEAD_BYTES = 16;
/** Words of four bytes that a step of the check sum reads. */
const WORDS_PER_STEP = 250_000;
const NAMES_PER_STEP = 2_000;
const BYTES_PER_STEP = 1024 * 1024;
const KINDS = ['json', 'f64', 'i32', 'u8', 'names'] as const;

/** A column as bytes, in chunks. */
interface PackedColumn {
  readonly kind: (typeof KINDS)[number];
  readonly chunks: readonly Uint8Array[];
}

/** Returns columns as bytes: a head, then each column with its kind, its length and its content. */
export function* packColumns(columns: readonly Column[]): Steps<Uint8Array> {
  const all: PackedColumn[] = [];
  for (const column of columns) {
    all.push(isNames(column) ? yield* packNames(column) : { kind: kindOf(column), chunks: [bytesOf(column)] });
    yield;
  }
  const packed = new Uint8Array(all.reduce((sum, { chunks }) => sum + 8 + paddedLength(sizeOf(chunks)), HEAD_BYTES));
  const view = new DataView(packed.buffer);
  let at = HEAD_BYTES;
  for (const { kind, chunks } of all) {
    view.setUint32(at, KINDS.indexOf(kind), true);
    view.setUint32(at + 4, sizeOf(chunks), true);
    yield* copyInto(packed, at + 8, chunks);
    at += 8 + paddedLength(sizeOf(chunks));
  }
  new Uint32Array(packed.buffer, 0, 1)[0] = MAGIC;
  view.setUint32(8, columns.length, true);
  view.setUint32(4, yield* checkSum(packed), true);
  return packed;
}

/** Returns the columns that were packed. Undefined for bytes that are not complete or not from `packColumns`. */
export function* unpackColumns(packed: Uint8Array): Steps<Column[] | undefined> {
  if (packed.length < HEAD_BYTES || packed.length % 4 !== 0) return undefined;
  // A copy of many megabytes is slow. Only bytes that are not aligned are copied.
  const bytes = packed.byteOffset % 4 === 0 ? packed : packed.slice();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (new Uint32Array(bytes.buffer, bytes.byteOffset, 1)[0] !== MAGIC) return undefined;
  yield;
  if (view.getUint32(4, true) !== (yield* checkSum(bytes))) return undefined;
  const columns: Column[] = [];
  let at = HEAD_BYTES;
  for (let i = view.getUint32(8, true); i > 0; i--) {
    const length = view.getUint32(at + 4, true);
    const [kind, part] = [view.getUint32(at, true), bytes.subarray(at + 8, at + 8 + length)];
    columns.push(KINDS[kind] === 'names' ? yield* unpackNames(part) : unpackColumn(kind, part));
    at += 8 + paddedLength(length);
    yield;
  }
  return columns;
}

/** Returns chunks of bytes as one array. */
export function* concatBytes(chunks: readonly Uint8Array[]): Steps<Uint8Array> {
  const bytes = new Uint8Array(sizeOf(chunks));
  yield* copyInto(bytes, 0, chunks);
  return bytes;
}

function* copyInto(target: Uint8Array, offset: number, chunks: readonly Uint8Array[]): Steps<void> {
  let at = offset;
  let copied = 0;
  for (const chunk of chunks) {
    for (let from = 0; from < chunk.length; from += BYTES_PER_STEP) {
      const part = chunk.subarray(from, from + BYTES_PER_STEP);
      target.set(part, at);
      at += part.length;
      copied += part.length;
      if (copied < BYTES_PER_STEP) continue;
      copied = 0;
      yield;
    }
  }
}

function kindOf(column: Exclude<Column, readonly string[]>): PackedColumn['kind'] {
  return column instanceof Float64Array ? 'f64' : column instanceof Int32Array ? 'i32' : 'u8';
}

function unpackColumn(kind: number, bytes: Uint8Array): Column {
  switch (KINDS[kind]) {
    case 'json':
      return JSON.parse(new TextDecoder().decode(bytes)) as string[];
    case 'f64':
      return new Float64Array(bytes.slice().buffer);
    case 'i32':
      return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
    default:
      // A copy: this column may be kept for long, and a part of `bytes` would keep all of them in memory.
      return bytes.slice();
  }
}

/** Packs strings as their count, their lengths and one UTF-8 text, which can be read fast. Strings with lone surrogates become JSON. */
function* packNames(names: readonly string[]): Steps<PackedColumn> {
  const head = new Uint8Array(4 + 4 * names.length);
  const view = new DataView(head.buffer);
  view.setUint32(0, names.length, true);
  const encoder = new TextEncoder();
  const chunks = [head];
  for (let from = 0; from < names.length; from += NAMES_PER_STEP) {
    const part = names.slice(from, from + NAMES_PER_STEP);
    if (!part.every((name) => name.isWellFormed()))
      return { kind: 'json', chunks: [encoder.encode(JSON.stringify(names))] };
    part.forEach((name, i) => view.setUint32(4 + 4 * (from + i), name.length, true));
    chunks.push(encoder.encode(part.join('')));
    yield;
  }
  return { kind: 'names', chunks };
}

function* unpackNames(bytes: Uint8Array): Steps<string[]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = view.getUint32(0, true);
  // A byte order mark at the start belongs to the first string.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(4 + 4 * count));
  const names: string[] = [];
  let at = 0;
  for (let i = 0; i < count; i++) {
    if (i % NAMES_PER_STEP === 0) yield;
    names.push(text.slice(at, (at += view.getUint32(4 + 4 * i, true))));
  }
  return names;
}

function isNames(column: Column): column is readonly string[] {
  return Array.isArray(column);
}

function bytesOf(column: Exclude<Column, readonly string[]>): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}

function sizeOf(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}

const paddedLength = (length: number): number => (length + 3) & ~3;

/** Returns the check sum of all bytes after the magic and the check sum. */
function* checkSum(bytes: Uint8Array): Steps<number> {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset + 8, (bytes.length - 8) >> 2);
  let sum = 0x811c9dc5;
  // Not `for … of`: the iterator would be as slow as all other steps of reading together.
  for (let from = 0; from < words.length; from += WORDS_PER_STEP) {
    const to = Math.min(words.length, from + WORDS_PER_STEP);
    for (let i = from; i < to; i++) sum = Math.imul(sum ^ words[i]!, 0x01000193);
    yield;
  }
  return sum >>> 0;
}
