import type { JsonObject } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { Anthropic } from '@thole/provider-anthropic';
import { LlmAgent, Runner } from '@thole/runner';
import { FunctionTool, webSearchTool } from '@thole/tools';
import { expect, it } from 'vitest';
import { useServer } from './use-server.ts';

// Shapes as Anthropic publishes them: https://platform.claude.com/docs/en/api/messages, and for the blocks
// …/build-with-claude/extended-thinking and …/agents-and-tools/tool-use/web-search-tool.
const message = (stop_reason: string, ...content: JsonObject[]) => ({
  body: JSON.stringify({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-5-5',
    content,
    stop_reason,
    stop_sequence: null,
    usage: { input_tokens: 7, output_tokens: 2 },
  }),
});
const first: JsonObject[] = [
  { type: 'thinking', thinking: '', signature: 'c2lnbmF0dXJl' },
  { type: 'redacted_thinking', data: 'cmVkYWN0ZWQ=' },
  { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'fairs in Oslo' } },
  {
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: [{ type: 'web_search_result', url: 'https://x' }],
  },
  { type: 'text', text: 'There is a fair.', citations: [{ type: 'web_search_result_location', url: 'https://x' }] },
  { type: 'tool_use', id: 'toolu_1', name: 'find_rooms', input: { city: 'Oslo' } },
  { type: 'tool_use', id: 'toolu_2', name: 'find_rooms', input: { city: 'Bergen' } },
];

it('keeps blocks of Claude in the session and sends them back unchanged, also in a later turn (contract 17)', async () => {
  const server = await useServer(
    message('tool_use', ...first),
    message('end_turn', { type: 'text', text: 'Room 301.' }),
    message('end_turn', { type: 'text', text: 'Booked.' }),
  );
  const findRooms = new FunctionTool({
    name: 'find_rooms',
    description: 'Finds rooms.',
    execute: () => ({ room: 301 }),
  });
  const model = new Anthropic({ model: 'claude-sonnet-5-5', apiKey: 'a-local-key', baseUrl: server.url, retry: false });
  const runner = new Runner({
    appName: 'hotel',
    agent: new LlmAgent({ name: 'host', model, tools: [findRooms, webSearchTool()] }),
    sessionService: new InMemorySessionService(),
    autoCreateSession: true,
  });
  const texts: string[] = [];
  for (const newMessage of ['A room in Oslo?', 'Book it.'])
    texts.push((await runner.runToCompletion({ userId: 'ada', sessionId: 's', newMessage })).text);
  await runner.close();
  expect(texts).toEqual(['Room 301.', 'Booked.']);
  const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: '{"room":301}' });
  const history = [
    { role: 'user', content: [{ type: 'text', text: 'A room in Oslo?' }] },
    { role: 'assistant', content: first },
    { role: 'user', content: [result('toolu_1'), result('toolu_2')] },
  ];
  const sent = server.requests.map(({ body }) => (body as { messages: JsonObject[] }).messages);
  expect(sent[1]).toEqual(history);
  expect(sent[2]).toEqual([
    ...history,
    { role: 'assistant', content: [{ type: 'text', text: 'Room 301.' }] },
    { role: 'user', content: [{ type: 'text', text: 'Book it.' }] },
  ]);
});
