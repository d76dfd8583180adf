import { describe, expect, it } from 'vitest';
import { createWasmScanMemory } from '../../src/vectors/scan-kernel.ts';
import { ArenaPool } from '../../src/vectors/arena-pool.ts';
import { unitVector } from '../../src/vectors/unit-vector.ts';
import { VectorMatrix } from '../../src/vectors/vector-matrix.ts';

/** Returns vectors in clusters, as embeddings of texts are, the same in every run. */
function vectors(count: number, dimensions: number): Float32Array[] {
  let seed = 7;
  const next = (): number => (seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32 - 0.5;
  const centers = Array.from({ length: 20 }, () => Float32Array.from({ length: dimensions }, next));
  return Array.from({ length: count }, (_, i) => unitVector(Float32Array.from(centers[i % 20]!, (x) => x + next()))!);
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** Returns the ids of the nearest vectors by comparing all of them. */
function nearest(all: ReadonlyMap<string, Float32Array>, query: Float32Array, limit: number): string[] {
  const scored = [...all].map(([id, vector]) => ({ id, score: dot(vector, query) }));
  scored.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
  return scored.slice(0, limit).map(({ id }) => id);
}

const kinds = [
  { precision: 'int8', webAssembly: true },
  { precision: 'int8', webAssembly: false },
  { precision: 'float32', webAssembly: true },
  { precision: 'float32', webAssembly: false },
] as const;

describe('createWasmScanMemory', () => {
  it('returns a memory on this platform, so that the tests below compare two kernels', () => {
    expect(createWasmScanMemory(65_536, 131_072)?.readAll?.(0, 128)).toBe(0);
  });
});

describe.each(kinds)('VectorMatrix ($precision, WebAssembly: $webAssembly)', ({ precision, webAssembly }) => {
  it.each([3, 16, 100])(
    'finds the nearest vectors of %s dimensions after additions, replacements and removals',
    (dimensions) => {
      const matrix = new VectorMatrix({ pool: new ArenaPool({ webAssembly }), dimensions, precision });
      const samples = vectors(1500, dimensions);
      const all = new Map<string, Float32Array>();
      const put = (id: string, vector: Float32Array): void => {
        matrix.put(id, vector);
        all.set(id, vector);
      };
      samples.slice(0, 1300).forEach((vector, i) => put(`v${i}`, vector));
      for (let i = 0; i < 1300; i += 3) {
        expect(matrix.remove(`v${i}`)).toBe(all.delete(`v${i}`));
        expect(matrix.remove(`v${i}`)).toBe(false);
      }
      samples.slice(1300, 1400).forEach((vector, i) => put(`v${3 * i + 1}`, vector));
      expect(matrix.size).toBe(all.size);
      for (const query of samples.slice(1400, 1450)) {
        const found = matrix.search(query, { limit: 10 });
        expect(found.map(({ id }) => id)).toEqual(nearest(all, query, 10));
        const errors = found.map(({ id, score }) => Math.abs(score - dot(all.get(id)!, query)));
        expect(Math.max(...errors)).toBeCloseTo(0, 6);
      }
    },
  );

  it('returns at most limit results and none below minScore', () => {
    const matrix = new VectorMatrix({ pool: new ArenaPool({ webAssembly }), dimensions: 32, precision });
    const samples = vectors(400, 32);
    samples.forEach((vector, i) => matrix.put(`v${i}`, vector));
    const all = matrix.search(samples[0]!, { limit: 400 });
    expect(all).toHaveLength(400);
    expect(all[0]).toEqual({ id: 'v0', score: expect.closeTo(1, 6) });
    expect(matrix.search(samples[0]!, { limit: 7 })).toEqual(all.slice(0, 7));
    const { score: minScore } = all[4]!;
    expect(matrix.search(samples[0]!, { limit: 50, minScore })).toEqual(all.slice(0, 5));
    expect(matrix.search(samples[0]!, { limit: 0 })).toEqual([]);
  });

  it('applies accepts before the limit', () => {
    const matrix = new VectorMatrix({ pool: new ArenaPool({ webAssembly }), dimensions: 32, precision });
    const samples = vectors(400, 32);
    samples.forEach((vector, i) => matrix.put(`v${i}`, vector));
    const accepts = (id: string): boolean => id.endsWith('7');
    const all = matrix.search(samples[0]!, { limit: 400 }).filter(({ id }) => accepts(id));
    expect(matrix.search(samples[0]!, { limit: 10, accepts })).toEqual(all.slice(0, 10));
    expect(matrix.search(samples[0]!, { limit: 400, accepts })).toEqual(all);
  });

  it('overwrites and releases its memory on dispose, so that it is reused', () => {
    const pool = new ArenaPool({ webAssembly });
    const first = new VectorMatrix({ pool, dimensions: 16, precision });
    for (const [i, vector] of vectors(3000, 16).entries()) first.put(`v${i}`, vector);
    const { bytes } = first;
    first.dispose();
    expect([first.size, first.bytes]).toEqual([0, 0]);
    const slice = pool.allocate(16 * 1024);
    expect(new Uint8Array(slice.memory.buffer, slice.offset, slice.bytes).every((byte) => byte === 0)).toBe(true);
    pool.release(slice);
    const { byteLength } = slice.memory.buffer;
    const second = new VectorMatrix({ pool, dimensions: 16, precision });
    for (const [i, vector] of vectors(3000, 16).entries()) second.put(`v${i}`, vector);
    expect([second.bytes, slice.memory.buffer.byteLength]).toEqual([bytes, byteLength]);
  });
});

describe('VectorMatrix on both kernels', () => {
  it('returns identical scores', () => {
    const samples = vectors(1200, 100);
    const [wasm, js] = [true, false].map((webAssembly) => {
      const matrix = new VectorMatrix({ pool: new ArenaPool({ webAssembly }), dimensions: 100, precision: 'int8' });
      samples.slice(0, 1000).forEach((vector, i) => matrix.put(`v${i}`, vector));
      return matrix;
    });
    for (const query of samples.slice(1000)) {
      expect(wasm!.search(query, { limit: 20 })).toEqual(js!.search(query, { limit: 20 }));
    }
  });
});

describe('unitVector', () => {
  it('returns undefined for a vector that is empty, all zero or not finite', () => {
    for (const numbers of [[], [0, 0], [NaN, 1], [Infinity, 1], [3e38, 3e38, NaN]]) {
      expect(unitVector(Float32Array.from(numbers))).toBeUndefined();
    }
  });

  it('returns a copy of length 1', () => {
    expect([...unitVector(Float32Array.of(3, 4))!]).toEqual([expect.closeTo(0.6, 6), expect.closeTo(0.8, 6)]);
    expect(unitVector(Float32Array.of(3e38, 3e38))![0]).toBeCloseTo(Math.SQRT1_2, 6);
  });
});
