import assert from 'node:assert/strict';
import { TholeError } from '@thole/core';
import type { Content, GenerateContentConfig, LlmRequest, LlmResponse } from '@thole/core';
import type { Case } from '../case.ts';
import { llmScenarios } from './llm-scenarios.ts';
import type { LlmScenario } from './llm-scenarios.ts';
import { assertContains, assertInOrder, lastRequestOf } from './llm-received.ts';
import { attempt, collect, split } from './llm-support.ts';
import type { LlmSubject } from './llm-support.ts';

/** The request that a provider receives, and the usage that it returns. */
export const llmRequestCases: readonly Case<LlmSubject>[] = [
  {
    id: 'llm.sends-instruction',
    sentence: 'sends the system instruction and the message',
    contracts: [17],
    check: async (subject) => {
      const config = { systemInstruction: 'Answer as the harbourmaster 部屋.' };
      for (const received of await receivedRequests(subject, {
        contents: [textContent('user', 'Is a berth free?')],
        config,
      }))
        assertContains(received, ['Answer as the harbourmaster 部屋.', 'Is a berth free?']);
    },
  },
  {
    id: 'llm.sends-history',
    sentence: 'sends all earlier messages of user and model in order',
    contracts: [17],
    check: async (subject) => {
      const texts = ['first-question', 'first-answer', 'second-question', 'second-answer', 'third-question'];
      const contents = texts.map((text, i) => textContent(i % 2 === 0 ? 'user' : 'model', text));
      for (const received of await receivedRequests(subject, requestOf(contents))) assertInOrder(received, texts);
    },
  },
  {
    id: 'llm.sends-tools',
    sentence: 'sends name, description and parameters of each tool',
    contracts: [17],
    check: async (subject) => {
      for (const received of await receivedRequests(subject, requestWith({ tools: tools() })))
        assertContains(received, [
          ...['find_berths', 'Finds free berths.', 'shipLengthMeters', 'Length over all.'],
          ...['list_pilots', 'Lists pilots on duty.', 'shiftName'],
        ]);
    },
  },
  {
    id: 'llm.sends-tool-config',
    sentence: 'sends the tool configuration',
    contracts: [17],
    check: async (subject) => {
      const toolConfig = { functionCallingConfig: { mode: 'NONE' as const } };
      const [without] = await receivedRequests(subject, requestWith({ tools: tools() }));
      const [withConfig] = await receivedRequests(subject, requestWith({ tools: tools(), toolConfig }));
      assert.notDeepEqual(withConfig, without);
    },
  },
  {
    id: 'llm.sends-calls-and-answers',
    sentence: 'sends the model’s calls with their arguments, then the tools’ answers, in order',
    contracts: [17],
    check: async (subject) => {
      const contents: Content[] = [
        textContent('user', 'Is a berth free?'),
        { role: 'model', parts: [callPart('call-a', 'north-quay'), callPart('call-b', 'south-quay')] },
        { role: 'user', parts: [answerPart('call-a', 'berth-seven'), answerPart('call-b', 'berth-eight')] },
      ];
      const inOrder = ['find_berths', 'north-quay', 'south-quay', 'berth-seven', 'berth-eight'];
      for (const received of await receivedRequests(subject, requestOf(contents))) assertInOrder(received, inOrder);
    },
  },
  {
    id: 'llm.sends-settings',
    sentence: 'sends temperature, topP and maxOutputTokens',
    contracts: [17],
    check: async (subject) => {
      const config = { temperature: 0.375, topP: 0.625, maxOutputTokens: 4321 };
      for (const received of await receivedRequests(subject, requestWith(config)))
        assertContains(received, Object.values(config));
    },
  },
  {
    id: 'llm.sends-stop-sequences',
    sentence: 'sends stop sequences',
    contracts: [17],
    needs: ['stop-sequences'],
    check: async (subject) => {
      for (const received of await receivedRequests(subject, requestWith({ stopSequences: ['END-OF-BERTHS'] })))
        assertContains(received, ['END-OF-BERTHS']);
    },
  },
  {
    id: 'llm.sends-output-schema',
    sentence: 'sends the schema of the answer',
    contracts: [17],
    check: async (subject) => {
      const responseJsonSchema = {
        type: 'object',
        properties: { berthNumber: { type: 'integer', description: 'Painted on the quay.' } },
        required: ['berthNumber'],
        additionalProperties: false,
      };
      const config = { responseJsonSchema, responseMimeType: 'application/json' };
      for (const received of await receivedRequests(subject, requestWith(config)))
        assertContains(received, ['berthNumber', 'Painted on the quay.']);
    },
  },
  {
    id: 'llm.sends-signatures',
    sentence: 'sends signed reasoning back unchanged, before the answer to its call',
    contracts: [17],
    needs: ['signatures'],
    check: async (subject) => {
      const { encryptedReasoning } = llmScenarios.encrypted;
      for (const stream of [false, true]) {
        const llm = await subject.llm(llmScenarios.encrypted);
        const first = requestWith({ tools: tools() });
        const { content } = split(await collect(llm, { stream }, first)).final;
        const id = content?.parts?.find((part) => part.functionCall)?.functionCall?.id ?? 'call-a';
        const answer = { functionResponse: { id, name: 'find_rooms', response: { berth: 'berth-seven' } } };
        const contents: Content[] = [...first.contents, content!, { role: 'user', parts: [answer] }];
        await collect(llm, { stream }, { ...first, contents });
        assertInOrder(lastRequestOf(subject), [encryptedReasoning!, 'berth-seven']);
      }
    },
  },
  {
    id: 'llm.sends-model',
    sentence: 'calls the model that request.model names',
    contracts: [17],
    needs: ['request-model'],
    check: async (subject) => {
      for (const received of await receivedRequests(subject, { ...requestWith({}), model: 'another-model-9' }))
        assertContains(received, ['another-model-9']);
    },
  },
  {
    id: 'llm.sends-images',
    sentence: 'sends an image of a message',
    contracts: [17],
    needs: ['images'],
    check: async (subject) => {
      const contents: Content[] = [{ role: 'user', parts: [{ text: 'What is this?' }, image(PIXEL)] }];
      for (const received of await receivedRequests(subject, requestOf(contents)))
        assertInOrder(received, ['What is this?', PIXEL]);
    },
  },
  {
    id: 'llm.sends-answer-images',
    sentence: 'sends an image of a tool’s answer after its call',
    contracts: [17],
    needs: ['answer-images'],
    check: async (subject) => {
      const { functionResponse } = answerPart('call-a', 'berth-seven');
      const contents: Content[] = [
        textContent('user', 'Show me the berth.'),
        { role: 'model', parts: [callPart('call-a', 'north-quay')] },
        { role: 'user', parts: [{ functionResponse: { ...functionResponse, parts: [image(PIXEL)] } }] },
      ];
      for (const received of await receivedRequests(subject, requestOf(contents))) {
        assertContains(received, ['berth-seven']);
        assertInOrder(received, ['north-quay', PIXEL]);
      }
    },
  },
  {
    id: 'llm.unreadable-attachment',
    sentence: 'rejects an unreadable type in the newest message and names it in earlier ones',
    contracts: [22],
    needs: ['refuses-media'],
    check: async (subject) => {
      const { unreadableType: mimeType = 'font/woff2' } = subject;
      const part = { inlineData: { mimeType, data: PIXEL } };
      const newest: Content[] = [{ role: 'user', parts: [{ text: 'Read this.' }, part] }];
      const before = subject.received().length;
      const { error } = await attempt(await subject.llm(llmScenarios.text), { stream: false }, requestOf(newest));
      assert.ok(TholeError.is(error, 'INVALID_INPUT'), 'the call must fail with INVALID_INPUT');
      assert.equal(subject.received().length, before, 'the request must not be sent');
      const model: Content = { role: 'model', parts: [{ text: 'I cannot.' }, part] };
      for (const received of await receivedRequests(
        subject,
        requestOf([...newest, model, textContent('user', 'Then go on.')]),
      )) {
        assertInOrder(received, ['Read this.', mimeType, 'I cannot.', mimeType]);
        assert.throws(() => assertContains(received, [PIXEL]), 'the bytes must not be sent');
      }
    },
  },
  {
    id: 'llm.usage',
    sentence: 'reports tokens of prompt, answer and total, with thoughts in the total',
    contracts: [17],
    check: async (subject) => {
      for (const final of await finalResponses(subject, llmScenarios.usage)) {
        const { promptTokenCount, candidatesTokenCount, totalTokenCount } = final.usageMetadata ?? {};
        const { usage } = llmScenarios.usage;
        assert.deepEqual(
          { promptTokenCount, candidatesTokenCount, totalTokenCount },
          {
            promptTokenCount: usage?.promptTokenCount,
            candidatesTokenCount: usage?.candidatesTokenCount,
            totalTokenCount: usage?.totalTokenCount,
          },
        );
      }
    },
  },
  {
    id: 'llm.usage-details',
    sentence: 'reports tokens of thoughts and of the cache',
    contracts: [17],
    needs: ['thoughts'],
    check: async (subject) => {
      for (const { usageMetadata } of await finalResponses(subject, llmScenarios.usage)) {
        assert.equal(usageMetadata?.thoughtsTokenCount, llmScenarios.usage.usage?.thoughtsTokenCount);
        assert.equal(usageMetadata?.cachedContentTokenCount, llmScenarios.usage.usage?.cachedContentTokenCount);
      }
    },
  },
];

