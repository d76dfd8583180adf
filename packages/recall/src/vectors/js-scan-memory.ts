import type { ScanKernel, ScanMemory } from './scan-kernel.ts';

/** Creates a scan memory with kernels in JavaScript, for platforms without WebAssembly. */
export function createJsScanMemory(initialBytes: number, maximumBytes: number): ScanMemory {
  const buffer = new ArrayBuffer(initialBytes, { maxByteLength: maximumBytes });
  return {
    buffer,
    kernel: createJsKernel(buffer),
    grow(bytes) {
      if (buffer.byteLength + bytes > maximumBytes) return false;
      try {
        buffer.resize(buffer.byteLength + bytes);
        return true;
      } catch {
        return false;
      }
    },
  };
}

function createJsKernel(buffer: ArrayBuffer): ScanKernel {
  const floats = (from: number, count: number): Float32Array => new Float32Array(buffer, from, count);
  return {
    scanFloats(query, rows, count, rowBytes, out) {
      const width = rowBytes / 4;
      const [wanted, all, scores] = [floats(query, width), floats(rows, width * count), floats(out, count)];
      for (let row = 0, at = 0; row < count; row++, at += width) {
        let [a, b, c, d] = [0, 0, 0, 0];
        for (let i = 0; i < width; i += 4) {
          a += wanted[i]! * all[at + i]!;
          b += wanted[i + 1]! * all[at + i + 1]!;
          c += wanted[i + 2]! * all[at + i + 2]!;
          d += wanted[i + 3]! * all[at + i + 3]!;
        }
        scores[row] = a + b + (c + d);
      }
    },
    scanBytes(query, rows, count, rowBytes, scales, out) {
      const wanted = new Int16Array(buffer, query, rowBytes);
      const all = new Int8Array(buffer, rows, rowBytes * count);
      const [factors, scores] = [floats(scales, count), floats(out, count)];
      for (let row = 0, at = 0; row < count; row++, at += rowBytes) {
        let sum = 0;
        for (let i = 0; i < rowBytes; i++) sum += wanted[i]! * all[at + i]!;
        scores[row] = Math.fround(sum) * factors[row]!;
      }
    },
  };
}
