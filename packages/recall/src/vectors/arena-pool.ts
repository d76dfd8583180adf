import { createJsScanMemory } from './js-scan-memory.ts';
import { PAGE_BYTES, createWasmScanMemory } from './scan-kernel.ts';
import type { ScanMemory } from './scan-kernel.ts';

/** Where a query stands while it is looked for, at the beginning of each memory: float32, and int16 behind it. */
export const QUERY_FLOATS_AT = 0;
/** Most numbers of a vector: what a query has room for. */
export const MAX_DIMENSIONS = 32_768;
export const QUERY_INTEGERS_AT: number = 4 * MAX_DIMENSIONS;
const HEAD_BYTES = 6 * MAX_DIMENSIONS;

// Many users in few memories: each one takes gigabytes of address space, however small it is.
const MEMORY_BYTES = 1024 * 1024 * 1024;
const GROWTH_BYTES = 4 * 1024 * 1024;

/** A piece of a memory that is one user's alone. */
export interface ArenaSlice {
  readonly memory: ScanMemory;
  readonly offset: number;
  readonly bytes: number;
}

/** Hands out pieces of memory whose sizes are powers of two, and takes them back, overwritten with zeros. */
export class ArenaPool {
  readonly #open: (initialBytes: number, maximumBytes: number) => ScanMemory;
  readonly #free = new Map<number, ArenaSlice[]>();
  #memory: ScanMemory | undefined;
  #end = 0;

  /** With `plain`, WebAssembly is not used even where it is there. */
  constructor({ plain = false }: { plain?: boolean | undefined } = {}) {
    const openWasm = plain ? () => undefined : createWasmScanMemory;
    this.#open = (initial, maximum) => openWasm(initial, maximum) ?? createJsScanMemory(initial, maximum);
  }

  /** `bytes` is a power of two; a `RangeError` where there is no more memory to have. */
  allocate(bytes: number): ArenaSlice {
    const known = this.#free.get(bytes)?.pop();
    if (known) return known;
    if (!this.#memory || !this.#makeRoom(this.#memory, bytes)) {
      this.#memory = this.#open(HEAD_BYTES, MEMORY_BYTES);
      this.#end = HEAD_BYTES;
      if (!this.#makeRoom(this.#memory, bytes)) throw new RangeError(`There is no memory for ${bytes} bytes more.`);
    }
    const segment = { memory: this.#memory, offset: this.#end, bytes };
    this.#end += bytes;
    return segment;
  }

  release(segment: ArenaSlice): void {
    const { memory, offset, bytes } = segment;
    new Uint8Array(memory.buffer, offset, bytes).fill(0);
    const free = this.#free.get(bytes) ?? [];
    this.#free.set(bytes, free);
    free.push(segment);
  }

  #makeRoom(memory: ScanMemory, bytes: number): boolean {
    const missing = this.#end + bytes - memory.buffer.byteLength;
    if (missing <= 0) return true;
    const left = MEMORY_BYTES - memory.buffer.byteLength;
    if (missing > left) return false;
    const wanted = Math.ceil(missing / PAGE_BYTES) * PAGE_BYTES;
    return memory.grow(Math.min(left, Math.max(wanted, GROWTH_BYTES))) || memory.grow(wanted);
  }
}