/** Sends a request without and with streaming. Returns the two requests that the server received. */
async function receivedRequests(subject: LlmSubject, request: LlmRequest): Promise<unknown[]> {
  const all: unknown[] = [];
  for (const stream of [false, true]) {
    await collect(await subject.llm(llmScenarios.text), { stream }, request);
    all.push(lastRequestOf(subject));
  }
  return all;
}

async function finalResponses(subject: LlmSubject, scenario: LlmScenario): Promise<LlmResponse[]> {
  const all: LlmResponse[] = [];
  for (const stream of [false, true]) all.push(split(await collect(await subject.llm(scenario), { stream })).final);
  return all;
}

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const image = (data: string) => ({ inlineData: { mimeType: 'image/png', data } });

const textContent = (role: 'user' | 'model', text: string): Content => ({ role, parts: [{ text }] });

const requestOf = (contents: Content[]): LlmRequest => ({ contents, config: {} });

const requestWith = (config: GenerateContentConfig): LlmRequest => ({
  contents: [textContent('user', 'Is a berth free?')],
  config,
});

const callPart = (id: string, quay: string) => ({ functionCall: { id, name: 'find_berths', args: { quay } } });

const answerPart = (id: string, berth: string) => ({
  functionResponse: { id, name: 'find_berths', response: { berth } },
});

const tools = (): NonNullable<GenerateContentConfig['tools']> => [
  {
    functionDeclarations: [
      {
        name: 'find_berths',
        description: 'Finds free berths.',
        parametersJsonSchema: {
          type: 'object',
          properties: { shipLengthMeters: { type: 'number', description: 'Length over all.' } },
          required: ['shipLengthMeters'],
        },
      },
      {
        name: 'list_pilots',
        description: 'Lists pilots on duty.',
        parametersJsonSchema: { type: 'object', properties: { shiftName: { type: 'string' } } },
      },
    ],
  },
];
