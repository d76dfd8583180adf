import assert from 'node:assert/strict';
import { TholeError } from '@thole/core';
import type { Content, GenerateContentConfig, LlmRequest, LlmResponse } from '@thole/core';
import type { Case } from '../case.ts';
import { llmScenarios } from './llm-scenarios.ts';
import type { LlmScenario } from './llm-scenarios.ts';
import { assertHolds, assertInOrder, lastOf } from './llm-received.ts';
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
      for (const received of await sent(subject, { contents: [said('user', 'Is a berth free?')], config }))
        assertHolds(received, ['Answer as the harbourmaster 部屋.', 'Is a berth free?']);
    },
  },
  {
    id: 'llm.sends-history',
    sentence: 'sends all earlier messages of both sides in order',
    contracts: [17],
    check: async (subject) => {
      const texts = ['first-question', 'first-answer', 'second-question', 'second-answer', 'third-question'];
      const contents = texts.map((text, i) => said(i % 2 === 0 ? 'user' : 'model', text));
      for (const received of await sent(subject, asked(contents))) assertInOrder(received, texts);
    },
  },
  {
    id: 'llm.sends-tools',
    sentence: 'sends name, description and parameters of each tool',
    contracts: [17],
    check: async (subject) => {
      for (const received of await sent(subject, asking({ tools: tools() })))
        assertHolds(received, [
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
      const [without] = await sent(subject, asking({ tools: tools() }));
      const [withIt] = await sent(subject, asking({ tools: tools(), toolConfig }));
      assert.notDeepEqual(withIt, without);
    },
  },
  {
    id: 'llm.sends-calls-and-answers',
    sentence: 'sends the model’s calls with their arguments, then the tools’ answers, in order',
    contracts: [17],
    check: async (subject) => {
      const contents: Content[] = [
        said('user', 'Is a berth free?'),
        { role: 'model', parts: [called('call-a', 'north-quay'), called('call-b', 'south-quay')] },
        { role: 'user', parts: [answered('call-a', 'berth-seven'), answered('call-b', 'berth-eight')] },
      ];
      const inOrder = ['find_berths', 'north-quay', 'south-quay', 'berth-seven', 'berth-eight'];
      for (const received of await sent(subject, asked(contents))) assertInOrder(received, inOrder);
    },
  },
  {
    id: 'llm.sends-settings',
    sentence: 'sends temperature, topP and maxOutputTokens',
    contracts: [17],
    check: async (subject) => {
      const config = { temperature: 0.375, topP: 0.625, maxOutputTokens: 4321 };
      for (const received of await sent(subject, asking(config))) assertHolds(received, Object.values(config));
    },
  },
  {
    id: 'llm.sends-stop-sequences',
    sentence: 'sends stop sequences',
    contracts: [17],
    needs: ['stop-sequences'],
    check: async (subject) => {
      for (const received of await sent(subject, asking({ stopSequences: ['END-OF-BERTHS'] })))
        assertHolds(received, ['END-OF-BERTHS']);
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
      for (const received of await sent(subject, asking(config)))
        assertHolds(received, ['berthNumber', 'Painted on the quay.']);
    },
  },
  {
    id: 'llm.sends-signatures',
    sentence: 'sends sealed reasoning back unchanged, before the answer to its call',
    contracts: [17],
    needs: ['signatures'],
    check: async (subject) => {
      const { seal } = llmScenarios.sealed;
      for (const stream of [false, true]) {
        const llm = await subject.llm(llmScenarios.sealed);
        const first = asking({ tools: tools() });
        const { content } = split(await collect(llm, { stream }, first)).final;
        const id = content?.parts?.find((part) => part.functionCall)?.functionCall?.id ?? 'call-a';
        const answer = { functionResponse: { id, name: 'find_rooms', response: { berth: 'berth-seven' } } };
        const contents: Content[] = [...first.contents, content!, { role: 'user', parts: [answer] }];
        await collect(llm, { stream }, { ...first, contents });
        assertInOrder(lastOf(subject), [seal!, 'berth-seven']);
      }
    },
  },
  {
    id: 'llm.sends-model',
    sentence: 'calls the model that request.model names',
    contracts: [17],
    needs: ['request-model'],
    check: async (subject) => {
      for (const received of await sent(subject, { ...asking({}), model: 'another-model-9' }))
        assertHolds(received, ['another-model-9']);
    },
  },
  {
    id: 'llm.sends-images',
    sentence: 'sends an image of a message',
    contracts: [17],
    needs: ['images'],
    check: async (subject) => {
      const contents: Content[] = [{ role: 'user', parts: [{ text: 'What is this?' }, image(PIXEL)] }];
      for (const received of await sent(subject, asked(contents))) assertInOrder(received, ['What is this?', PIXEL]);
    },
  },
  {
    id: 'llm.sends-answer-images',
    sentence: 'sends an image of a tool’s answer after its call',
    contracts: [17],
    needs: ['answer-images'],
    check: async (subject) => {
      const { functionResponse } = answered('call-a', 'berth-seven');
      const contents: Content[] = [
        said('user', 'Show me the berth.'),
        { role: 'model', parts: [called('call-a', 'north-quay')] },
        { role: 'user', parts: [{ functionResponse: { ...functionResponse, parts: [image(PIXEL)] } }] },
      ];
      for (const received of await sent(subject, asked(contents))) {
        assertHolds(received, ['berth-seven']);
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
      const { error } = await attempt(await subject.llm(llmScenarios.text), { stream: false }, asked(newest));
      assert.ok(TholeError.is(error, 'INVALID_INPUT'), 'it is refused with INVALID_INPUT');
      assert.equal(subject.received().length, before, 'nothing was sent');
      const model: Content = { role: 'model', parts: [{ text: 'I cannot.' }, part] };
      for (const received of await sent(subject, asked([...newest, model, said('user', 'Then go on.')]))) {
        assertInOrder(received, ['Read this.', mimeType, 'I cannot.', mimeType]);
        assert.throws(() => assertHolds(received, [PIXEL]), 'its bytes are not sent');
      }
    },
  },
  {
    id: 'llm.usage',
    sentence: 'reports tokens of prompt, answer and total, with thoughts in the total',
    contracts: [17],
    check: async (subject) => {
      for (const final of await finals(subject, llmScenarios.usage)) {
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
      for (const { usageMetadata } of await finals(subject, llmScenarios.usage)) {
        assert.equal(usageMetadata?.thoughtsTokenCount, llmScenarios.usage.usage?.thoughtsTokenCount);
        assert.equal(usageMetadata?.cachedContentTokenCount, llmScenarios.usage.usage?.cachedContentTokenCount);
      }
    },
  },
];

/** Returns what the server received of this request, without and with streaming. */
async function sent(subject: LlmSubject, request: LlmRequest): Promise<unknown[]> {
  const all: unknown[] = [];
  for (const stream of [false, true]) {
    await collect(await subject.llm(llmScenarios.text), { stream }, request);
    all.push(lastOf(subject));
  }
  return all;
}

async function finals(subject: LlmSubject, scenario: LlmScenario): Promise<LlmResponse[]> {
  const all: LlmResponse[] = [];
  for (const stream of [false, true]) all.push(split(await collect(await subject.llm(scenario), { stream })).final);
  return all;
}

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const image = (data: string) => ({ inlineData: { mimeType: 'image/png', data } });

const said = (role: 'user' | 'model', text: string): Content => ({ role, parts: [{ text }] });

const asked = (contents: Content[]): LlmRequest => ({ contents, config: {} });

const asking = (config: GenerateContentConfig): LlmRequest => ({
  contents: [said('user', 'Is a berth free?')],
  config,
});

const called = (id: string, quay: string) => ({ functionCall: { id, name: 'find_berths', args: { quay } } });

const answered = (id: string, berth: string) => ({
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
