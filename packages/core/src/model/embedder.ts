/** Converts texts to vectors. Others implement this interface, so it only ever gains optional members. */
export interface Embedder {
  readonly model: string;
  readonly dimensions: number;
  /** Maximum number of texts in one call. Callers split longer lists. */
  readonly maxBatch: number;
  readonly specVersion: 1;
  /** Name of the operator for traces, as OpenTelemetry names it (`gcp.gemini`, `openai` …). */
  readonly providerName?: string | undefined;
  /** Returns one vector per text, in order, each with `dimensions` numbers. Returns an empty list for an empty list. */
  embed(
    texts: readonly string[],
    p: { task: 'query' | 'document'; signal?: AbortSignal | undefined },
  ): Promise<Float32Array[]>;
}
