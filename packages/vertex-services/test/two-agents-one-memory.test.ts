import { isFinalResponse, textOf } from '@thole/core';
import type { MemoryService } from '@thole/core';
import { LlmAgent, Runner } from '@thole/runner';
import { calls, modelNamed, says, ScriptedLlm } from '@thole/testing';
import { LOAD_MEMORY } from '@thole/tools';
import { VertexAiMemoryBankService, VertexAiRagMemoryService, VertexAiSessionService } from '@thole/vertex-services';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GoogleServer } from './google-server/google-server.ts';

const appName = 'projects/hotel/locations/us-central1/reasoningEngines/1234567890';
const userId = 'mem_user';
const MODEL = 'gemini-2.0-flash';

let server: GoogleServer;
beforeAll(async () => void (server = await GoogleServer.start()));
afterAll(() => server.close());

const memories: readonly (readonly [string, () => MemoryService])[] = [
  ['Memory Bank', () => new VertexAiMemoryBankService({ ...server.options })],
  [
    'RAG memory',
    () =>
      new VertexAiRagMemoryService({
        ...server.options,
        ragCorpus: 'projects/hotel/locations/us-central1/ragCorpora/5',
      }),
  ],
];

// F076, F126–F129 with F342.
describe('example: two agents that share a memory on Vertex AI', () => {
  it.each(memories)('answers with the second agent from the first agent’s turn in %s', async (_, openMemory) => {
    const model = new ScriptedLlm(
      says('Noted, thank you.'),
      calls('load_memory', { query: 'favorite project' }, 'call-1'),
      ({ contents }) => says(`Found: ${/Project \w+/.exec(JSON.stringify(contents.at(-1)))?.[0]}.`),
    );
    const infoCaptureAgent = new LlmAgent({ name: 'InfoCaptureAgent', model: MODEL });
    const memoryRecallAgent = new LlmAgent({ name: 'MemoryRecallAgent', model: MODEL, tools: [LOAD_MEMORY] });
    const sessionService = new VertexAiSessionService({ ...server.options });
    const memoryService = openMemory();
    const models = [modelNamed(MODEL, model)];
    const runner = new Runner({ appName, agent: infoCaptureAgent, sessionService, memoryService, models });

    const { id: infoId } = await sessionService.createSession({ appName, userId });
    const newMessage = 'My favorite project is Project Alpha.';
    await runner.runToCompletion({ userId, sessionId: infoId, newMessage });
    await memoryService.addSessionToMemory((await sessionService.getSession({ appName, userId, sessionId: infoId }))!);

    const { id: recallId } = await sessionService.createSession({ appName, userId });
    runner.agent = memoryRecallAgent;
    const run = { userId, sessionId: recallId, newMessage: 'What is my favorite project?' };
    const answers: string[] = [];
    for await (const event of runner.runAsync(run)) if (isFinalResponse(event)) answers.push(textOf(event.content));
    expect(answers).toEqual(['Found: Project Alpha.']);
    model.assertDone();
  });

  it('keeps session properties as in the example of sessions', async () => {
    const sessionService = new VertexAiSessionService({ ...server.options });
    const key = { appName, userId: 'example_user' };
    const session = await sessionService.createSession({ ...key, state: { initial_key: 'initial_value' } });
    expect(session).toMatchObject({ ...key, state: { initial_key: 'initial_value' }, events: [] });
    expect(await sessionService.getSession({ ...key, sessionId: session.id })).toEqual(session);
    expect(await sessionService.deleteSession({ ...key, sessionId: session.id })).toBe(true);
    expect(await sessionService.getSession({ ...key, sessionId: session.id })).toBeUndefined();
  });
});
