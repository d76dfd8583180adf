import assert from 'node:assert/strict';
import type { Embedder } from '@thole/core';
import type { Case } from '../case.ts';
import { cosine } from './vector-fixture.ts';

const TEXTS: readonly string[] = ['I love pizza.', 'The pool is on the roof.', '猫が好きです。', 'pizza'];

/** The promises of every embedder. */
export const embedderCases: readonly Case<Embedder>[] = [
  {
    id: 'embed.in-order',
    sentence: 'returns one vector for each text, in the order of the texts',
    contracts: [32],
    async check(embedder) {
      const together = await inBatches(embedder, TEXTS);
      assert.equal(together.length, TEXTS.length);
      for (const [i, text] of TEXTS.entries()) {
        const [alone] = await embedder.embed([text], { task: 'document' });
        assert.ok(cosine(alone!, together[i]!) > 0.999, `the vector at ${i} belongs to another text`);
      }
    },
  },
  {
    id: 'embed.count',
    sentence: 'returns as many vectors as texts, also for few and for equal texts',
    contracts: [32],
    async check(embedder) {
      const texts = ['pizza', 'pizza', 'The pool is on the roof.', 'pizza'];
      for (const task of ['query', 'document'] as const) {
        for (let count = 1; count <= Math.min(texts.length, embedder.maxBatch); count++) {
          const vectors = await embedder.embed(texts.slice(0, count), { task });
          assert.ok(Array.isArray(vectors), 'embed must return a list');
          assert.equal(vectors.length, count);
          for (const vector of vectors) assert.equal(vector?.length, embedder.dimensions);
        }
      }
    },
  },
  {
    id: 'embed.dimensions',
    sentence: 'returns a Float32Array of `dimensions` finite numbers for each query and document',
    contracts: [32],
    async check(embedder) {
      assert.ok(
        Number.isSafeInteger(embedder.dimensions) && embedder.dimensions > 0,
        'dimensions must be an integer ≥ 1',
      );
      for (const task of ['query', 'document'] as const) {
        const [vector] = await embedder.embed(['I love pizza.'], { task });
        assert.equal(Object.prototype.toString.call(vector), '[object Float32Array]');
        assert.equal(vector!.length, embedder.dimensions);
        assert.ok(
          vector!.every((x) => Number.isFinite(x)) && vector!.some((x) => x !== 0),
          'the numbers must be finite and not all 0',
        );
      }
    },
  },
  {
    id: 'embed.nothing',
    sentence: 'returns no vectors without texts',
    contracts: [32],
    async check(embedder) {
      assert.deepEqual(await embedder.embed([], { task: 'document' }), []);
      assert.deepEqual(await embedder.embed([], { task: 'query' }), []);
    },
  },
  {
    id: 'embed.full-batch',
    sentence: 'accepts a batch of maxBatch texts',
    contracts: [32],
    async check(embedder) {
      assert.ok(Number.isSafeInteger(embedder.maxBatch) && embedder.maxBatch > 0, 'maxBatch must be an integer ≥ 1');
      const count = Math.min(embedder.maxBatch, 100);
      const texts = Array.from({ length: count }, (_, i) => `Room number ${i}.`);
      assert.equal((await embedder.embed(texts, { task: 'document' })).length, count);
    },
  },
  {
    id: 'embed.same-text',
    sentence: 'returns the same vector for the same text, as a new array',
    contracts: [32],
    async check(embedder) {
      const [first] = await embedder.embed(['I love pizza.'], { task: 'document' });
      const before = Float32Array.from(first!);
      first!.fill(0);
      const [second] = await embedder.embed(['I love pizza.'], { task: 'document' });
      assert.ok(cosine(before, second!) > 0.999, 'both vectors must be the same, also after the first one was changed');
    },
  },
  {
    id: 'embed.near',
    sentence: 'returns a query nearer to a text about it than to another text',
    contracts: [32],
    async check(embedder) {
      const [query] = await embedder.embed(['who loves pizza'], { task: 'query' });
      const [near, far] = await inBatches(embedder, ['I love pizza with olives.', 'The train leaves at nine.']);
      assert.ok(cosine(query!, near!) > cosine(query!, far!), 'the query must be nearer to the text about it');
    },
  },
  {
    id: 'embed.aborted',
    sentence: 'rejects a call whose signal is aborted with the reason',
    contracts: [32],
    async check(embedder) {
      const reason = new Error('enough');
      const call = embedder.embed(['I love pizza.'], { task: 'query', signal: AbortSignal.abort(reason) });
      await assert.rejects(call, (error) => error === reason);
    },
  },
];

async function inBatches(embedder: Embedder, texts: readonly string[]): Promise<Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (let i = 0; i < texts.length; i += embedder.maxBatch) {
    vectors.push(...(await embedder.embed(texts.slice(i, i + embedder.maxBatch), { task: 'document' })));
  }
  return vectors;
}
