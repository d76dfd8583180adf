import { describe, expect, it } from 'vitest';
import { createWasmScanMemory } from '../../src/vectors/scan-kernel.ts';
import { ArenaPool } from '../../src/vectors/arena-pool.ts';
import { unitVector } from '../../src/vectors/unit-vector.ts';
import { VectorMatrix } from '../../src/vectors/vector-matrix.ts';

/** The same numbers each time, in vectors that crowd around some middles, as those of texts do. */
function vectors(count: number, dimensions: number): Float32Array[] {
  let seed = 7;
  const next = (): number => (seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32 - 0.5;
  const middles = Array.from({ length: 20 }, () => Float32Array.from({ length: dimensions }, next));
  return Array.from({ length: count }, (_, i) => unitVector(Float32Array.from(middles[i % 20]!, (x) => x + next()))!);
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, x, i) => sum + x * b[i]!, 0);
}

/** Ids of the nearest, found by the plainest of ways. */
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

it('runs on WebAssembly here, so that the tests below compare two kernels', () => {
  expect(createWasmScanMemory(65_536, 131_072)?.readAll?.(0, 128)).toBe(0);
});

describe.each(kinds)('VectorBlock ($precision, WebAssembly: $webAssembly)', ({ precision, webAssembly }) => {
  it.each([3, 16, 100])(
    'finds the nearest of %s dimensions, through additions, replacements and removals',
    (dimensions) => {
      const block = new VectorMatrix({ pool: new ArenaPool({ webAssembly }), dimensions, precision });
      const made = vectors(1500, dimensions);
      const all = new Map<string, Float32Array>();
      const put = (id: string, vector: Float32Array): void => {
        block.put(id, vector);
        all.set(id, vector);
      };
      made.slice(0, 1300).forEach((vector, i) => put(`v${i}`, vector));
      for (let i = 0; i < 1300; i += 3) {
        expect(block.remove(`v${i}`)).toBe(all.delete(`v${i}`));
        expect(block.remove(`v${i}`)).toBe(false);
      }
      made.slice(1300, 1400).forEach((vector, i) => put(`v${3 * i + 1}`, vector));
      expect(block.size).toBe(all.size);
      for (const query of made.slice(1400, 1450)) {
        const found = block.search(query, { limit: 10 });
        expect(found.map(({ id }) => id)).toEqual(nearest(all, query, 10));
        for (const { id, score } of found) expect(score).toBeCloseTo(dot(all.get(id)!, query), 6);
      }
    },
  );

  it('answers no more than the limit, and nothing below minScore', () => {
    const block = new VectorMatrix({ pool: new ArenaPool({ webAssembly }), dimensions: 32, precision });
    const made = vectors(400, 32);
    made.forEach((vector, i) => block.put(`v${i}`, vector));
    const all = block.search(made[0]!, { limit: 400 });
    expect(all).toHaveLength(400);
    expect(all[0]).toEqual({ id: 'v0', score: expect.closeTo(1, 6) });
    expect(block.search(made[0]!, { limit: 7 })).toEqual(all.slice(0, 7));
    const { score: minScore } = all[4]!;
    expect(block.search(made[0]!, { limit: 50, minScore })).toEqual(all.slice(0, 5));
    expect(block.search(made[0]!, { limit: 0 })).toEqual([]);
  });

  it('leaves out what is not accepted before the limit counts', () => {
    const block = new VectorMatrix({ pool: new ArenaPool({ webAssembly }), dimensions: 32, precision });
    const made = vectors(400, 32);
    made.forEach((vector, i) => block.put(`v${i}`, vector));
    const accepts = (id: string): boolean => id.endsWith('7');
    const all = block.search(made[0]!, { limit: 400 }).filter(({ id }) => accepts(id));
    expect(block.search(made[0]!, { limit: 10, accepts })).toEqual(all.slice(0, 10));
    expect(block.search(made[0]!, { limit: 400, accepts })).toEqual(all);
  });

  it('gives its memory back overwritten, to be used by others', () => {
    const pool = new ArenaPool({ webAssembly });
    const first = new VectorMatrix({ pool, dimensions: 16, precision });
    for (const [i, vector] of vectors(3000, 16).entries()) first.put(`v${i}`, vector);
    const { bytes } = first;
    first.dispose();
    expect([first.size, first.bytes]).toEqual([0, 0]);
    const segment = pool.allocate(16 * 1024);
    expect(new Uint8Array(segment.memory.buffer, segment.offset, segment.bytes).every((byte) => byte === 0)).toBe(true);
    pool.release(segment);
    const { byteLength } = segment.memory.buffer;
    const second = new VectorMatrix({ pool, dimensions: 16, precision });
    for (const [i, vector] of vectors(3000, 16).entries()) second.put(`v${i}`, vector);
    expect([second.bytes, segment.memory.buffer.byteLength]).toEqual([bytes, byteLength]);
  });
});

it('answers the same, to the last bit, on both kernels', () => {
  const made = vectors(1200, 100);
  const [wasm, js] = [true, false].map((webAssembly) => {
    const block = new VectorMatrix({ pool: new ArenaPool({ webAssembly }), dimensions: 100, precision: 'int8' });
    made.slice(0, 1000).forEach((vector, i) => block.put(`v${i}`, vector));
    return block;
  });
  for (const query of made.slice(1000)) {
    expect(wasm!.search(query, { limit: 20 })).toEqual(js!.search(query, { limit: 20 }));
  }
});

it('points nowhere when a vector is empty, of zeros, or not of numbers', () => {
  for (const numbers of [[], [0, 0], [NaN, 1], [Infinity, 1], [3e38, 3e38, NaN]]) {
    expect(unitVector(Float32Array.from(numbers))).toBeUndefined();
  }
  expect([...unitVector(Float32Array.of(3, 4))!]).toEqual([expect.closeTo(0.6, 6), expect.closeTo(0.8, 6)]);
  expect(unitVector(Float32Array.of(3e38, 3e38))![0]).toBeCloseTo(Math.SQRT1_2, 6);
});
