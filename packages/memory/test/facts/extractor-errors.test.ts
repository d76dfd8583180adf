import { createEvent } from '@thole/core';
import { fails, FixedRuntime, ScriptedLlm } from '@thole/testing';
import { InMemoryMemoryService } from '@thole/mem-services';
import { describe, expect, it } from 'vitest';
import { FactMemoryService, LlmFactExtractor } from '../../src/facts/index.ts';
import type { FactExtractor } from '../../src/facts/index.ts';

describe('FactMemoryService', () => {
  it('throws MODEL_FAILED with the cause if the model throws an error without a code', async () => {
    const runtime = new FixedRuntime();
    const cause = new TypeError('fetch failed');
    const extractor = new LlmFactExtractor({ llm: new ScriptedLlm(fails(cause)), runtime });
    const memory = new FactMemoryService({ memory: new InMemoryMemoryService({ runtime }), extractor, runtime });
    const ref = { appName: 'app', userId: 'ann', sessionId: 's' };
    const event = createEvent(
      { author: 'user', content: { role: 'user', parts: [{ text: 'I live in Ulm.' }] } },
      runtime,
    );
    await memory.addEventsToMemory({ ...ref, events: [event] });
    await expect(memory.makeFacts(ref)).rejects.toMatchObject({ code: 'MODEL_FAILED', cause });
  });

  it('throws OUTPUT_INVALID if the extractor returns no array', async () => {
    const extractor = { specVersion: 1 as const, extract: async () => ({ operations: [] }) };
    const memory = new FactMemoryService({
      memory: new InMemoryMemoryService(),
      extractor: extractor as unknown as FactExtractor,
    });
    const ref = { appName: 'app', userId: 'ann', sessionId: 's' };
    const event = createEvent({ author: 'user', content: { role: 'user', parts: [{ text: 'I live in Ulm.' }] } });
    await memory.addEventsToMemory({ ...ref, events: [event] });
    await expect(memory.makeFacts(ref)).rejects.toMatchObject({
      code: 'OUTPUT_INVALID',
      message: 'The fact extractor must return an array of operations, got an object.',
    });
  });
});
