import type { Content, LlmRequest, LlmResponse, Span, Tracer } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { calls, FixedRuntime, RecordingTracer, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { Runner } from '../../src/runner/runner.ts';
import {
  inputMessages,
  outputMessages,
  systemInstructions,
  toolDefinitions,
} from '../../src/traces/gen-ai-messages.ts';
import { hello, ref, rootOf, toolOf } from '../support/llm-setup.ts';

const requestOf = (contents: Content[], config: LlmRequest['config'] = {}): LlmRequest => ({ contents, config });
const output = (response: LlmResponse): unknown => JSON.parse(outputMessages(response) ?? 'null');

describe('inputMessages', () => {
  it('returns roles and parts by the schema of the conventions', () => {
    const contents: Content[] = [
      { role: 'user', parts: [{ text: 'Weather in Oslo?' }, { fileData: { fileUri: 'gs://a/map.pdf' } }] },
      {
        role: 'model',
        parts: [
          { text: 'Look it up.', thought: true },
          { functionCall: { id: 'c1', name: 'weather', args: { city: 'Oslo' } } },
        ],
      },
      { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'weather', response: { sky: 'grey' } } }] },
    ];
    expect(JSON.parse(inputMessages(requestOf(contents)))).toEqual([
      {
        role: 'user',
        parts: [
          { type: 'text', content: 'Weather in Oslo?' },
          { type: 'uri', modality: 'document', uri: 'gs://a/map.pdf' },
        ],
      },
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', content: 'Look it up.' },
          { type: 'tool_call', id: 'c1', name: 'weather', arguments: { city: 'Oslo' } },
        ],
      },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: { sky: 'grey' } }] },
    ]);
  });

  it('leaves out the bytes of files, also of files in answers of tools', () => {
    const inlineData = { mimeType: 'image/png', data: 'iVBORw0KGgo=' };
    const functionResponse = { id: 'c1', name: 'draw', response: {}, parts: [{ inlineData }] };
    const blob = { type: 'blob', mime_type: 'image/png', modality: 'image', content: '' };
    const parts = [{ inlineData }, { functionResponse }];
    expect(JSON.parse(inputMessages(requestOf([{ role: 'user', parts }])))).toEqual([
      { role: 'user', parts: [blob, { type: 'tool_call_response', id: 'c1', response: {} }, blob] },
    ]);
  });

  it('maps code of the provider to a server tool, and unknown parts to generic', () => {
    const parts = [
      { executableCode: { code: '1 + 1', language: 'PYTHON' } },
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '2' } },
      { partMetadata: { provider: 'acme' } },
    ];
    expect(JSON.parse(inputMessages(requestOf([{ role: 'model', parts }])))).toEqual([
      {
        role: 'assistant',
        parts: [
          {
            type: 'server_tool_call',
            name: 'code_execution',
            server_tool_call: { type: 'code_execution', code: '1 + 1', language: 'PYTHON' },
          },
          {
            type: 'server_tool_call_response',
            server_tool_call_response: { type: 'code_execution', outcome: 'OUTCOME_OK', output: '2' },
          },
          { type: 'generic' },
        ],
      },
    ]);
  });
});

describe('outputMessages', () => {
  it.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content_filter'],
    ['NEW_REASON', 'new_reason'],
  ])('maps the finish reason %s to %s', (finishReason, finish_reason) => {
    const content: Content = { role: 'model', parts: [{ text: 'Hi.' }] };
    const parts = [{ type: 'text', content: 'Hi.' }];
    expect(output({ content, finishReason })).toEqual([{ role: 'assistant', parts, finish_reason }]);
  });

  it('returns the reason tool_call for calls and error for an error', () => {
    const call: Content = { role: 'model', parts: [{ functionCall: { name: 'look', args: {} } }] };
    expect(output({ content: call, finishReason: 'STOP' })).toMatchObject([{ finish_reason: 'tool_call' }]);
    expect(output({ content: { parts: [] }, errorCode: 'MODEL_BLOCKED' })).toMatchObject([{ finish_reason: 'error' }]);
    expect(output({ errorCode: 'MODEL_BLOCKED' })).toBe(null);
  });
});

