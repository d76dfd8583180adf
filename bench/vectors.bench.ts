// Measures exact search over 100,000 vectors of 768 numbers of one user, compared with only reading the memory with the
// same kernel. Both run in turns; the ratio is the median over all rounds. The vectors form clusters, like those of
// texts. The misses of int8 are counted against the ten nearest vectors of a scan in float32.
import { ArenaPool } from '../packages/recall/src/vectors/arena-pool.ts';
import type { ArenaSlice } from '../packages/recall/src/vectors/arena-pool.ts';
import { unitVector } from '../packages/recall/src/vectors/unit-vector.ts';
import { VectorMatrix } from '../packages/recall/src/vectors/vector-matrix.ts';
import { Figures, median } from './support/figures.ts';

const [count, dimensions, queries, rounds] = [100_000, 768, 100, 31];

let seed = 7;
const random = (): number => (seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32 - 0.5;
// An approximate normal distribution that is fast to compute.
const noise = (): number => random() + random() + random();
const middles = Array.from({ length: 200 }, () => Float32Array.from({ length: dimensions }, noise));
const vectorOf = (i: number): Float32Array => unitVector(middles[i % 200]!.map((x) => x + 0.7 * noise()))!;

/** A pool that records its slices, so that the benchmark reads the same bytes as a scan in float32. */
class RecordingPool extends ArenaPool {
  readonly slices: ArenaSlice[] = [];

  override allocate(bytes: number): ArenaSlice {
    const slice = super.allocate(bytes);
    this.slices.push(slice);
    return slice;
  }
}

const pool = new RecordingPool();
const floats = new VectorMatrix({ pool, dimensions, precision: 'float32' });
const bytes = new VectorMatrix({ pool: new ArenaPool(), dimensions, precision: 'int8' });
for (let i = 0; i < count; i++) {
  const vector = vectorOf(i);
  floats.put(`v${i}`, vector);
  bytes.put(`v${i}`, vector);
}
if (!pool.slices[0]!.memory.readAll) throw new Error('This benchmark needs WebAssembly.');
const wanted = Array.from({ length: queries }, (_, i) => vectorOf(i * 7));

let sum = 0;
const totalBytes = count * dimensions * 4;
const read = (): void => {
  let remaining = totalBytes;
  for (const { memory, offset, bytes: sliceBytes } of pool.slices) {
    const readBytes = Math.min(remaining, sliceBytes);
    sum += memory.readAll!(offset, readBytes - (readBytes % 64));
    remaining -= readBytes;
  }
};
const timed = (work: () => unknown): number => {
  const begin = performance.now();
  work();
  return performance.now() - begin;
};

const took = { read: [] as number[], floats: [] as number[], bytes: [] as number[] };
for (let round = -3; round < rounds; round++) {
  const query = wanted[(round + 3) % queries]!;
  const [a, b, c] = [
    timed(read),
    timed(() => floats.search(query, { limit: 10 })),
    timed(() => bytes.search(query, { limit: 10 })),
  ];
  // The first rounds warm up.
  if (round < 0) continue;
  took.read.push(a);
  took.floats.push(b);
  took.bytes.push(c);
}

let hit = 0;
for (const query of wanted) {
  const nearest = new Set(floats.search(query, { limit: 10 }).map(({ id }) => id));
  for (const { id } of bytes.search(query, { limit: 10 })) if (nearest.has(id)) hit++;
}
const missed = 1 - hit / (10 * queries);

const figures = new Figures();
// Other work of the machine differs between rounds, but hardly within a round.
const ratioOf = (samples: readonly number[]): number => median(samples.map((each, i) => each / took.read[i]!));
const formatMedian = (samples: readonly number[]): string => `${median(samples).toFixed(1)} ms`;
const peer = `reading the block ${formatMedian(took.read)}`;
const title = `nearest of ${count.toLocaleString('en')} × ${dimensions}`;
figures.add(`${title}, float32`, formatMedian(took.floats), peer, ratioOf(took.floats), 1.25);
figures.add(`${title}, int8 with rescoring`, formatMedian(took.bytes), peer, ratioOf(took.bytes), 0.5);
figures.add(
  `${title}, int8: missed of the ten nearest`,
  `${(100 * missed).toFixed(2)} %`,
  'float32 0 %',
  missed,
  0.005,
);
figures.end();
// The result of reading is used, so that the engine does not remove the reads.
if (sum === 0.5) throw new Error('The sum of integers cannot be 0.5.');
