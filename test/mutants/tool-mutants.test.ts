import type { Tool } from '@thole/core';
import { memoryToolCases, runCases } from '@thole/testing';
import type { MemoryTools } from '@thole/testing';
import { loadMemoryTool, preloadMemoryTool, rememberTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';

const sound = (): MemoryTools => ({
  loadMemory: loadMemoryTool(),
  preloadMemory: preloadMemoryTool(),
  remember: rememberTool(),
});

/** A tool with some of it replaced. */
function changed(tool: Tool, change: Partial<Tool>): Tool {
  return {
    name: tool.name,
    description: tool.description,
    ...(tool.declaration && { declaration: () => tool.declaration?.() }),
    runAsync: (p) => tool.runAsync(p),
    ...(tool.processLlmRequest && { processLlmRequest: (p) => tool.processLlmRequest!(p) }),
    ...change,
  };
}

const mutants: { id: string; contract: number; caughtBy: string; make: () => MemoryTools }[] = [
  {
    id: 'load-finds-nothing-without-a-service',
    contract: 35,
    caughtBy: 'memory-tools.load-without-service',
    make: () => ({ ...sound(), loadMemory: changed(loadMemoryTool(), { runAsync: async () => ({ memories: [] }) }) }),
  },
  {
    id: 'remember-forgets-without-a-word',
    contract: 35,
    caughtBy: 'memory-tools.remember-without-service',
    make: () => ({ ...sound(), remember: changed(rememberTool(), { runAsync: async () => ({ remembered: true }) }) }),
  },
  {
    id: 'preload-lets-tags-through',
    contract: 36,
    caughtBy: 'memory-tools.preload-escaped',
    make: () => ({
      ...sound(),
      preloadMemory: changed(preloadMemoryTool(), {
        processLlmRequest: async ({ toolContext, llmRequest }) => {
          await preloadMemoryTool().processLlmRequest!({ toolContext, llmRequest });
          llmRequest.contents = llmRequest.contents.map(({ role, parts }) => ({
            role,
            parts: parts?.map((part) => ({
              ...part,
              ...(part.text !== undefined && { text: part.text.replaceAll('&lt;', '<').replaceAll('&gt;', '>') }),
            })),
          }));
        },
      }),
    }),
  },
  {
    id: 'preload-searches-at-each-step',
    contract: 36,
    caughtBy: 'memory-tools.preload-once',
    make: () => ({
      ...sound(),
      preloadMemory: changed(preloadMemoryTool(), {
        processLlmRequest: async ({ toolContext, llmRequest }) => {
          toolContext.state.delete(`temp:preload_memory:${toolContext.agentName}`);
          await preloadMemoryTool().processLlmRequest!({ toolContext, llmRequest });
        },
      }),
    }),
  },
  {
    id: 'preload-speaks-in-the-system-text',
    contract: 36,
    caughtBy: 'memory-tools.preload-place',
    make: () => ({ ...sound(), preloadMemory: preloadMemoryTool({ placement: 'system' }) }),
  },
];

describe('broken memory tools are caught by the case that cites the contract', () => {
  it('the tools of @thole/tools keep every promise', async () => {
    const results = await runCases(memoryToolCases, { create: sound });
    expect(results.filter((result) => 'error' in result)).toEqual([]);
  });

  for (const { id, contract, caughtBy, make } of mutants) {
    it(`${id} (contract ${contract})`, async () => {
      const failed = (await runCases(memoryToolCases, { create: make })).filter((result) => 'error' in result);
      expect(failed.map((result) => result.id)).toContain(caughtBy);
      expect(failed.find((result) => result.id === caughtBy)?.contracts).toContain(contract);
    });
  }
});
