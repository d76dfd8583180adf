import type { Tool } from '@thole/core';
import { memoryToolCases, runCases } from '@thole/testing';
import type { MemoryTools } from '@thole/testing';
import { loadMemoryTool, preloadMemoryTool, rememberTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';

const correctTools = (): MemoryTools => ({
  loadMemory: loadMemoryTool(),
  preloadMemory: preloadMemoryTool(),
  remember: rememberTool(),
});

/** Returns a tool with replaced members. */
function withChange(tool: Tool, change: Partial<Tool>): Tool {
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
    make: () => ({
      ...correctTools(),
      loadMemory: withChange(loadMemoryTool(), { runAsync: async () => ({ memories: [] }) }),
    }),
  },
  {
    id: 'remember-stores-nothing-without-an-error',
    contract: 35,
    caughtBy: 'memory-tools.remember-without-service',
    make: () => ({
      ...correctTools(),
      remember: withChange(rememberTool(), { runAsync: async () => ({ remembered: true }) }),
    }),
  },
  {
    id: 'preload-does-not-escape-tags',
    contract: 36,
    caughtBy: 'memory-tools.preload-escaped',
    make: () => ({
      ...correctTools(),
      preloadMemory: withChange(preloadMemoryTool(), {
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
      ...correctTools(),
      preloadMemory: withChange(preloadMemoryTool(), {
        processLlmRequest: async ({ toolContext, llmRequest }) => {
          toolContext.state.delete(`temp:preload_memory:${toolContext.agentName}`);
          await preloadMemoryTool().processLlmRequest!({ toolContext, llmRequest });
        },
      }),
    }),
  },
  {
    id: 'preload-writes-into-the-system-text',
    contract: 36,
    caughtBy: 'memory-tools.preload-place',
    make: () => ({ ...correctTools(), preloadMemory: preloadMemoryTool({ placement: 'system' }) }),
  },
];

describe('memoryToolCases', () => {
  it('pass the tools of @thole/tools', async () => {
    const results = await runCases(memoryToolCases, { create: correctTools });
    expect(results.filter((result) => 'error' in result)).toEqual([]);
  });

  for (const { id, contract, caughtBy, make } of mutants) {
    it(`fail the mutant ${id} (contract ${contract})`, async () => {
      const failed = (await runCases(memoryToolCases, { create: make })).filter((result) => 'error' in result);
      expect(failed.map((result) => result.id)).toContain(caughtBy);
      expect(failed.find((result) => result.id === caughtBy)?.contracts).toContain(contract);
    });
  }
});
