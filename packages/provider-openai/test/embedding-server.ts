import type { JsonObject } from '@thole/core';
import { HashEmbedder } from '@thole/testing';
import { ProtocolServer } from '@thole/testing/http';
import type { Answering } from '@thole/testing/http';

/**
 * Starts a server that embeds by hashing words, with OpenAI's API (https://platform.openai.com/docs/api-reference/embeddings, "Create
 * embeddings"). The vectors are returned in reverse order, each with its index, as the API allows.
 */
export function startEmbeddingServer(dimensions: number): Promise<ProtocolServer> {
  return ProtocolServer.start(embeddingAnswers(dimensions));
}

/** Returns the handler that answers `POST …/embeddings`. */
export function embeddingAnswers(dimensions: number): Answering {
  const embedder = new HashEmbedder({ dimensions, maxBatch: 2048 });
  return async ({ body }) => {
    const { input, model } = body as { input: string[]; model: string };
    const vectors = await embedder.embed(input, { task: 'document' });
    const data = vectors.map((vector, index): JsonObject => ({ object: 'embedding', index, embedding: [...vector] }));
    const usage = { prompt_tokens: 8, total_tokens: 8 };
    return { body: JSON.stringify({ object: 'list', data: data.toReversed(), model, usage }) };
  };
}
