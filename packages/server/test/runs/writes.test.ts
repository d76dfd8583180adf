import { systemRuntime } from '@thole/core';
import type { Runtime } from '@thole/core';
import { streams } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { lineLogger, SpanMemory } from '../../src/index.ts';
import type { HandlerOptions } from '../../src/index.ts';
import { demo } from '../demo.ts';

/** Returns the number of writes of a stream with 100 partial events, the complete event and the end. */
async function countWrites(options: Partial<HandlerOptions>): Promise<number> {
  const parts = Array.from({ length: 100 }, () => 'a');
  const { run } = await demo({ ...options, answers: [streams(...parts)] });
  const response = await run('/run_sse', { streaming: true });
  let writes = 0;
  for await (const chunk of response.body!) if (chunk.length > 0) writes++;
  return writes;
}

/** A runtime like those of platforms that cannot wait for microtasks. */
function withoutAfterMicrotasks(): Runtime {
  const { afterMicrotasks: _, ...runtime } = systemRuntime();
  return runtime;
}

/** A runtime whose runs need no more writes on a slow machine: they do not wait after 50 ms of work. */
function withoutEventLoopTurn(): Runtime {
  const { eventLoopTurn: _, ...runtime } = systemRuntime();
  return runtime;
}

describe('POST /run_sse', () => {
  it.each<[string, Partial<HandlerOptions>]>([
    ['with a runtime', {}],
    ['with a logger, which replaces the runtime', { logger: lineLogger({ write: () => {} }) }],
    ['with traces, which replace the runtime', { traces: new SpanMemory() }],
  ])('sends 100 partial events in 2 writes %s', async (_, options) => {
    expect(await countWrites({ runtime: withoutEventLoopTurn(), ...options })).toBe(2);
  });

  it('sends fewer writes than events if no options are set', async () => {
    expect(await countWrites({})).toBeLessThan(50);
  });

  it('sends each event separately if the runtime has no afterMicrotasks', async () => {
    expect(await countWrites({ runtime: withoutAfterMicrotasks() })).toBe(102);
  });
});
