import type { Steps } from './time-slicer.ts';

/** Columns that a segment is made of: a list of names, or of numbers. */
export type Column = readonly string[] | Float64Array | Int32Array | Uint8Array;

// Read as a number it also tells whether numbers lie in memory as they did where the segment was made.
const MAGIC = 0x7e0c1e03;
const HEAD = 12;
/** Words of four bytes that a step of the check sum reads. */
const WORDS_PER_STEP = 250_000;
const KINDS = ['json', 'f64', 'i32', 'u8', 'names'] as const;

/** Columns as bytes: a head (magic, check sum, their number), then for each its kind, its length and what is in it. */
export function* packColumns(columns: readonly Column[]): Steps<Uint8Array> {
  const parts: { kind: number; bytes: Uint8Array }[] = [];
  for (const column of columns) {
    parts.push({ kind: kindOf(column), bytes: isNames(column) ? bytesOfNames(column) : bytesOf(column) });
    yield;
  }
  const packed = new Uint8Array(parts.reduce((sum, { bytes }) => sum + 8 + padded(bytes.length), HEAD + 4));
  const view = new DataView(packed.buffer);
  let at = HEAD + 4;
  for (const { kind, bytes } of parts) {
    view.setUint32(at, kind, true);
    view.setUint32(at + 4, bytes.length, true);
    packed.set(bytes, at + 8);
    at += 8 + padded(bytes.length);
    yield;
  }
  new Uint32Array(packed.buffer, 0, 1)[0] = MAGIC;
  view.setUint32(8, columns.length, true);
  view.setUint32(4, yield* checkSum(packed), true);
  return packed;
}

/** What was packed; undefined for bytes that were not packed here, or not whole. */
export function* unpackColumns(packed: Uint8Array): Steps<Column[] | undefined> {
  if (packed.length < HEAD + 4 || packed.length % 4 !== 0) return undefined;
  // A copy of many megabytes takes long; it is needed only for bytes that numbers cannot be read from.
  const bytes = packed.byteOffset % 4 === 0 ? packed : packed.slice();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (new Uint32Array(bytes.buffer, bytes.byteOffset, 1)[0] !== MAGIC) return undefined;
  yield;
  if (view.getUint32(4, true) !== (yield* checkSum(bytes))) return undefined;
  const columns: Column[] = [];
  let at = HEAD + 4;
  for (let i = view.getUint32(8, true); i > 0; i--) {
    const length = view.getUint32(at + 4, true);
    columns.push(columnOf(view.getUint32(at, true), bytes.subarray(at + 8, at + 8 + length)));
    at += 8 + padded(length);
    yield;
  }
  return columns;
}

function kindOf(column: Column): number {
  if (isNames(column)) return column.every((name) => name.isWellFormed()) ? 4 : 0;
  return column instanceof Float64Array ? 1 : column instanceof Int32Array ? 2 : 3;
}

// A column of bytes may be kept for long, and must not keep all others.
function columnOf(kind: number, bytes: Uint8Array): Column {
  switch (KINDS[kind]) {
    case 'json':
      return JSON.parse(new TextDecoder().decode(bytes)) as string[];
    case 'names':
      return namesOf(bytes);
    case 'f64':
      return new Float64Array(bytes.slice().buffer);
    case 'i32':
      return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
    default:
      return bytes.slice();
  }
}

/** How many, how long each is, and all of them as one text: nothing is read as fast. Names that are no text for UTF-8 are JSON. */
function bytesOfNames(names: readonly string[]): Uint8Array {
  if (!names.every((name) => name.isWellFormed())) return new TextEncoder().encode(JSON.stringify(names));
  const text = new TextEncoder().encode(names.join(''));
  const bytes = new Uint8Array(4 + 4 * names.length + text.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, names.length, true);
  names.forEach((name, i) => view.setUint32(4 + 4 * i, name.length, true));
  bytes.set(text, 4 + 4 * names.length);
  return bytes;
}

function namesOf(bytes: Uint8Array): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = view.getUint32(0, true);
  // A mark at the beginning of a text is part of it.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(4 + 4 * count));
  const names: string[] = [];
  let at = 0;
  for (let i = 0; i < count; i++) names.push(text.slice(at, (at += view.getUint32(4 + 4 * i, true))));
  return names;
}

function isNames(column: Column): column is readonly string[] {
  return Array.isArray(column);
}

function bytesOf(column: Exclude<Column, readonly string[]>): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}

const padded = (length: number): number => (length + 3) & ~3;

/** Returns the check sum of all bytes but the head. */
function* checkSum(bytes: Uint8Array): Steps<number> {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset + 8, (bytes.length - 8) >> 2);
  let sum = 0x811c9dc5;
  // Over an iterator this would cost as much as all the rest of reading.
  for (let from = 0; from < words.length; from += WORDS_PER_STEP) {
    const to = Math.min(words.length, from + WORDS_PER_STEP);
    for (let i = from; i < to; i++) sum = Math.imul(sum ^ words[i]!, 0x01000193);
    yield;
  }
  return sum >>> 0;
}
