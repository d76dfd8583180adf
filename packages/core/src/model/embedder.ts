/** Turns texts into vectors. Strangers implement this; it is only ever extended. */
export interface Embedder {
  readonly model: string;
  readonly dimensions: number;
  /** Texts in one call, at most; callers split. */
  readonly maxBatch: number;
  readonly specVersion: 1;
  /** One vector per text, in order, each of `dimensions` numbers. No texts, no vectors. */
  embed(
    texts: readonly string[],
    p: { task: 'query' | 'document'; signal?: AbortSignal | undefined },
  ): Promise<Float32Array[]>;
}
