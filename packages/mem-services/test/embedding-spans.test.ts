import { TholeError } from '@thole/core';
import type { Embedder } from '@thole/core';
import { VectorMemoryService } from '@thole/mem-services';
import { FixedRuntime, HashEmbedder, RecordingTracer } from '@thole/testing';
import { describe, expect, it } from 'vitest';

const user = { appName: 'hotel', userId: 'alice' };

async function search(embedder: Embedder, tracer: RecordingTracer): Promise<unknown> {
  const service = new VectorMemoryService({ embedder, runtime: new FixedRuntime({ tracer }) });
  await service.addMemory({ ...user, memory: 'Likes green tea.' });
  return service.searchMemory({ ...user, query: 'tea' });
}

describe('spans of embedders', () => {
  it('have the names and attributes of the GenAI conventions, and no texts', async () => {
    const embedder: Embedder = Object.assign(new HashEmbedder(), { providerName: 'acme' });
    const tracer = new RecordingTracer();
    await search(embedder, tracer);
    const name = `embeddings ${embedder.model}`;
    expect(tracer.spans.map((span) => [span.name, span.ends, span.error])).toEqual([
      [name, 1, undefined],
      [name, 1, undefined],
    ]);
    expect(tracer.named(name).attributes).toEqual({
      'gen_ai.operation.name': 'embeddings',
      'gen_ai.provider.name': 'acme',
      'gen_ai.request.model': embedder.model,
      'gen_ai.embeddings.dimension.count': embedder.dimensions,
    });
  });

  it('have the code of an error', async () => {
    const hash = new HashEmbedder();
    const failing: Embedder = {
      model: hash.model,
      dimensions: hash.dimensions,
      maxBatch: hash.maxBatch,
      specVersion: 1,
      embed: () => Promise.reject(new TholeError('MODEL_UNAVAILABLE', 'Closed.', { retryable: false })),
    };
    const tracer = new RecordingTracer();
    await search(failing, tracer).catch(() => undefined);
    expect(tracer.spans[0]!.attributes['error.type']).toBe('MODEL_UNAVAILABLE');
  });

  it('do not exist without a recording tracer', async () => {
    const tracer = Object.assign(new RecordingTracer(), { isSilent: true });
    await search(new HashEmbedder(), tracer);
    expect(tracer.spans).toEqual([]);
  });
});
