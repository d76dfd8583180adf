import { createEvent } from '@thole/core';
import { fails, FixedRuntime, ScriptedLlm } from '@thole/testing';
import { InMemoryMemoryService } from '@thole/mem-services';
import { describe, expect, it } from 'vitest';
import { FactMemoryService, LlmFactExtractor } from '../../src/facts/index.ts';

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
});
