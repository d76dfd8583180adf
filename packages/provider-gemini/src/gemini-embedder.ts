import { TholeError } from '@thole/core';
import type { Embedder } from '@thole/core';

/** Embeddings of Gemini. */
export class GeminiEmbedder implements Embedder {
  readonly specVersion = 1;
  readonly model = 'gemini-embedding';
  readonly dimensions = 1;
  readonly maxBatch = 1;

  async embed(_texts: readonly string[], _p: Parameters<Embedder['embed']>[1]): Promise<Float32Array[]> {
    throw new TholeError('NOT_WRITTEN', 'GeminiEmbedder.embed is not written yet.');
  }
}
