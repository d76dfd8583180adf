import { TholeError } from '@thole/core';
import { assertName, rejectUnknownOptions, userKeyOf } from '@thole/core/kit';
import type { CallOptions, UserRef, VectorQuery, VectorRow, VectorStore } from '@thole/core';
import type { Scored } from '../service/scored.ts';
import { assertVectorIds, checkVectorQuery, checkVectorRows, dimensionMismatch } from './check-vectors.ts';
import { ArenaPool } from './arena-pool.ts';
import { VectorMatrix } from './vector-matrix.ts';
import type { VectorPrecision } from './vector-matrix.ts';

/** What an `InMemoryVectorStore` may be told. */
export interface InMemoryVectorStoreOptions {
  /** `int8` (default) looks at a quarter of the bytes, then at the best again in full; `float32` at all of them. */
  precision?: VectorPrecision | undefined;
  /** Whether WebAssembly may be used (true); without it the same is found, more slowly. */
  webAssembly?: boolean | undefined;
}

/** One user's vectors: a block for each model, and which block an id is in. */
interface UserVectors {
  readonly blocks: Map<string, VectorMatrix>;
  readonly modelOf: Map<string, string>;
}

/** Vectors in this process, found by an exact scan: all of a user's at each query. Nothing outlives the process. */
export class InMemoryVectorStore implements VectorStore {
  readonly specVersion = 1;
  readonly #pool: ArenaPool;
  readonly #precision: VectorPrecision;
  readonly #users = new Map<string, UserVectors>();

  constructor(options: InMemoryVectorStoreOptions = {}) {
    rejectUnknownOptions(options, ['precision', 'webAssembly'], 'InMemoryVectorStore');
    const { precision = 'int8', webAssembly = true } = options;
    if (precision !== 'int8' && precision !== 'float32')
      throw new TholeError('INVALID_INPUT', `precision must be 'int8' or 'float32'.`);
    this.#precision = precision;
    this.#pool = new ArenaPool({ plain: !webAssembly });
  }

  async upsert(scope: UserRef, rows: readonly VectorRow[]): Promise<void> {
    const checked = checkVectorRows(scope, rows);
    if (checked.length === 0) return;
    const key = userKeyOf(scope);
    const user = this.#users.get(key) ?? {
      blocks: new Map<string, VectorMatrix>(),
      modelOf: new Map<string, string>(),
    };
    for (const { model, vector } of checked) {
      const kept = user.blocks.get(model)?.dimensions;
      if (kept !== undefined && kept !== vector.length) throw dimensionMismatch('vector', vector.length, kept, model);
    }
    this.#users.set(key, user);
    for (const { id, model, vector } of checked) {
      if (user.modelOf.get(id) !== model) this.#remove(user, id);
      user.modelOf.set(id, model);
      this.#blockOf(user, model, vector.length).put(id, vector);
    }
  }

  async query(scope: UserRef, p: VectorQuery): Promise<Scored[]> {
    const { model, unit, limit, minScore } = checkVectorQuery(scope, p);
    const block = this.#users.get(userKeyOf(scope))?.blocks.get(model);
    if (!block) return [];
    if (block.dimensions !== unit.length) throw dimensionMismatch('vector', unit.length, block.dimensions, model);
    return block.search(unit, { limit, minScore, accepts: p.accepts });
  }

  async delete(scope: UserRef, ids: readonly string[] | 'everything'): Promise<void> {
    assertVectorIds(scope, ids);
    const key = userKeyOf(scope);
    const user = this.#users.get(key);
    if (!user) return;
    if (ids === 'everything') for (const block of user.blocks.values()) block.dispose();
    else for (const id of ids) this.#remove(user, id);
    if (ids === 'everything' || user.modelOf.size === 0) this.#users.delete(key);
  }

  async has(scope: UserRef, p: { model: string; ids: readonly string[] } & CallOptions): Promise<string[]> {
    assertVectorIds(scope, p.ids);
    assertName('model', p.model);
    p.signal?.throwIfAborted();
    const block = this.#users.get(userKeyOf(scope))?.blocks.get(p.model);
    return block ? p.ids.filter((id) => block.has(id)) : [];
  }

  #blockOf(user: UserVectors, model: string, dimensions: number): VectorMatrix {
    const known = user.blocks.get(model);
    if (known) return known;
    const block = new VectorMatrix({ pool: this.#pool, dimensions, precision: this.#precision });
    user.blocks.set(model, block);
    return block;
  }

  #remove(user: UserVectors, id: string): void {
    const model = user.modelOf.get(id);
    if (model === undefined) return;
    user.modelOf.delete(id);
    const block = user.blocks.get(model)!;
    block.remove(id);
    if (block.size === 0) user.blocks.delete(model);
  }
}
