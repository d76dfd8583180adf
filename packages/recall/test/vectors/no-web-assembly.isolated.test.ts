import { afterEach, expect, it } from 'vitest';
import { ArenaPool } from '../../src/vectors/arena-pool.ts';
import { unitVector } from '../../src/vectors/unit-vector.ts';
import { VectorMatrix } from '../../src/vectors/vector-matrix.ts';

const { WebAssembly: known } = globalThis as { WebAssembly?: unknown };
const set = (value: unknown): void => void ((globalThis as { WebAssembly?: unknown }).WebAssembly = value);
afterEach(() => set(known));

function found(): { ids: string[]; isPlain: boolean } {
  const pool = new ArenaPool();
  const block = new VectorMatrix({ pool, dimensions: 8, precision: 'int8' });
  for (let i = 0; i < 500; i++) {
    block.put(`v${i}`, unitVector(Float32Array.from({ length: 8 }, (_, k) => Math.sin(i * 8 + k * k)))!);
  }
  const query = unitVector(Float32Array.from({ length: 8 }, (_, k) => Math.sin(200.5 + k * k)))!;
  const isPlain = pool.allocate(16 * 1024).memory.readAll === undefined;
  return { ids: block.search(query, { limit: 20 }).map(({ id }) => id), isPlain };
}

it('finds the same where there is no WebAssembly, and where a policy forbids it', () => {
  const usual = found();
  expect(usual.isPlain).toBe(false);
  set(undefined);
  expect(found()).toEqual({ ids: usual.ids, isPlain: true });
  class Forbidden {
    constructor() {
      throw new Error('forbidden by a policy');
    }
  }
  set({ Memory: (known as { Memory: unknown }).Memory, Module: Forbidden, Instance: Forbidden });
  expect(found()).toEqual({ ids: usual.ids, isPlain: true });
});
