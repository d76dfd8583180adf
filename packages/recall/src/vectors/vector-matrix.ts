import type { Scored } from '../service/scored.ts';
import { BestRows } from './best-rows.ts';
import { QUERY_INTEGERS_AT, QUERY_FLOATS_AT } from './arena-pool.ts';
import type { ArenaSlice, ArenaPool } from './arena-pool.ts';

/** The precision of a scan: `int8` scans a quarter of the bytes and compares the best in float32; `float32` scans all bytes. */
export type VectorPrecision = 'int8' | 'float32';

/** Options of `VectorMatrix.search`. */
export interface VectorSearch {
  limit: number;
  /** Minimum cosine of results. Default: none. */
  minScore?: number | undefined;
  /** Returns false for ids to leave out. Called only for ids that would be candidates. */
  accepts?: ((id: string) => boolean) | undefined;
}

/** Minimum number of candidates that are compared in float32. */
const MIN_RESCORED = 100;
const MIN_SLICE_BYTES = 16 * 1024;
const MAX_SLICE_BYTES = 1024 * 1024;
/** Number of values that a kernel reads at once: rows are padded to a multiple. */
const NUMBERS_PER_STEP = 16;

/** Rows in one arena slice: float32 values, then int8 values with a scale for each row, then space for scores. */
interface Block {
  readonly slice: ArenaSlice;
  /** Number of the first row. */
  readonly first: number;
  readonly capacity: number;
  readonly bytesAt: number;
  readonly scalesAt: number;
  readonly scoresAt: number;
}

/**
 * The vectors of one user and model, with an exact search. Scores are cosines of the float32 values and are the same on every
 * platform. Equal scores are ordered by id. `dispose` releases the memory.
 */
export class VectorMatrix {
  readonly dimensions: number;
  readonly #pool: ArenaPool;
  readonly #precision: VectorPrecision;
  readonly #width: number;
  readonly #blocks: Block[] = [];
  readonly #ids: string[] = [];
  readonly #rowOf = new Map<string, number>();
  #capacity = 0;

  constructor(p: { pool: ArenaPool; dimensions: number; precision: VectorPrecision }) {
    this.dimensions = p.dimensions;
    this.#pool = p.pool;
    this.#precision = p.precision;
    this.#width = Math.ceil(p.dimensions / NUMBERS_PER_STEP) * NUMBERS_PER_STEP;
  }

  get size(): number {
    return this.#ids.length;
  }

  get bytes(): number {
    return this.#blocks.reduce((sum, { slice }) => sum + slice.bytes, 0);
  }

  has(id: string): boolean {
    return this.#rowOf.has(id);
  }

