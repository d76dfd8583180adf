import { decodeBase64 } from '@thole/core/kit';
import { scanModuleBase64 } from './scan-module.ts';

/**
 * The loops of a scan, over addresses in one memory. Rows follow each other without gaps; their length is a multiple of 16
 * numbers. Scores are only good enough to choose candidates by: of float32 they differ in the last bits from kernel to kernel.
 */
export interface ScanKernel {
  /** The dot product of a query with each of `count` rows of float32, written to `out` as float32. */
  scanFloats(query: number, rows: number, count: number, rowBytes: number, out: number): void;
  /** The same over rows of int8 with a query of int16 that holds bytes, each product times its row's scale: the same in every kernel. */
  scanBytes(query: number, rows: number, count: number, rowBytes: number, scales: number, out: number): void;
}

/** A memory that grows, with the loops that run over it. */
export interface ScanMemory {
  /** Another one after each growth. */
  readonly buffer: ArrayBuffer;
  readonly kernel: ScanKernel;
  /** Answers whether there was room. */
  grow(bytes: number): boolean;
  /** Reads so many bytes (a multiple of 64) and does nothing with them; for benches, where there is WebAssembly. */
  readAll?(from: number, bytes: number): number;
}

/** The size of a page, by which memories grow. */
export const PAGE_BYTES = 65_536;

/** Memory under WebAssembly's SIMD instructions; undefined where there is none, or where a policy forbids it. */
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

/** What is used of the global of that name, which types for Node alone do not declare. */
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
