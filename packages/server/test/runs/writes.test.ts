import { streams } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { SpanMemory } from '../../src/index.ts';
import { demo } from '../demo.ts';

describe('POST /run_sse', () => {
  it.each([
    ['without traces', {}],
    ['with traces', { traces: new SpanMemory() }],
  ])('sends a stream of 100 parts in 2 writes %s', async (_, options) => {
    const parts = Array.from({ length: 100 }, () => 'a');
    const { run } = await demo({ ...options, answers: [streams(...parts)] });
    const response = await run('/run_sse', { streaming: true });
    let writes = 0;
    for await (const chunk of response.body!) if (chunk.length > 0) writes++;
    expect(writes).toBe(2);
  });
});
