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
      const [queryValues, rowValues, scores] = [floats(query, width), floats(rows, width * count), floats(out, count)];
      for (let row = 0, at = 0; row < count; row++, at += width) {
        let [a, b, c, d] = [0, 0, 0, 0];
        for (let i = 0; i < width; i += 4) {
          a += queryValues[i]! * rowValues[at + i]!;
          b += queryValues[i + 1]! * rowValues[at + i + 1]!;
          c += queryValues[i + 2]! * rowValues[at + i + 2]!;
          d += queryValues[i + 3]! * rowValues[at + i + 3]!;
        }
        scores[row] = a + b + (c + d);
      }
    },
    scanBytes(query, rows, count, rowBytes, scales, out) {
      const queryValues = new Int16Array(buffer, query, rowBytes);
      const rowValues = new Int8Array(buffer, rows, rowBytes * count);
      const [factors, scores] = [floats(scales, count), floats(out, count)];
      for (let row = 0, at = 0; row < count; row++, at += rowBytes) {
        let sum = 0;
        for (let i = 0; i < rowBytes; i++) sum += queryValues[i]! * rowValues[at + i]!;
        scores[row] = Math.fround(sum) * factors[row]!;
      }
    },
  };
}
