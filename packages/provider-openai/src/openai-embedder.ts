import { TholeError } from '@thole/core';
import type { Embedder } from '@thole/core';

/** Embeddings of OpenAi. */
export class OpenAiEmbedder implements Embedder {
  readonly specVersion = 1;
  readonly model = 'openai-embedding';
  readonly dimensions = 1;
  readonly maxBatch = 1;

  async embed(_texts: readonly string[], _p: Parameters<Embedder['embed']>[1]): Promise<Float32Array[]> {
    throw new TholeError('NOT_WRITTEN', 'OpenAiEmbedder.embed is not written yet.');
  }
}
