/** Columns that a segment is made of: a list of names, or of numbers. */
export type Column = readonly string[] | Float64Array | Int32Array | Uint8Array;

// Read as a number it also tells whether numbers lie in memory as they did where the segment was made.
const MAGIC = 0x7e0c1e01;
const HEAD = 12;
const KINDS = ['names', 'f64', 'i32', 'u8'] as const;

/** Columns as bytes: a head (magic, check sum, their number), then for each its kind, its length and what is in it. */
export function packColumns(columns: readonly Column[]): Uint8Array {
  const parts = columns.map((column) => {
    const bytes = isNames(column) ? new TextEncoder().encode(JSON.stringify(column)) : bytesOf(column);
    return { kind: kindOf(column), bytes };
  });
  const packed = new Uint8Array(parts.reduce((sum, { bytes }) => sum + 8 + padded(bytes.length), HEAD + 4));
  const view = new DataView(packed.buffer);
  let at = HEAD + 4;
  for (const { kind, bytes } of parts) {
    view.setUint32(at, kind, true);
    view.setUint32(at + 4, bytes.length, true);
    packed.set(bytes, at + 8);
    at += 8 + padded(bytes.length);
  }
  new Uint32Array(packed.buffer, 0, 1)[0] = MAGIC;
  view.setUint32(8, columns.length, true);
  view.setUint32(4, checkSum(packed), true);
  return packed;
}

/** What was packed; undefined for bytes that were not packed here, or not whole. */
export function unpackColumns(packed: Uint8Array): Column[] | undefined {
  if (packed.length < HEAD + 4 || packed.length % 4 !== 0) return undefined;
  const bytes = packed.slice();
  const view = new DataView(bytes.buffer);
  if (new Uint32Array(bytes.buffer, 0, 1)[0] !== MAGIC || view.getUint32(4, true) !== checkSum(bytes)) return undefined;
  const columns: Column[] = [];
  let at = HEAD + 4;
  for (let i = view.getUint32(8, true); i > 0; i--) {
    const length = view.getUint32(at + 4, true);
    columns.push(columnOf(view.getUint32(at, true), bytes.slice(at + 8, at + 8 + length)));
    at += 8 + padded(length);
  }
  return columns;
}

function kindOf(column: Column): number {
  if (isNames(column)) return 0;
  return column instanceof Float64Array ? 1 : column instanceof Int32Array ? 2 : 3;
}

function columnOf(kind: number, bytes: Uint8Array<ArrayBuffer>): Column {
  switch (KINDS[kind]) {
    case 'names':
      return JSON.parse(new TextDecoder().decode(bytes)) as string[];
    case 'f64':
      return new Float64Array(bytes.buffer);
    case 'i32':
      return new Int32Array(bytes.buffer);
    default:
      return bytes;
  }
}

function isNames(column: Column): column is readonly string[] {
  return Array.isArray(column);
}

function bytesOf(column: Exclude<Column, readonly string[]>): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}

const padded = (length: number): number => (length + 3) & ~3;

/** Over all but the head. */
function checkSum(bytes: Uint8Array): number {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset + 8, (bytes.length - 8) >> 2);
  let sum = 0x811c9dc5;
  // Over an iterator this would cost as much as all the rest of reading.
  for (let i = 0; i < words.length; i++) sum = Math.imul(sum ^ words[i]!, 0x01000193);
  return sum >>> 0;
}
