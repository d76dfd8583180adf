import type { UserRef, VectorQuery, VectorRow, VectorStore } from '@thole/core';

/** The user that cases speak of. */
export const ada: UserRef = { appName: 'hotel', userId: 'ada' };

/** A row of model `m` unless told otherwise. */
export function row(id: string, numbers: readonly number[], model = 'm'): VectorRow {
  return { id, model, vector: Float32Array.from(numbers) };
}

/** What is found for a vector of model `m`. */
export function nearest(
  store: VectorStore,
  numbers: readonly number[],
  more: Partial<VectorQuery> & { scope?: UserRef | undefined } = {},
): Promise<{ id: string; score: number }[]> {
  const { scope = ada, ...p } = more;
  return store.query(scope, { model: 'm', vector: Float32Array.from(numbers), limit: 10, ...p });
}

/** The same, ids alone. */
export async function nearestIds(...p: Parameters<typeof nearest>): Promise<string[]> {
  return (await nearest(...p)).map(({ id }) => id);
}
