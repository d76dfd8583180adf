import type { Content, JsonObject } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { Gemini } from '@thole/provider-gemini';
import { LlmAgent, Runner } from '@thole/runner';
import { ProtocolServer } from '@thole/testing/http';
import type { ReceivedRequest, ServerAnswer } from '@thole/testing/http';
import { expect, it, onTestFinished } from 'vitest';

/** Returns Gemini's answers: a name for each new cache, a transfer for the message `to helper`, and otherwise the text `fine`. */
function geminiAnswers(): (request: ReceivedRequest) => ServerAnswer {
  let caches = 0;
  return ({ method, path, body }) => {
    if (method === 'DELETE') return { body: '{}' };
    if (path.includes('cachedContents')) return { body: JSON.stringify({ name: `cachedContents/c${++caches}` }) };
    const { parts } = (body as { contents: Content[] }).contents.at(-1)!;
    const asksForHelper = parts?.some(({ text }) => text === 'to helper') === true;
    const part = asksForHelper
      ? { functionCall: { name: 'transfer_to_agent', args: { agentName: 'helper' } } }
      : { text: 'fine' };
    const candidates = [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP' }];
    return { body: JSON.stringify({ candidates, usageMetadata: { promptTokenCount: 5_000, totalTokenCount: 5_001 } }) };
  };
}

it('gives each agent its own context cache, and a shorter one after a compaction', async () => {
  const server = await ProtocolServer.start(geminiAnswers());
  onTestFinished(() => server.close());
  const model = new Gemini({ model: 'gemini-2.5-flash', apiKey: 'a-local-key', baseUrl: server.url, retry: false });
  const helper = new LlmAgent({ name: 'helper', description: 'Helps.', model, instruction: 'Help.' });
  const rootAgent = new LlmAgent({ name: 'root', model, instruction: 'Greet.', subAgents: [helper] });
  const summarizer = {
    summarize: async () => ({ content: { role: 'model' as const, parts: [{ text: 'They have talked.' }] } }),
  };
  const app = { name: 'app', rootAgent, contextCache: {}, compaction: { interval: 5, summarizer } };
  const runner = new Runner({ app, sessionService: new InMemorySessionService(), autoCreateSession: true });
  for (const newMessage of ['q1', 'q2', 'to helper', 'q4', 'q5', 'q6', 'q7', 'q8']) {
    await runner.runToCompletion({ userId: 'ann', sessionId: 's', newMessage });
    await runner.idle();
  }
  await runner.close();

  const bodies = server.requests
    .filter(({ method }) => method === 'POST')
    .map(({ path, body }) => ({ isCache: path.includes('cachedContents'), body: body as JsonObject }));
  const systemOf = ({ body }: { body: JsonObject }): string => JSON.stringify(body['systemInstruction'] ?? null);
  const created = bodies.filter(({ isCache }) => isCache);
  expect(created.map((each) => /Greet|Help\./.exec(systemOf(each))?.[0])).toEqual(['Greet', 'Help.', 'Help.']);
  expect(created.map(({ body }) => (body['contents'] as Content[]).length)).toEqual([2, 8, 3]);
  expect(JSON.stringify(created[2]!.body['contents'])).toContain('They have talked.');
  for (const { isCache, body } of bodies) {
    if (isCache) continue;
    expect(body['contents']).not.toEqual([]);
    expect(body['cachedContent'] !== undefined).toBe(body['systemInstruction'] === undefined);
  }
});
