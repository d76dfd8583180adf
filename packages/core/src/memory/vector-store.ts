import type { UserRef } from '../session/session-service.ts';
import type { Call } from '../session/session-service.ts';

/** Keeps vectors and finds the nearest by cosine, each only among those of its own model. Strangers implement this. */
export interface VectorStore {
  readonly specVersion: 1;
  upsert(scope: UserRef, rows: readonly { id: string; model: string; vector: Float32Array }[]): Promise<void>;
  query(
    scope: UserRef,
    p: { model: string; vector: Float32Array; limit: number; minScore?: number | undefined } & Call,
  ): Promise<{ id: string; score: number }[]>;
  delete(scope: UserRef, ids: readonly string[] | 'everything'): Promise<void>;
}