  /** Adds a vector of length 1 with the matrix's dimensions, or replaces the vector of the id. */
  put(id: string, unit: Float32Array): void {
    let row = this.#rowOf.get(id);
    if (row === undefined) {
      row = this.#ids.length;
      if (row === this.#capacity) this.#grow();
      this.#ids.push(id);
      this.#rowOf.set(id, row);
    }
    this.#write(row, unit);
  }

  /** Removes a vector and overwrites its values. Returns true if it was there. */
  remove(id: string): boolean {
    const row = this.#rowOf.get(id);
    if (row === undefined) return false;
    const last = this.#ids.length - 1;
    if (row !== last) {
      this.#write(row, this.#unitAt(last));
      this.#ids[row] = this.#ids[last]!;
      this.#rowOf.set(this.#ids[row], row);
    }
    this.#write(last, new Float32Array(this.#width));
    this.#ids.pop();
    this.#rowOf.delete(id);
    const block = this.#blocks.at(-1)!;
    if (block.first === last) {
      this.#blocks.pop();
      this.#capacity = last;
      this.#pool.release(block.slice);
    }
    return true;
  }

  /** Returns the nearest vectors to a vector of length 1, best first. */
  search(unit: Float32Array, { limit, minScore = -Infinity, accepts }: VectorSearch): Scored[] {
    const found: Scored[] = [];
    const isWanted = accepts && ((row: number) => accepts(this.#ids[row]!));
    for (const row of this.#candidates(unit, Math.max(MIN_RESCORED, 2 * limit), isWanted)) {
      const score = cosine(unit, this.#floats(row));
      if (score >= minScore) found.push({ id: this.#ids[row]!, score });
    }
    found.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
    return found.slice(0, limit);
  }

  /** Removes all vectors and releases their memory. */
  dispose(): void {
    for (const { slice } of this.#blocks.splice(0)) this.#pool.release(slice);
    this.#ids.length = 0;
    this.#rowOf.clear();
    this.#capacity = 0;
  }

  #candidates(unit: Float32Array, count: number, isWanted: ((row: number) => boolean) | undefined): Iterable<number> {
    if (this.size <= count) return isWanted ? this.#ids.keys().filter(isWanted) : this.#ids.keys();
    const best = new BestRows(count);
    const query = this.#precision === 'int8' ? quantize(unit, this.#width) : undefined;
    for (const block of this.#blocks) {
      const { slice, first } = block;
      const { buffer, kernel } = slice.memory;
      const rows = Math.min(block.capacity, this.size - first);
      if (query) {
        new Int16Array(buffer, QUERY_INTEGERS_AT, this.#width).set(query);
        kernel.scanBytes(QUERY_INTEGERS_AT, block.bytesAt, rows, this.#width, block.scalesAt, block.scoresAt);
      } else {
        const target = new Float32Array(buffer, QUERY_FLOATS_AT, this.#width);
        target.set(unit);
        target.fill(0, unit.length);
        kernel.scanFloats(QUERY_FLOATS_AT, slice.offset, rows, 4 * this.#width, block.scoresAt);
      }
      const scores = new Float32Array(buffer, block.scoresAt, rows);
      for (let i = 0; i < rows; i++) {
        if (scores[i]! > best.floor && (!isWanted || isWanted(first + i))) best.offer(first + i, scores[i]!);
      }
    }
    return best.rows();
  }

  #write(row: number, unit: Float32Array): void {
    const block = this.#blockOf(row);
    const { buffer } = block.slice.memory;
    const i = row - block.first;
    this.#floats(row).set(unit);
    if (this.#precision === 'float32') return;
    const largest = largestOf(unit);
    const bytes = new Int8Array(buffer, block.bytesAt + i * this.#width, this.#width);
    for (let k = 0; k < unit.length; k++) bytes[k] = largest > 0 ? Math.round((unit[k]! / largest) * 127) : 0;
    new Float32Array(buffer, block.scalesAt + 4 * i, 1)[0] = largest;
  }

  #floats(row: number): Float32Array {
    const { slice, first } = this.#blockOf(row);
    return new Float32Array(slice.memory.buffer, slice.offset + (row - first) * 4 * this.#width, this.#width);
  }

  #unitAt(row: number): Float32Array {
    return this.#floats(row).slice(0, this.dimensions);
  }

  #blockOf(row: number): Block {
    const blocks = this.#blocks;
    let [low, high] = [0, blocks.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (blocks[middle]!.first <= row) low = middle;
      else high = middle - 1;
    }
    return blocks[low]!;
  }

  /** Adds a block as large as all earlier blocks together, within the minimum and maximum sizes. */
  #grow(): void {
    const width = this.#width;
    const rowBytes = this.#precision === 'int8' ? 5 * width + 8 : 4 * width + 4;
    let bytes = MIN_SLICE_BYTES;
    while (bytes < rowBytes || (bytes < MAX_SLICE_BYTES && bytes < this.bytes)) bytes *= 2;
    const slice = this.#pool.allocate(bytes);
    const capacity = Math.floor(bytes / rowBytes);
    const bytesAt = slice.offset + capacity * 4 * width;
    const scalesAt = this.#precision === 'int8' ? bytesAt + capacity * width : bytesAt;
    const scoresAt = this.#precision === 'int8' ? scalesAt + capacity * 4 : bytesAt;
    this.#blocks.push({ slice, first: this.#capacity, capacity, bytesAt, scalesAt, scoresAt });
    this.#capacity += capacity;
  }
}

/** Returns the cosine in double precision, summed in a fixed order, so that it is the same on every platform. */
function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return Math.max(-1, Math.min(1, sum));
}

/** Returns a vector of length 1 as integers from -127 to 127. */
function quantize(unit: Float32Array, width: number): Int16Array {
  const largest = largestOf(unit);
  const bytes = new Int16Array(width);
  for (let i = 0; i < unit.length; i++) bytes[i] = Math.round((unit[i]! / largest) * 127);
  return bytes;
}

function largestOf(vector: Float32Array): number {
  let largest = 0;
  for (let i = 0; i < vector.length; i++) largest = Math.max(largest, Math.abs(vector[i]!));
  return largest;
}
