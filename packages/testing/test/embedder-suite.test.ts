import type { Embedder } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { embedderCases, HashEmbedder, runCases } from '../src/index.ts';

/** Typical errors of embedders, each with the case that must detect it and a function that causes it. */
const errors: { [error: string]: [caseId: string, change: (vectors: Float32Array[]) => unknown] } = {
  'returns one vector too few': ['embed.count', (vectors) => vectors.slice(1)],
  'returns one vector too many for one text': [
    'embed.count',
    (vectors) => (vectors.length === 1 ? [...vectors, vectors[0]] : vectors),
  ],
  'returns one vector for equal texts': [
    'embed.count',
    (vectors) => [...new Map(vectors.map((vector) => [vector.join(), vector])).values()],
  ],
  'does not return a list': ['embed.count', (vectors) => new Set(vectors)],
  'returns vectors in another order': ['embed.in-order', (vectors) => vectors.toReversed()],
  'returns shorter vectors': ['embed.dimensions', (vectors) => vectors.map((vector) => vector.slice(1))],
  'returns plain arrays': ['embed.dimensions', (vectors) => vectors.map((vector) => [...vector])],
};

function changedEmbedder(change: (vectors: Float32Array[]) => unknown): Embedder {
  const correct = new HashEmbedder();
  const { model, dimensions, maxBatch, specVersion } = correct;
  const embed: Embedder['embed'] = async (texts, p) => change(await correct.embed(texts, p)) as Float32Array[];
  return { model, dimensions, maxBatch, specVersion, embed };
}

describe('embedderCases', () => {
  it.each(Object.entries(errors))('fail for an embedder that %s (contract 32)', async (_, [caseId, change]) => {
    const results = await runCases(embedderCases, { create: () => changedEmbedder(change) });
    expect(results.filter(({ error }) => error !== undefined).map(({ id }) => id)).toContain(caseId);
  });
});
