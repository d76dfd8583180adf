import type { Llm, LlmResponse } from '@thole/core';
import { textOf } from '@thole/core';
import { InMemoryArtifactService, InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { LlmAgent, Runner } from '@thole/runner';
import { FunctionTool, jsonSchema } from '@thole/tools';

/** Calls the tool, then returns its answer as text. */
const forecaster: Llm = {
  model: 'forecaster',
  specVersion: 1,
  async *generateContentAsync({ contents }): AsyncGenerator<LlmResponse> {
    const answer = contents.at(-1)?.parts?.[0]?.functionResponse?.response;
    const part = answer
      ? { text: `The sky of Oslo is ${answer.sky as string}.` }
      : { functionCall: { name: 'weather', args: { city: 'Oslo' } } };
    yield { content: { role: 'model', parts: [part] }, finishReason: 'STOP' };
  },
};

const weather = new FunctionTool({
  name: 'weather',
  description: 'Returns the weather of a city.',
  parameters: jsonSchema({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }),
  execute: () => ({ sky: 'clear' }),
});
const services = {
  sessionService: new InMemorySessionService(),
  memoryService: new InMemoryMemoryService(),
  artifactService: new InMemoryArtifactService(),
};
// When the module is loaded, Cloudflare Workers allow no random values and no timers.
const runner = new Runner({
  appName: 'anywhere',
  agent: new LlmAgent({ name: 'host', model: forecaster, tools: [weather] }),
  ...services,
});

/** Runs a turn with a tool call, then searches memory for it. Returns the same lines in every JavaScript runtime. */
export async function program(): Promise<string[]> {
  const user = { appName: 'anywhere', userId: 'ada' };
  const session = await services.sessionService.createSession(user);
  const lines: string[] = [];
  const newMessage = { role: 'user' as const, parts: [{ text: 'How is the weather in Oslo?' }] };
  for await (const event of runner.runAsync({ userId: 'ada', sessionId: session.id, newMessage })) {
    lines.push(`${event.author}: ${textOf(event.content) || Object.keys(event.content?.parts?.[0] ?? {}).join()}`);
  }
  const finishedSession = await services.sessionService.getSession({ ...user, sessionId: session.id });
  await services.memoryService.addSessionToMemory(finishedSession!);
  const { memories } = await services.memoryService.searchMemory({
    ...user,
    query: 'cities with clear skies',
    limit: 1,
  });
  lines.push(...memories.map(({ content }) => `found: ${textOf(content)}`));
  await runner.close();
  return lines;
}

export const expected: readonly string[] = [
  'host: functionCall',
  'host: functionResponse',
  'host: The sky of Oslo is clear.',
  'found: The sky of Oslo is clear.',
];
