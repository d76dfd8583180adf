import type { Scored } from '../service/scored.ts';
import { BestRows } from './best-rows.ts';
import { QUERY_INTEGERS_AT, QUERY_FLOATS_AT } from './arena-pool.ts';
import type { ArenaSlice, ArenaPool } from './arena-pool.ts';

/** How vectors are scanned: `int8` reads a quarter of the bytes and looks at the best again in float32, `float32` reads all. */
export type VectorPrecision = 'int8' | 'float32';

/** What is looked for among the vectors of a block. */
export interface VectorSearch {
  limit: number;
  /** The least cosine of answers. */
  minScore?: number | undefined;
  /** Leaves out what it answers false to; asked only of those that would be among the candidates. */
  accepts?: ((id: string) => boolean) | undefined;
}

/** How many of the best are looked at again in full, at least. */
const MIN_RESCORED = 100;
const MIN_SLICE_BYTES = 16 * 1024;
const MAX_SLICE_BYTES = 1024 * 1024;
/** A kernel takes so many numbers at a step. */
const NUMBERS_PER_STEP = 16;

/** Rows of one segment: float32 first, then int8 with a scale for each row, then room for their scores. */
interface Block {
  readonly segment: ArenaSlice;
  readonly first: number;
  readonly capacity: number;
  readonly bytesAt: number;
  readonly scalesAt: number;
  readonly scoresAt: number;
}

/**
 * The vectors of one user and model, side by side, and exact search over them. Scores are cosines of the float32 values,
 * computed the same way wherever this runs; equals stand by id. `close` gives the memory back.
 */
export class VectorMatrix {
  readonly dimensions: number;
  readonly #pool: ArenaPool;
  readonly #precision: VectorPrecision;
  readonly #width: number;
  readonly #stretches: Block[] = [];
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
    return this.#stretches.reduce((sum, { segment }) => sum + segment.bytes, 0);
  }

  has(id: string): boolean {
    return this.#rowOf.has(id);
  }

  /** Adds a vector of length 1 and of this block's dimensions, or replaces the one with its id. */
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

  /** Answers whether it was there; its numbers are overwritten. */
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
    const stretch = this.#stretches.at(-1)!;
    if (stretch.first === last) {
      this.#stretches.pop();
      this.#capacity = last;
      this.#pool.release(stretch.segment);
    }
    return true;
  }

  /** The nearest to a vector of length 1, best first. */
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

  dispose(): void {
    for (const { segment } of this.#stretches.splice(0)) this.#pool.release(segment);
    this.#ids.length = 0;
    this.#rowOf.clear();
    this.#capacity = 0;
  }

  #candidates(unit: Float32Array, count: number, isWanted: ((row: number) => boolean) | undefined): Iterable<number> {
    if (this.size <= count) return isWanted ? this.#ids.keys().filter(isWanted) : this.#ids.keys();
    const best = new BestRows(count);
    const query = this.#precision === 'int8' ? quantize(unit, this.#width) : undefined;
    for (const stretch of this.#stretches) {
      const { segment, first } = stretch;
      const { buffer, kernel } = segment.memory;
      const rows = Math.min(stretch.capacity, this.size - first);
      if (query) {
        new Int16Array(buffer, QUERY_INTEGERS_AT, this.#width).set(query);
        kernel.scanBytes(QUERY_INTEGERS_AT, stretch.bytesAt, rows, this.#width, stretch.scalesAt, stretch.scoresAt);
      } else {
        const wanted = new Float32Array(buffer, QUERY_FLOATS_AT, this.#width);
        wanted.set(unit);
        wanted.fill(0, unit.length);
        kernel.scanFloats(QUERY_FLOATS_AT, segment.offset, rows, 4 * this.#width, stretch.scoresAt);
      }
      const scores = new Float32Array(buffer, stretch.scoresAt, rows);
      for (let i = 0; i < rows; i++) {
        if (scores[i]! > best.floor && (!isWanted || isWanted(first + i))) best.offer(first + i, scores[i]!);
      }
    }
    return best.rows();
  }

  #write(row: number, unit: Float32Array): void {
    const stretch = this.#stretchOf(row);
    const { buffer } = stretch.segment.memory;
    const i = row - stretch.first;
    this.#floats(row).set(unit);
    if (this.#precision === 'float32') return;
    const largest = largestOf(unit);
    const bytes = new Int8Array(buffer, stretch.bytesAt + i * this.#width, this.#width);
    for (let k = 0; k < unit.length; k++) bytes[k] = largest > 0 ? Math.round((unit[k]! / largest) * 127) : 0;
    new Float32Array(buffer, stretch.scalesAt + 4 * i, 1)[0] = largest;
  }

  #floats(row: number): Float32Array {
    const { segment, first } = this.#stretchOf(row);
    return new Float32Array(segment.memory.buffer, segment.offset + (row - first) * 4 * this.#width, this.#width);
  }

  #unitAt(row: number): Float32Array {
    return this.#floats(row).slice(0, this.dimensions);
  }

  #stretchOf(row: number): Block {
    const stretches = this.#stretches;
    let [low, high] = [0, stretches.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (stretches[middle]!.first <= row) low = middle;
      else high = middle - 1;
    }
    return stretches[low]!;
  }

  // Each segment as large as all before it, within bounds.
  #grow(): void {
    const width = this.#width;
    const rowBytes = this.#precision === 'int8' ? 5 * width + 8 : 4 * width + 4;
    let bytes = MIN_SLICE_BYTES;
    while (bytes < rowBytes || (bytes < MAX_SLICE_BYTES && bytes < this.bytes)) bytes *= 2;
    const segment = this.#pool.allocate(bytes);
    const capacity = Math.floor(bytes / rowBytes);
    const bytesAt = segment.offset + capacity * 4 * width;
    const scalesAt = this.#precision === 'int8' ? bytesAt + capacity * width : bytesAt;
    const scoresAt = this.#precision === 'int8' ? scalesAt + capacity * 4 : bytesAt;
    this.#stretches.push({ segment, first: this.#capacity, capacity, bytesAt, scalesAt, scoresAt });
    this.#capacity += capacity;
  }
}

/** In double precision, in one order: the same on every machine. */
function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return Math.max(-1, Math.min(1, sum));
}

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
