import { decodeBase64 } from '@thole/core/kit';
import { scanModuleBase64 } from './scan-module.ts';

/**
 * The loops of a scan over byte addresses in one memory. Rows follow each other without gaps; their length is a multiple of 16
 * numbers. Scores only select candidates: scores of float32 rows differ in the last bits between kernels.
 */
export interface ScanKernel {
  /** Writes the dot product of a float32 query with each of `count` float32 rows to `out`, as float32. */
  scanFloats(query: number, rows: number, count: number, rowBytes: number, out: number): void;
  /**
   * Writes the dot product of a query with each of `count` int8 rows, times the row's scale, to `out` as float32. The query is int16
   * with values in the range of int8. All kernels write the same scores.
   */
  scanBytes(query: number, rows: number, count: number, rowBytes: number, scales: number, out: number): void;
}

/** A growing memory and the kernel that scans it. */
export interface ScanMemory {
  /** Replaced at each growth. */
  readonly buffer: ArrayBuffer;
  readonly kernel: ScanKernel;
  /** Grows the memory by a number of bytes. Returns false if there is no more memory. */
  grow(bytes: number): boolean;
  /** Reads a number of bytes (a multiple of 64) without using them, for benchmarks. Undefined without WebAssembly. */
  readAll?(from: number, bytes: number): number;
}

/** Size of a memory page in bytes: memories grow by whole pages. */
export const PAGE_BYTES = 65_536;

/** Creates a scan memory with kernels in WebAssembly SIMD. Returns undefined if WebAssembly is missing or a policy forbids it. */
export function createWasmScanMemory(initialBytes: number, maximumBytes: number): ScanMemory | undefined {
  const { WebAssembly: wasm } = globalThis as { WebAssembly?: WasmGlobal };
  if (!wasm) return undefined;
  try {
    const [initial, maximum] = [initialBytes / PAGE_BYTES, maximumBytes / PAGE_BYTES];
    const memory = new wasm.Memory({ initial, maximum });
    const { exports } = new wasm.Instance(new wasm.Module(decodeBase64(scanModuleBase64)!), { scan: { memory } });
    return {
      get buffer() {
        return memory.buffer;
      },
      kernel: exports,
      grow(bytes) {
        try {
          memory.grow(bytes / PAGE_BYTES);
          return true;
        } catch {
          return false;
        }
      },
      readAll: (from, bytes) => exports.readAll(from, bytes),
    };
  } catch {
    return undefined;
  }
}

/** The used part of the global `WebAssembly`, which the types of Node do not declare. */
interface WasmGlobal {
  readonly Memory: new (p: { initial: number; maximum: number }) => {
    buffer: ArrayBuffer;
    grow(pages: number): number;
  };
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: object,
  ) => { exports: ScanKernel & { readAll(from: number, bytes: number): number } };
}
