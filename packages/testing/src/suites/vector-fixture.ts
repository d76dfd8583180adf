import type { UserRef, VectorQuery, VectorRow, VectorStore } from '@thole/core';

/** The user of most cases. */
export const ada: UserRef = { appName: 'hotel', userId: 'ada' };

/** Returns a row, by default of model `m`. */
export function row(id: string, numbers: readonly number[], model = 'm'): VectorRow {
  return { id, model, vector: Float32Array.from(numbers) };
}

/** Returns the results for a vector of model `m`. */
export function nearest(
  store: VectorStore,
  numbers: readonly number[],
  more: Partial<VectorQuery> & { scope?: UserRef | undefined } = {},
): Promise<{ id: string; score: number }[]> {
  const { scope = ada, ...p } = more;
  return store.query(scope, { model: 'm', vector: Float32Array.from(numbers), limit: 10, ...p });
}

/** Returns the ids of the results. */
export async function nearestIds(...p: Parameters<typeof nearest>): Promise<string[]> {
  return (await nearest(...p)).map(({ id }) => id);
}

/** Returns the cosine similarity of two vectors with the same length. */
export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [dot, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    dot += a[i]! * b[i]!;
    aa += a[i]! ** 2;
    bb += b[i]! ** 2;
  }
  return dot / Math.sqrt(aa * bb);
}
