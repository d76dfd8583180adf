import { createJsScanMemory } from './js-scan-memory.ts';
import { PAGE_BYTES, createWasmScanMemory } from './scan-kernel.ts';
import type { ScanMemory } from './scan-kernel.ts';

/** Address of the current query in each memory, as float32. */
export const QUERY_FLOATS_AT = 0;
/** Maximum number of dimensions: the space for a query. */
export const MAX_DIMENSIONS = 32_768;
/** Address of the current query in each memory, as int16. */
export const QUERY_INTEGERS_AT: number = 4 * MAX_DIMENSIONS;
/** Bytes at the start of each memory that are reserved for queries. */
const QUERY_BYTES = 6 * MAX_DIMENSIONS;

// Many users share a memory, because each memory reserves gigabytes of address space.
const MEMORY_BYTES = 1024 * 1024 * 1024;
const GROWTH_BYTES = 4 * 1024 * 1024;

/** A part of a memory that belongs to one user. */
export interface ArenaSlice {
  readonly memory: ScanMemory;
  readonly offset: number;
  readonly bytes: number;
}

/** Allocates slices of memory whose sizes are powers of two. Released slices are overwritten with zeros and reused. */
export class ArenaPool {
  readonly #open: (initialBytes: number, maximumBytes: number) => ScanMemory;
  readonly #free = new Map<number, ArenaSlice[]>();
  #memory: ScanMemory | undefined;
  #end = 0;

  /** With `webAssembly: false` the kernels are in JavaScript. Default: true. */
  constructor({ webAssembly = true }: { webAssembly?: boolean | undefined } = {}) {
    const openWasm = webAssembly ? createWasmScanMemory : () => undefined;
    this.#open = (initial, maximum) => openWasm(initial, maximum) ?? createJsScanMemory(initial, maximum);
  }

  /** Returns a slice of `bytes`, which must be a power of two. Throws a `RangeError` if there is not enough memory. */
  allocate(bytes: number): ArenaSlice {
    const free = this.#free.get(bytes)?.pop();
    if (free) return free;
    if (!this.#memory || !this.#ensureSpace(this.#memory, bytes)) {
      this.#memory = this.#open(QUERY_BYTES, MEMORY_BYTES);
      this.#end = QUERY_BYTES;
      if (!this.#ensureSpace(this.#memory, bytes))
        throw new RangeError(`There is no memory for another ${bytes} bytes.`);
    }
    const slice = { memory: this.#memory, offset: this.#end, bytes };
    this.#end += bytes;
    return slice;
  }

  /** Overwrites a slice with zeros and makes it available again. */
  release(slice: ArenaSlice): void {
    const { memory, offset, bytes } = slice;
    new Uint8Array(memory.buffer, offset, bytes).fill(0);
    const free = this.#free.get(bytes) ?? [];
    this.#free.set(bytes, free);
    free.push(slice);
  }

  /** Grows the memory if needed. Returns false if it cannot grow enough. */
  #ensureSpace(memory: ScanMemory, bytes: number): boolean {
    const missing = this.#end + bytes - memory.buffer.byteLength;
    if (missing <= 0) return true;
    const available = MEMORY_BYTES - memory.buffer.byteLength;
    if (missing > available) return false;
    const neededBytes = Math.ceil(missing / PAGE_BYTES) * PAGE_BYTES;
    return memory.grow(Math.min(available, Math.max(neededBytes, GROWTH_BYTES))) || memory.grow(neededBytes);
  }
}
