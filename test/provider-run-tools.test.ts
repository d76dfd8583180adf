import { InMemorySessionService } from '@thole/mem-services';
import { Anthropic } from '@thole/provider-anthropic';
import { Gemini } from '@thole/provider-gemini';
import { OpenAi } from '@thole/provider-openai';
import { LlmAgent, Runner } from '@thole/runner';
import { ProtocolServer } from '@thole/testing/http';
import { codeExecutionTool, fileSearchTool, FunctionTool, googleSearchTool, webSearchTool } from '@thole/tools';
import { expect, it } from 'vitest';

const tools = [
  new FunctionTool({ name: 'find_rooms', description: 'Finds rooms.', execute: () => ({}) }),
  googleSearchTool(),
  codeExecutionTool(),
  fileSearchTool({ fileSearchStoreNames: ['fileSearchStores/a'], vectorStoreIds: ['vs_1'] }),
  webSearchTool(),
];
const geminiAnswer = { candidates: [{ content: { parts: [{ text: 'Sunny.' }] }, finishReason: 'STOP' }] };
const openAiAnswer = {
  id: 'r',
  object: 'response',
  status: 'completed',
  model: 'gpt-5',
  output: [
    {
      id: 'm',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Sunny.', annotations: [] }],
    },
  ],
};

it('sends each tool that the provider runs once to Claude, next to functions', async () => {
  const answer = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-5-5',
    content: [{ type: 'text', text: 'Sunny.' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  const server = await ProtocolServer.start(() => ({ body: JSON.stringify(answer) }));
  try {
    const model = new Anthropic({ model: 'claude-sonnet-5-5', apiKey: 'key', baseUrl: server.url, retry: false });
    const withoutFiles = tools.filter(({ name }) => name !== 'file_search');
    const runner = new Runner({
      appName: 'hotel',
      agent: new LlmAgent({ name: 'concierge', model, tools: withoutFiles }),
      sessionService: new InMemorySessionService(),
      autoCreateSession: true,
    });
    const { text } = await runner.runToCompletion({ userId: 'ada', sessionId: 's', newMessage: 'How is the weather?' });
    await runner.close();
    expect(text).toBe('Sunny.');
    const sent = (server.requests[0]!.body as { tools: { name: string }[] }).tools;
    expect(sent.map(({ name }) => name)).toEqual(['find_rooms', 'web_search', 'code_execution']);
  } finally {
    await server.close();
  }
});

it.each([
  [
    'Gemini',
    geminiAnswer,
    (baseUrl: string) => new Gemini({ model: 'gemini-3-pro-preview', apiKey: 'key', baseUrl, retry: false }),
    [{}, {}, {}, { fileSearchStoreNames: ['fileSearchStores/a'] }, {}],
    ['functionDeclarations', 'googleSearch', 'codeExecution', 'fileSearch', 'googleSearch'],
  ],
  [
    'OpenAI',
    openAiAnswer,
    (baseUrl: string) => new OpenAi({ model: 'gpt-5', apiKey: 'key', baseUrl, api: 'responses', retry: false }),
    [{}, {}, {}, { vector_store_ids: ['vs_1'] }, {}],
    ['function', 'web_search', 'code_interpreter', 'file_search', 'web_search'],
  ],
] as const)('sends tools that the provider runs to %s, next to functions', async (_, answer, make, settings, kinds) => {
  const server = await ProtocolServer.start(() => ({ body: JSON.stringify(answer) }));
  try {
    const agent = new LlmAgent({ name: 'concierge', model: make(server.url), tools });
    const runner = new Runner({
      appName: 'hotel',
      agent,
      sessionService: new InMemorySessionService(),
      autoCreateSession: true,
    });
    const { text } = await runner.runToCompletion({ userId: 'ada', sessionId: 's', newMessage: 'How is the weather?' });
    await runner.close();
    expect(text).toBe('Sunny.');
    const sent = (server.requests[0]!.body as { tools: { [name: string]: unknown }[] }).tools;
    expect(sent.map((tool) => tool['type'] ?? Object.keys(tool)[0])).toEqual(kinds);
    for (const [i, expected] of settings.entries())
      expect(kinds[i]! in sent[i]! ? sent[i]![kinds[i]!] : sent[i]).toMatchObject(expected);
  } finally {
    await server.close();
  }
});
