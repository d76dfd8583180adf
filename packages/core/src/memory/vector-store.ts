import type { CallOptions, UserRef } from '../session/session-service.ts';

/** A vector to keep: whose model made it, and the id it is found by. */
export interface VectorRow {
  id: string;
  model: string;
  vector: Float32Array;
}

/** What is looked for. */
export interface VectorQuery extends CallOptions {
  model: string;
  vector: Float32Array;
  limit: number;
  /** The least cosine of answers. */
  minScore?: number | undefined;
  /** A help to stores in this process, which leave out what it answers false to before the limit counts; others pass it over. */
  accepts?: ((id: string) => boolean) | undefined;
}

/**
 * Keeps vectors and finds the nearest by cosine, each only among those of its own model. Strangers implement this; it is only
 * ever extended. Run the `vectorStoreCases` of `@thole/testing` over an implementation.
 */
export interface VectorStore {
  readonly specVersion: 1;
  /**
   * All rows or none. An id has one vector, whatever its model: the last. `INVALID_INPUT` for a vector that points nowhere (empty,
   * zeros, not finite) and for one of another length than those that the user has of the model.
   */
  upsert(scope: UserRef, rows: readonly VectorRow[]): Promise<void>;
  /** Best first, equals by id. `INVALID_INPUT` as in `upsert`. */
  query(scope: UserRef, p: VectorQuery): Promise<{ id: string; score: number }[]>;
  /** Unknown ids are passed over. */
  delete(scope: UserRef, ids: readonly string[] | 'everything'): Promise<void>;
  /** Which of these ids have a vector of this model; where a store cannot tell, vectors are made anew in each process. */
  has?(scope: UserRef, p: { model: string; ids: readonly string[] } & CallOptions): Promise<string[]>;
}
