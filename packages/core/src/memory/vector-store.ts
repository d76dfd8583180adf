import type { CallOptions, UserRef } from '../session/session-service.ts';

/** A vector to store, the model that made it, and its id. */
export interface VectorRow {
  id: string;
  model: string;
  vector: Float32Array;
}

/** A vector to compare with, and limits. */
export interface VectorQuery extends CallOptions {
  model: string;
  vector: Float32Array;
  limit: number;
  /** Minimum cosine of results. */
  minScore?: number | undefined;
  /**
   * Returns false for an id that the result must not contain. Stores in this process call it before they apply the
   * limit. Other stores ignore it.
   */
  accepts?: ((id: string) => boolean) | undefined;
}

/**
 * Stores vectors and finds the nearest by cosine, only among vectors of the same model. Others implement this
 * interface, so it only ever gains optional members. Run `vectorStoreCases` of `@thole/testing` against an
 * implementation.
 */
export interface VectorStore {
  readonly specVersion: 1;
  /**
   * Stores all rows or none. An id has one vector of each model, the last one. So processes with different models can
   * share a store. Throws `INVALID_INPUT` for a vector without a direction (empty, zeros, not finite) and for a length that
   * differs from the user's other vectors of the model.
   */
  upsert(scope: UserRef, rows: readonly VectorRow[]): Promise<void>;
  /** Returns ids with scores, best first. Equal scores are ordered by id. Throws `INVALID_INPUT` as `upsert` does. */
  query(scope: UserRef, p: VectorQuery): Promise<{ id: string; score: number }[]>;
  /** Deletes the vectors of all models. Unknown ids are ignored. */
  delete(scope: UserRef, ids: readonly string[] | 'everything'): Promise<void>;
  /**
   * Returns the ids that have a vector of this model. Optional: without it, each process computes the vectors of all
   * entries again.
   */
  has?(scope: UserRef, p: { model: string; ids: readonly string[] } & CallOptions): Promise<string[]>;
}
