import type { LlmRequest, Tool } from '@thole/core';
import { FixedRuntime, toolContextFor } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { codeExecutionTool, fileSearchTool, GOOGLE_SEARCH, googleSearchTool, webSearchTool } from '../src/index.ts';

const stores = { fileSearchStoreNames: ['fileSearchStores/a'], vectorStoreIds: ['vs_1'] };

describe('tools that the provider runs', () => {
  it.each<[string, Tool, object]>([
    ['google_search', googleSearchTool(), { googleSearch: {} }],
    ['google_search', GOOGLE_SEARCH, { googleSearch: {} }],
    ['google_search', googleSearchTool({ searchTypes: {} }), { googleSearch: { searchTypes: {} } }],
    ['code_execution', codeExecutionTool(), { codeExecution: {} }],
    ['web_search', webSearchTool({ search_context_size: 'low' }), { webSearch: { search_context_size: 'low' } }],
    ['file_search', fileSearchTool({ ...stores, settings: { topK: 3 } }), { fileSearch: { ...stores, topK: 3 } }],
  ])('%s adds its declaration to the request', async (name, tool, declaration) => {
    expect(tool.name).toBe(name);
    expect(tool.declaration?.()).toBeUndefined();
    expect((await processRequest(tool)).config.tools).toEqual([{ functionDeclarations: [] }, declaration]);
  });

  it('adds a separate declaration to each request', async () => {
    const tool = fileSearchTool(stores);
    const [one, other] = [await processRequest(tool), await processRequest(tool)];
    expect(one.config.tools![1]).not.toBe(other.config.tools![1]);
  });

  it.each([googleSearchTool(), fileSearchTool(stores)])('rejects a call of %o with INVALID_INPUT', async (tool) => {
    const toolContext = toolContextFor({ runtime: new FixedRuntime() });
    await expect(tool.runAsync({ args: {}, toolContext })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it.each<[unknown, string]>([
    [{}, 'fileSearchStoreNames'],
    [{ fileSearchStoreNames: [] }, 'fileSearchStoreNames'],
    [{ vectorStoreIds: 'vs_1' }, 'vectorStoreIds'],
    [{ stores: ['a'] }, 'stores'],
    [undefined, 'options'],
  ])('fileSearchTool rejects %j and names the option', (options, name) => {
    expect(() => fileSearchTool(options as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(name) }),
    );
  });
});

async function processRequest(tool: Tool): Promise<LlmRequest> {
  const llmRequest: LlmRequest = { contents: [], config: { tools: [{ functionDeclarations: [] }] } };
  await tool.processLlmRequest!({ toolContext: toolContextFor({ runtime: new FixedRuntime() }), llmRequest });
  return llmRequest;
}
