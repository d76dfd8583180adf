import type { Embedder } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { embedderCases, HashEmbedder, runCases } from '../src/index.ts';

/** Typical errors of embedders, each with the case that must detect it. */
const broken: { [what: string]: [caughtBy: string, answer: (vectors: Float32Array[]) => unknown] } = {
  'answers one vector too few': ['embed.count', (vectors) => vectors.slice(1)],
  'answers one vector too many for one text': [
    'embed.count',
    (vectors) => (vectors.length === 1 ? [...vectors, vectors[0]] : vectors),
  ],
  'answers equal texts once': [
    'embed.count',
    (vectors) => [...new Map(vectors.map((vector) => [vector.join(), vector])).values()],
  ],
  'does not answer with a list': ['embed.count', (vectors) => new Set(vectors)],
  'answers in another order': ['embed.in-order', (vectors) => vectors.toReversed()],
  'answers shorter vectors': ['embed.dimensions', (vectors) => vectors.map((vector) => vector.slice(1))],
  'answers plain arrays': ['embed.dimensions', (vectors) => vectors.map((vector) => [...vector])],
};

function answering(change: (vectors: Float32Array[]) => unknown): Embedder {
  const sound = new HashEmbedder();
  const { model, dimensions, maxBatch, specVersion } = sound;
  const embed: Embedder['embed'] = async (texts, p) => change(await sound.embed(texts, p)) as Float32Array[];
  return { model, dimensions, maxBatch, specVersion, embed };
}

describe('embedderCases', () => {
  it.each(Object.entries(broken))('fail for an embedder that %s (contract 32)', async (_, [caughtBy, change]) => {
    const results = await runCases(embedderCases, { create: () => answering(change) });
    expect(results.filter(({ error }) => error !== undefined).map(({ id }) => id)).toContain(caughtBy);
  });
});
