import { TholeError } from '@thole/core';
import { assertCount, assertName, assertUser, invalidInput } from '@thole/core/kit';
import type { UserRef, VectorQuery, VectorRow } from '@thole/core';
import { MAX_DIMENSIONS } from './arena-pool.ts';
import { unitVector } from './unit-vector.ts';

/** A checked request of `VectorStore.query`. `unit` is the vector with a length of 1. */
export interface CheckedVectorQuery {
  readonly model: string;
  readonly unit: Float32Array;
  readonly limit: number;
  readonly minScore: number | undefined;
}

/**
 * Returns copies of rows with vectors of length 1. If an id occurs more than once with the same model, the last row counts. Throws
 * `INVALID_INPUT` for an invalid scope or row. For implementations of `VectorStore`.
 */
export function checkVectorRows(scope: UserRef, rows: readonly VectorRow[]): VectorRow[] {
  assertUser(scope);
  if (!Array.isArray(rows)) throw invalidInput('rows', 'an array of {id, model, vector}', rows);
  const byKey = new Map<string, VectorRow>();
  const lengths = new Map<string, number>();
  for (const [i, row] of (rows as readonly unknown[]).entries()) {
    if (typeof row !== 'object' || row === null) throw invalidInput(`rows[${i}]`, '{id, model, vector}', row);
    const { id, model, vector } = row as VectorRow;
    assertId(`rows[${i}].id`, id);
    assertName(`rows[${i}].model`, model);
    const unit = readUnitVector(`rows[${i}].vector`, vector);
    const length = lengths.get(model) ?? unit.length;
    if (length !== unit.length) throw dimensionMismatch(`rows[${i}].vector`, unit.length, length, model);
    lengths.set(model, length);
    byKey.set(JSON.stringify([id, model]), { id, model, vector: unit });
  }
  return [...byKey.values()];
}

/** Returns the members of a query. Throws `INVALID_INPUT` for an invalid member, and the signal's reason if it is aborted. */
export function checkVectorQuery(scope: UserRef, p: VectorQuery): CheckedVectorQuery {
  assertUser(scope);
  if (typeof p !== 'object' || p === null) throw invalidInput('The request', '{model, vector, limit}', p);
  const { model, vector, limit, minScore } = p;
  assertName('model', model);
  assertCount('limit', limit);
  if (minScore !== undefined && !Number.isFinite(minScore)) throw invalidInput('minScore', 'a finite number', minScore);
  const unit = readUnitVector('vector', vector);
  p.signal?.throwIfAborted();
  return { model, unit, limit, minScore };
}

/** Throws `INVALID_INPUT` unless the value is a list of ids or `'everything'`. */
export function assertVectorIds(scope: UserRef, ids: readonly string[] | 'everything'): void {
  assertUser(scope);
  if (ids === 'everything') return;
  if (!Array.isArray(ids)) throw invalidInput('ids', `an array of ids, or 'everything'`, ids);
  ids.forEach((id: unknown, i) => assertId(`ids[${i}]`, id));
}

/** Returns the error for a vector whose length differs from the stored vectors of the same user and model. */
export function dimensionMismatch(argument: string, actual: number, expected: number, model: string): TholeError {
  const message = `${argument} must have ${expected} numbers like this user's other vectors of model ${model}, got ${actual}.`;
  return new TholeError('INVALID_INPUT', message);
}

function assertId(argument: string, id: unknown): void {
  if (typeof id !== 'string') throw invalidInput(argument, 'a string', id);
  if (id === '') throw new TholeError('INVALID_INPUT', `${argument} must not be empty.`);
}

function readUnitVector(argument: string, vector: unknown): Float32Array {
  if (Object.prototype.toString.call(vector) !== '[object Float32Array]')
    throw invalidInput(argument, 'a Float32Array', vector);
  const { length } = vector as Float32Array;
  if (length > MAX_DIMENSIONS) {
    throw new TholeError('INVALID_INPUT', `${argument} must have at most ${MAX_DIMENSIONS} numbers, got ${length}.`);
  }
  const unit = unitVector(vector as Float32Array);
  if (!unit) throw new TholeError('INVALID_INPUT', `${argument} must contain finite numbers that are not all zero.`);
  return unit;
}
