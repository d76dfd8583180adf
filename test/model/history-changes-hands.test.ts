import type { JsonObject } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { Gemini } from '@thole/provider-gemini';
import { OpenAi } from '@thole/provider-openai';
import { FallbackLlm, LlmAgent, Runner } from '@thole/runner';
import { FixedRuntime } from '@thole/testing';
import type { ProtocolServer, ServerAnswer } from '@thole/testing/http';
import { FunctionTool, jsonSchema } from '@thole/tools';
import { expect, it } from 'vitest';
import { useServer } from './use-server.ts';

// Shapes as Google publishes them (https://ai.google.dev/api/generate-content, "GenerateContentResponse"; thought signatures:
// https://ai.google.dev/gemini-api/docs/thought-signatures) and OpenAI (https://platform.openai.com/docs/api-reference/responses,
// "The response object"; encrypted reasoning: https://platform.openai.com/docs/guides/reasoning).
const SIGNATURE = 'Z2VtaW5pLXNpZ25hdHVyZQ==';
const ENCRYPTED = 'gAAAA-openai-reasoning';

const gemini = (...parts: JsonObject[]): ServerAnswer => ({
  body: JSON.stringify({
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 2, totalTokenCount: 9 },
    modelVersion: 'gemini-3.8-flash',
  }),
});
const geminiCall = gemini(
  { text: 'A thought of Gemini.', thought: true },
  { functionCall: { name: 'find_rooms', args: { city: 'Oslo' } }, thoughtSignature: SIGNATURE },
);
const openAi = (text: string): ServerAnswer => ({
  body: JSON.stringify({
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    model: 'gpt-5.5',
    output: [
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'A thought of OpenAI.' }],
        encrypted_content: ENCRYPTED,
      },
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text, annotations: [] }],
      },
    ],
    usage: { input_tokens: 7, output_tokens: 2, total_tokens: 9 },
  }),
});

const bodies = (server: ProtocolServer): string[] => server.requests.map(({ body }) => JSON.stringify(body));

it('sends thoughts and signatures only to their own provider when providers alternate (contract 17)', async () => {
  const google = await useServer(geminiCall, gemini({ text: 'The first one.' }));
  const openai = await useServer(openAi('There are two rooms.'), openAi('Done.'));
  const runtime = new FixedRuntime();
  const a = new Gemini({ model: 'gemini-3.8-flash', apiKey: 'a-local-key', baseUrl: google.url, runtime });
  const b = new OpenAi({ model: 'gpt-5.5', apiKey: 'a-local-key', baseUrl: openai.url, api: 'responses', runtime });
  const order = [a, b, a, b];
  const model = new FallbackLlm({ models: [a, b], route: () => [order.shift()!], runtime });
  const findRooms = new FunctionTool({
    name: 'find_rooms',
    description: 'Finds rooms.',
    parameters: jsonSchema({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }),
    execute: () => ({ rooms: ['301', '401'] }),
  });
  const runner = new Runner({
    appName: 'hotel',
    agent: new LlmAgent({ name: 'host', model, tools: [findRooms] }),
    sessionService: new InMemorySessionService({ runtime }),
    autoCreateSession: true,
    runtime,
  });
  const answered: string[] = [];
  for (const newMessage of ['A room in Oslo?', 'Which is nicer?', 'Take it.']) {
    answered.push((await runner.runToCompletion({ userId: 'ada', sessionId: 's', newMessage })).text);
  }
  await runner.close();
  expect(answered).toEqual(['There are two rooms.', 'The first one.', 'Done.']);

  const [toOpenAi, againToOpenAi] = bodies(openai);
  const [, againToGoogle] = bodies(google);
  // The call and its answer are sent to OpenAI. Data that only Gemini understands is not sent.
  expect(toOpenAi).toContain('find_rooms');
  expect(toOpenAi).toContain('401');
  for (const foreign of [SIGNATURE, 'A thought of Gemini.']) {
    expect(toOpenAi).not.toContain(foreign);
    expect(againToOpenAi).not.toContain(foreign);
  }
  expect(againToOpenAi).toContain(ENCRYPTED);
  expect(againToOpenAi).toContain('There are two rooms.');
  expect(againToGoogle).toContain('There are two rooms.');
  for (const foreign of [ENCRYPTED, 'A thought of OpenAI.']) expect(againToGoogle).not.toContain(foreign);
  const { contents } = google.requests[1]!.body as { contents: { parts: JsonObject[] }[] };
  const signed = contents.flatMap(({ parts }) => parts).filter((part) => 'thoughtSignature' in part);
  expect(signed).toMatchObject([{ functionCall: { name: 'find_rooms' }, thoughtSignature: SIGNATURE }]);
});