describe('toolDefinitions', () => {
  it('returns functions with their schemas, and tools of the provider by name', () => {
    const declaration = { name: 'look', description: 'Looks.', parametersJsonSchema: { type: 'object' } };
    const tools = [{ functionDeclarations: [declaration] }, { googleSearch: {} }];
    expect(JSON.parse(toolDefinitions(requestOf([], { tools }))!)).toEqual([
      { type: 'function', name: 'look', description: 'Looks.', parameters: { type: 'object' } },
      { type: 'google_search', name: 'google_search' },
    ]);
    expect([toolDefinitions(requestOf([])), systemInstructions(requestOf([]))]).toEqual([undefined, undefined]);
  });
});

describe('Captured content', () => {
  async function spansWith(contentNames: 'adk' | 'gen_ai' | undefined): Promise<RecordingTracer> {
    const tracer = Object.assign(new RecordingTracer({ capturesContent: true }), { contentNames });
    await run(new FixedRuntime({ tracer }));
    return tracer;
  }
  async function run(runtime: FixedRuntime): Promise<void> {
    const sessionService = new InMemorySessionService({ runtime });
    await sessionService.createSession(ref);
    const tools = [toolOf('look', () => ({ seen: 'the sea' }))];
    const model = new ScriptedLlm(calls('look', { where: 'out' }, 'c1'), says('The sea.'));
    const agent = rootOf(model, { tools, instruction: 'Be brief.' });
    await new Runner({ appName: 'app', agent, sessionService, runtime }).runToCompletion(hello);
  }
  const namesIn = ({ spans }: RecordingTracer, prefix: string): string[] => [
    ...new Set(spans.flatMap(({ attributes }) => Object.keys(attributes).filter((name) => name.startsWith(prefix)))),
  ];
  const adk = ['llm_request', 'llm_response', 'tool_call_args', 'tool_response'].map(
    (name) => `gcp.vertex.agent.${name}`,
  );
  const genAi = [
    'gen_ai.system_instructions',
    'gen_ai.input.messages',
    'gen_ai.tool.definitions',
    'gen_ai.output.messages',
    'gen_ai.tool.call.arguments',
    'gen_ai.tool.call.result',
  ];

  it('is in the JSON shape of the conventions', async () => {
    const { spans } = await spansWith(undefined);
    const read = (index: number, name: string): unknown => JSON.parse(spans[index]!.attributes[name] as string);
    expect(read(2, 'gen_ai.system_instructions')).toEqual([
      { type: 'text', content: expect.stringContaining('Be brief.') as string },
    ]);
    expect(read(2, 'gen_ai.input.messages')).toEqual([{ role: 'user', parts: [{ type: 'text', content: 'hello' }] }]);
    expect(read(2, 'gen_ai.output.messages')).toEqual([
      {
        role: 'assistant',
        parts: [{ type: 'tool_call', id: 'c1', name: 'look', arguments: { where: 'out' } }],
        finish_reason: 'tool_call',
      },
    ]);
    expect(read(2, 'gen_ai.tool.definitions')).toMatchObject([{ type: 'function', name: 'look' }]);
    expect(read(3, 'gen_ai.tool.call.arguments')).toEqual({ where: 'out' });
    expect(read(3, 'gen_ai.tool.call.result')).toEqual({ seen: 'the sea' });
  });

  it.each([
    [undefined, [...adk, ...genAi]],
    ['adk' as const, adk],
    ['gen_ai' as const, genAi],
  ])('has the attribute names of contentNames (%s)', async (contentNames, expected) => {
    const tracer = await spansWith(contentNames);
    const all = [...namesIn(tracer, 'gcp.vertex.agent.'), ...namesIn(tracer, 'gen_ai.')];
    const content = all.filter((name) => [...adk, ...genAi].includes(name));
    expect(new Set(content)).toEqual(new Set(expected));
  });

  it('is not prepared for a span with takesContent: false', async () => {
    const names = new Set<string>();
    const span: Span = {
      traceId: '',
      spanId: '',
      takesContent: false,
      set: (attributes) => Object.keys(attributes).forEach((name) => names.add(name)),
      end() {},
    };
    const tracer: Tracer = { capturesContent: true, start: () => ({ ...span }) };
    await run(new FixedRuntime({ tracer }));
    expect([...names].filter((name) => [...adk, ...genAi].includes(name))).toEqual([]);
    expect(names).toContain('gcp.vertex.agent.event_id');
  });
});
