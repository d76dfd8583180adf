import { TholeError } from '@thole/core';
import { assertName, optionNames, rejectUnknownOptions, userKeyOf } from '@thole/core/kit';
import type { CallOptions, UserRef, VectorQuery, VectorRow, VectorStore } from '@thole/core';
import type { Scored } from '../service/scored.ts';
import { assertVectorIds, checkVectorQuery, checkVectorRows, dimensionMismatch } from './check-vectors.ts';
import { ArenaPool } from './arena-pool.ts';
import { VectorMatrix } from './vector-matrix.ts';
import type { VectorPrecision } from './vector-matrix.ts';

/** Options of `InMemoryVectorStore`. */
export interface InMemoryVectorStoreOptions {
  /**
   * `int8` scans a quarter of the bytes and then compares the best candidates in full precision; `float32` scans all bytes.
   * Default: `int8`.
   */
  precision?: VectorPrecision | undefined;
  /** True if WebAssembly may be used. Without it searches return the same results more slowly. Default: true. */
  webAssembly?: boolean | undefined;
}

const vectorStoreOptionNames = optionNames<InMemoryVectorStoreOptions>({ precision: true, webAssembly: true });

/** One user's vectors: a matrix for each model. */
type UserVectors = Map<string, VectorMatrix>;

/** Keeps vectors in this process and scans all vectors of a user at each query, so that results are exact. */
export class InMemoryVectorStore implements VectorStore {
  readonly specVersion = 1;
  readonly #pool: ArenaPool;
  readonly #precision: VectorPrecision;
  readonly #users = new Map<string, UserVectors>();

  constructor(options: InMemoryVectorStoreOptions = {}) {
    rejectUnknownOptions(options, vectorStoreOptionNames, 'InMemoryVectorStore');
    const { precision = 'int8', webAssembly = true } = options;
    if (precision !== 'int8' && precision !== 'float32')
      throw new TholeError('INVALID_INPUT', `precision must be 'int8' or 'float32'.`);
    this.#precision = precision;
    this.#pool = new ArenaPool({ webAssembly });
  }

  async upsert(scope: UserRef, rows: readonly VectorRow[]): Promise<void> {
    const checked = checkVectorRows(scope, rows);
    if (checked.length === 0) return;
    const key = userKeyOf(scope);
    const user: UserVectors = this.#users.get(key) ?? new Map<string, VectorMatrix>();
    for (const { model, vector } of checked) {
      const dimensions = user.get(model)?.dimensions;
      if (dimensions !== undefined && dimensions !== vector.length)
        throw dimensionMismatch('vector', vector.length, dimensions, model);
    }
    this.#users.set(key, user);
    for (const { id, model, vector } of checked) this.#matrixOf(user, model, vector.length).put(id, vector);
  }

  async query(scope: UserRef, p: VectorQuery): Promise<Scored[]> {
    const { model, unit, limit, minScore } = checkVectorQuery(scope, p);
    const matrix = this.#users.get(userKeyOf(scope))?.get(model);
    if (!matrix) return [];
    if (matrix.dimensions !== unit.length) throw dimensionMismatch('vector', unit.length, matrix.dimensions, model);
    return matrix.search(unit, { limit, minScore, accepts: p.accepts });
  }

  async delete(scope: UserRef, ids: readonly string[] | 'everything'): Promise<void> {
    assertVectorIds(scope, ids);
    const key = userKeyOf(scope);
    const user = this.#users.get(key);
    if (!user) return;
    for (const [model, matrix] of user) {
      if (ids === 'everything') matrix.dispose();
      else for (const id of ids) matrix.remove(id);
      if (matrix.size === 0) user.delete(model);
    }
    if (ids === 'everything' || user.size === 0) this.#users.delete(key);
  }

  async has(scope: UserRef, p: { model: string; ids: readonly string[] } & CallOptions): Promise<string[]> {
    assertVectorIds(scope, p.ids);
    assertName('model', p.model);
    p.signal?.throwIfAborted();
    const matrix = this.#users.get(userKeyOf(scope))?.get(p.model);
    return matrix ? p.ids.filter((id) => matrix.has(id)) : [];
  }

  #matrixOf(user: UserVectors, model: string, dimensions: number): VectorMatrix {
    const existing = user.get(model);
    if (existing) return existing;
    const matrix = new VectorMatrix({ pool: this.#pool, dimensions, precision: this.#precision });
    user.set(model, matrix);
    return matrix;
  }
}
