import { afterEach, describe, expect, it } from 'vitest';
import { ArenaPool } from '../../src/vectors/arena-pool.ts';
import { unitVector } from '../../src/vectors/unit-vector.ts';
import { VectorMatrix } from '../../src/vectors/vector-matrix.ts';

const { WebAssembly: original } = globalThis as { WebAssembly?: unknown };
const setWebAssembly = (value: unknown): void => void ((globalThis as { WebAssembly?: unknown }).WebAssembly = value);
afterEach(() => setWebAssembly(original));

/** Returns the results of a search, and whether its kernel is in JavaScript. */
function search(): { ids: string[]; isJs: boolean } {
  const pool = new ArenaPool();
  const matrix = new VectorMatrix({ pool, dimensions: 8, precision: 'int8' });
  for (let i = 0; i < 500; i++) {
    matrix.put(`v${i}`, unitVector(Float32Array.from({ length: 8 }, (_, k) => Math.sin(i * 8 + k * k)))!);
  }
  const query = unitVector(Float32Array.from({ length: 8 }, (_, k) => Math.sin(200.5 + k * k)))!;
  const isJs = pool.allocate(16 * 1024).memory.readAll === undefined;
  return { ids: matrix.search(query, { limit: 20 }).map(({ id }) => id), isJs };
}

describe('VectorMatrix without WebAssembly', () => {
  const expected = search();

  it('returns the same results if WebAssembly is missing', () => {
    expect(expected.isJs).toBe(false);
    setWebAssembly(undefined);
    expect(search()).toEqual({ ids: expected.ids, isJs: true });
  });

  it('returns the same results if a policy forbids WebAssembly', () => {
    class Forbidden {
      constructor() {
        throw new Error('forbidden by a policy');
      }
    }
    setWebAssembly({ Memory: (original as { Memory: unknown }).Memory, Module: Forbidden, Instance: Forbidden });
    expect(search()).toEqual({ ids: expected.ids, isJs: true });
  });
});
