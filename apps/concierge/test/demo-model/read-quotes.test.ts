import { preloadMemoryTool } from '@thole/tools';
import { InMemoryMemoryService } from '@thole/mem-services';
import { FixedRuntime, toolContextFor } from '@thole/testing';
import type { LlmRequest } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { readTurn } from '../../demo-model/read-turn.ts';

describe('readTurn', () => {
  it('reads text and author of the memories that preload_memory quoted', async () => {
    const runtime = new FixedRuntime();
    const memoryService = new InMemoryMemoryService({ runtime });
    const note = (text: string, author?: string) => ({
      kind: 'note' as const,
      content: { role: 'user' as const, parts: [{ text }] },
      author,
    });
    await memoryService.addMemory({
      appName: 'app',
      userId: 'user',
      memories: [
        note('I love <blue> rooms & sofas.\nReally.', 'user'),
        note('Rooms are blue.', 'concierge'),
        note('blue rooms'),
      ],
    });
    const llmRequest: LlmRequest = {
      contents: [
        { role: 'user', parts: [{ text: 'I like red.' }] },
        { role: 'model', parts: [{ text: 'Good.' }] },
        { role: 'user', parts: [{ text: 'blue rooms' }] },
      ],
      config: {},
    };
    const toolContext = toolContextFor({ runtime, memoryService, userContent: 'blue rooms' });
    await preloadMemoryTool().processLlmRequest!({ toolContext, llmRequest });
    const turn = readTurn(llmRequest);
    expect(turn).toMatchObject({ message: 'blue rooms', earlier: ['I like red.'] });
    expect(new Set(turn.quoted)).toEqual(
      new Set([
        { text: 'I love <blue> rooms & sofas.\nReally.', author: 'user' },
        { text: 'Rooms are blue.', author: 'concierge' },
        { text: 'blue rooms' },
      ]),
    );
  });
});
