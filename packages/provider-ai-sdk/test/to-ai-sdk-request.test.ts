import type { Content, GenerateContentConfig, LlmRequest } from '@thole/core';
import { describe, expect, it } from 'vitest';
import type { RequestTarget } from '../src/ai-sdk-options.ts';
import { toAiSdkRequest } from '../src/to-ai-sdk-request.ts';

const endpoint = { name: 'ai-sdk:anthropic.messages' };
const target: RequestTarget = { version: 'v4', endpoint };

function convert(request: Partial<LlmRequest>, changes: Partial<RequestTarget> = {}): { [member: string]: unknown } {
  const { prompt, ...options } = toAiSdkRequest({ contents: [], config: {}, ...request }, { ...target, ...changes });
  return { ...options, ...(prompt.length > 0 && { prompt }) };
}

const convertConfig = (config: GenerateContentConfig, changes: Partial<RequestTarget> = {}): object =>
  convert({ config }, changes);
const promptOf = (contents: Content[], changes: Partial<RequestTarget> = {}): unknown =>
  convert({ contents }, changes)['prompt'];
const user = (text: string): Content => ({ role: 'user', parts: [{ text }] });
const lastMessage = { role: 'user', content: [{ type: 'text', text: 'Continue.' }] };
const firstMessage = { role: 'user', content: [{ type: 'text', text: 'Follow the system instruction.' }] };
const PIXEL = 'iVBORw0KGgo=';
const image = { inlineData: { mimeType: 'image/png', data: PIXEL, displayName: 'room.png' } };

describe('toAiSdkRequest', () => {
  it('sends settings with the names of the AI SDK', () => {
    const settings = { temperature: 0.5, topP: 0.9, topK: 40, maxOutputTokens: 100, seed: 7, stopSequences: ['END'] };
    expect(convertConfig(settings)).toEqual(settings);
    expect(convertConfig({ stopSequences: [] })).toEqual({});
  });

  it('sends the schema of the answer, or requests JSON', () => {
    const schema = { type: 'object', properties: { floor: { type: 'integer', nullable: true } } };
    expect(convertConfig({ responseJsonSchema: schema, responseMimeType: 'application/json' })).toEqual({
      responseFormat: {
        type: 'json',
        name: 'response',
        schema: { type: 'object', properties: { floor: { type: ['integer', 'null'] } } },
      },
    });
    expect(convertConfig({ responseMimeType: 'application/json' })).toEqual({ responseFormat: { type: 'json' } });
    expect(convertConfig({ responseMimeType: 'text/plain' })).toEqual({});
  });

  it.each([
    [{ thinkingLevel: 'HIGH' }, 'v4', { reasoning: 'high' }, []],
    [{ thinkingBudget: 0 }, 'v4', { reasoning: 'none' }, []],
    [{ thinkingLevel: 'THINKING_LEVEL_UNSPECIFIED' }, 'v4', {}, []],
    [{ thinkingLevel: 'enormous' }, 'v4', {}, ['thinkingConfig.thinkingLevel']],
    [{ thinkingLevel: 'LOW', thinkingBudget: 99 }, 'v4', { reasoning: 'low' }, ['thinkingConfig.thinkingBudget']],
    [{ includeThoughts: true }, 'v4', {}, ['thinkingConfig.includeThoughts']],
    [{ includeThoughts: false }, 'v4', {}, []],
    [{ thinkingLevel: 'HIGH' }, 'v3', {}, ['thinkingConfig.thinkingLevel']],
    [{ thinkingBudget: 0 }, 'v3', {}, ['thinkingConfig.thinkingBudget']],
  ] as const)('sends the thinking config %j to a model of %s as %j', (thinkingConfig, version, expected, leftOut) => {
    const names: string[] = [];
    const leaveOut = (name: string): void => void names.push(name);
    expect(convertConfig({ thinkingConfig }, { version, leaveOut })).toEqual(expected);
    expect(names).toEqual(leftOut);
  });

  it('merges provider options; members of the request replace members of the model', () => {
    const providerOptions = { anthropic: { effort: 'high', sendReasoning: true }, openai: { store: false } };
    const request = { providerOptions: { anthropic: { effort: 'low' }, google: { a: 1 } } };
    expect(convert(request, { providerOptions, headers: { 'x-team': 'front' } })).toEqual({
      headers: { 'x-team': 'front' },
      providerOptions: {
        anthropic: { effort: 'low', sendReasoning: true },
        openai: { store: false },
        google: { a: 1 },
      },
    });
  });
});

describe('tools', () => {
  const tools = [{ functionDeclarations: [{ name: 'find', description: 'Finds.' }, { name: 'book' }] }];
  const choice = (functionCallingConfig: object): { tools?: { name: string }[]; toolChoice?: object } =>
    convertConfig({ tools, toolConfig: { functionCallingConfig } });

  it('are functions with a schema, and tools of the provider', () => {
    const providerTool = { id: 'anthropic.web_search_20250305', name: 'web_search', args: {} } as const;
    const schema = { type: 'object', properties: {} };
    expect(convertConfig({ tools }, { providerTools: [providerTool] })).toEqual({
      tools: [
        { type: 'function', name: 'find', description: 'Finds.', inputSchema: schema },
        { type: 'function', name: 'book', inputSchema: schema },
        { type: 'provider', ...providerTool },
      ],
    });
  });

  it.each([
    [{ mode: 'AUTO' }, ['find', 'book'], undefined],
    [{ mode: 'NONE' }, ['find', 'book'], { type: 'none' }],
    [{ mode: 'ANY' }, ['find', 'book'], { type: 'required' }],
    [{ mode: 'ANY', allowedFunctionNames: ['book'] }, ['book'], { type: 'tool', toolName: 'book' }],
    [{ mode: 'AUTO', allowedFunctionNames: ['book'] }, ['book'], undefined],
    [{ mode: 'VALIDATED' }, ['find', 'book'], undefined],
  ])('are limited and selected by %j', (config, names, toolChoice) => {
    const result = choice(config);
    expect(result.tools?.map(({ name }) => name)).toEqual(names);
    expect(result.toolChoice).toEqual(toolChoice);
  });

  it.each([
    [{}, { type: 'object', properties: {} }],
    [{ type: 'object' }, { type: 'object', properties: {} }],
    [{ anyOf: [{ type: 'object' }] }, { anyOf: [{ type: 'object' }] }],
  ])('have type and properties if the schema %j is an object', (parametersJsonSchema, inputSchema) => {
    const declaration = { name: 'find', description: 'Finds.', parametersJsonSchema };
    expect(convertConfig({ tools: [{ functionDeclarations: [declaration] }] })).toEqual({
      tools: [{ type: 'function', name: 'find', description: 'Finds.', inputSchema }],
    });
  });

  it('that the provider would run itself are rejected; the error names providerTools', () => {
    expect(() => convertConfig({ tools: [{ googleSearch: {} }] })).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringMatching(/googleSearch.*providerTools/) }),
    );
  });
});

describe('messages', () => {
  it('begin with the instruction, and join consecutive contents of one role', () => {
    const contents: Content[] = [
      user('a'),
      { role: 'user', parts: [{ text: 'hm', thought: true }, { text: 'b' }] },
      { role: 'model' as const, parts: [{ text: 'c' }, { text: '' }] },
      user('d'),
    ];
    expect(convert({ contents, config: { systemInstruction: 'Be kind.' } })['prompt']).toEqual([
      { role: 'system', content: 'Be kind.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'c' }] },
      { role: 'user', content: [{ type: 'text', text: 'd' }] },
    ]);
  });

  it('contain one answer directly after each call: the last one, or a pending one', () => {
    const contents: Content[] = [
      user('a'),
      {
        role: 'model',
        parts: [
          { functionCall: { id: 'c1', name: 'find', args: { city: 'Oslo' } } },
          { functionCall: { id: 'c1', name: 'find', args: { city: 'Bergen' } } },
          { functionCall: { name: 'book', args: {} } },
        ],
      },
      user('b'),
      { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'find', response: { free: 1 } } }] },
      { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'find', response: { free: 2 } } }] },
    ];
    const json = (value: object): object => ({ type: 'json', value });
    const answer = (toolCallId: string, toolName: string, value: object): object => ({
      type: 'tool-result',
      toolCallId,
      toolName,
      output: json(value),
    });
    expect(promptOf(contents)).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'a' }] },
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId: 'c1', toolName: 'find', input: { city: 'Oslo' } },
          { type: 'tool-call', toolCallId: 'call_1_1', toolName: 'find', input: { city: 'Bergen' } },
          { type: 'tool-call', toolCallId: 'call_1_2', toolName: 'book', input: {} },
        ],
      },
      {
        role: 'tool',
        content: [
          answer('c1', 'find', { free: 1 }),
          answer('call_1_1', 'find', { free: 2 }),
          answer('call_1_2', 'book', { status: 'pending', message: 'There is no answer yet.' }),
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'b' }] },
    ]);
  });

  it('contain an answer without a call as text', () => {
    const contents: Content[] = [
      { role: 'user', parts: [{ functionResponse: { name: 'find', response: { free: 1 } } }] },
    ];
    expect(promptOf(contents)).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'find returned {"free":1}' }] },
    ]);
  });

  it('contain code that another provider ran as text, and none of its thoughts', () => {
    const parts = [
      { text: 'hm', thought: true, partMetadata: { provider: 'openai' } },
      { executableCode: { language: 'PYTHON', code: 'print(1)' } },
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
      image,
    ];
    expect(promptOf([{ role: 'model', parts }])).toEqual([
      firstMessage,
      {
        role: 'assistant',
        content: [
          { type: 'text', text: '```python\nprint(1)\n```' },
          { type: 'text', text: '```\n1\n```' },
          {
            type: 'text',
            text: '[A file of type image/png named "room.png" is not shown: this model cannot read it.]',
          },
        ],
      },
      lastMessage,
    ]);
  });

  it('contain metadata of the same endpoint only, with the content before and after a part', () => {
    const metadata = { anthropic: { signature: 'abc' } };
    const before = [{ type: 'reasoning', text: '', providerOptions: { anthropic: { redactedData: 'xyz' } } }];
    const after = [{ type: 'custom', kind: 'anthropic.compaction' }];
    const answerOf = (provider: string): Content => ({
      role: 'model',
      parts: [
        { text: 'hm', thought: true, partMetadata: { provider, metadata } },
        { text: 'Yes.', partMetadata: { provider, before, after: [...after, 'broken'] } },
      ],
    });
    expect(promptOf([answerOf(endpoint.name)])).toEqual([
      firstMessage,
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm', providerOptions: metadata },
          ...before,
          { type: 'text', text: 'Yes.' },
          ...after,
        ],
      },
      lastMessage,
    ]);
    expect(promptOf([answerOf('ai-sdk:google.generative-ai')])).toEqual([
      firstMessage,
      { role: 'assistant', content: [{ type: 'text', text: 'Yes.' }] },
      lastMessage,
    ]);
  });

  it('begin with a message of the user after the instruction, as some models require', () => {
    const answer: Content = { role: 'model', parts: [{ text: 'Yes.' }] };
    const prompt = convert({ contents: [answer], config: { systemInstruction: 'Be kind.' } })['prompt'];
    expect(prompt).toMatchObject([{ role: 'system' }, firstMessage, { role: 'assistant' }, lastMessage]);
  });

  it.each([
    ['ai-sdk:mistral.chat', ['user', 'assistant', 'tool', 'assistant', 'user']],
    ['ai-sdk:openai.chat', ['user', 'assistant', 'tool', 'user']],
  ])('contain a reply between answers and a message of the user for %s: %j', (name, roles) => {
    const contents: Content[] = [
      user('Hi'),
      { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'show', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'show', response: {} } }] },
      user('Bye'),
    ];
    const prompt = promptOf(contents, { endpoint: { name } }) as { role: string }[];
    expect(prompt.map(({ role }) => role)).toEqual(roles);
  });

  it('end with a message of the user or a tool, as some models require', () => {
    expect(promptOf([user('Hi'), { role: 'model', parts: [{ text: 'Yes.' }] }])).toMatchObject([{}, {}, lastMessage]);
    expect(promptOf([user('Hi')])).toHaveLength(1);
  });
});

describe('blank texts', () => {
  const blank: Content = { role: 'model', parts: [{ text: ' \n' }] };

  it('are left out, because some APIs reject them', () => {
    const [hello, bye] = [user('Hello'), user('Bye')];
    expect(promptOf([hello, blank, user(' '), bye])).toEqual([
      { role: 'user', content: ['Hello', 'Bye'].map((text) => ({ type: 'text', text })) },
    ]);
    expect(promptOf([user(' ')])).toEqual([lastMessage]);
  });

  it('are sent with the metadata of the same endpoint', () => {
    const metadata = { openai: { itemId: 'msg_1' } };
    const part = { text: ' ', partMetadata: { provider: endpoint.name, metadata } };
    expect(promptOf([user('Hello'), { role: 'model', parts: [part] }, user('Bye')])).toMatchObject([
      {},
      { role: 'assistant', content: [{ type: 'text', text: ' ', providerOptions: metadata }] },
      {},
    ]);
  });
});

describe('names of calls', () => {
  it.each([
    ['default_api.show', 'default_api_show'],
    ['', '_'],
    ['hotel.show', 'hotel.show'],
  ])('are changed on call and answer unless a function is declared with them: %j', (name, sent) => {
    const contents: Content[] = [
      { role: 'model', parts: [{ functionCall: { id: 'c1', name, args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { id: 'c1', name, response: {} } }] },
    ];
    const config = { tools: [{ functionDeclarations: [{ name: 'hotel.show' }] }] };
    expect(convert({ contents, config })['prompt']).toMatchObject([
      firstMessage,
      { role: 'assistant', content: [{ type: 'tool-call', toolName: sent }] },
      { role: 'tool', content: [{ type: 'tool-result', toolName: sent }] },
    ]);
  });
});

describe('files', () => {
  const url = 'https://hotel.example/room.png';
  const supportedUrls = { 'image/*': [/^https:/] };

  it('are bytes in the format of v3 and v4', () => {
    const file = { type: 'file', mediaType: 'image/png', filename: 'room.png' };
    expect(promptOf([{ role: 'user', parts: [image] }])).toEqual([
      { role: 'user', content: [{ ...file, data: { type: 'data', data: PIXEL } }] },
    ]);
    expect(promptOf([{ role: 'user', parts: [image] }], { version: 'v3' })).toEqual([
      { role: 'user', content: [{ ...file, data: PIXEL }] },
    ]);
  });

  it('are standard base64, and are rejected in the newest message if they are empty', () => {
    const parts = (data: string): Content => ({
      role: 'user',
      parts: [{ inlineData: { mimeType: 'image/png', data } }],
    });
    expect(promptOf([parts('_-8\n')], { version: 'v3' })).toMatchObject([{ content: [{ data: '/+8=' }] }]);
    expect(() => promptOf([parts('')])).toThrow(/does not accept empty data of type image\/png/);
    expect(promptOf([parts(''), user('ok')])).toMatchObject([{ content: [{ type: 'text' }, { text: 'ok' }] }]);
  });

  it('are addresses if the model reads them itself', () => {
    const parts = [{ fileData: { fileUri: url } }];
    const file = { type: 'file', mediaType: 'image/png' };
    expect(promptOf([{ role: 'user', parts }], { supportedUrls })).toEqual([
      { role: 'user', content: [{ ...file, data: { type: 'url', url: new URL(url) } }] },
    ]);
    expect(promptOf([{ role: 'user', parts }], { supportedUrls, version: 'v3' })).toEqual([
      { role: 'user', content: [{ ...file, data: new URL(url) }] },
    ]);
  });

  it('are rejected in the newest message at addresses that the model does not read', () => {
    for (const fileUri of [url, 'gs://bucket/room.png', 'file-abc']) {
      const parts = [{ fileData: { fileUri, mimeType: 'image/png' } }];
      const other = { supportedUrls: { 'application/pdf': [/^https:/] } };
      expect(() => promptOf([{ role: 'user', parts }], other)).toThrow(
        expect.objectContaining({
          code: 'INVALID_INPUT',
          message: expect.stringMatching(/files of type image\/png at this address \(contents\[0\]\.parts\[0\]\)/),
        }),
      );
    }
  });

  it('in data URLs are bytes', () => {
    const parts = [{ fileData: { fileUri: `data:image/png;base64,${PIXEL}` } }];
    expect(promptOf([{ role: 'user', parts }])).toEqual([
      { role: 'user', content: [{ type: 'file', mediaType: 'image/png', data: { type: 'data', data: PIXEL } }] },
    ]);
  });

  it('of a tool’s answer follow it in a user message', () => {
    const contents: Content[] = [
      { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'show', args: {} } }] },
      {
        role: 'user',
        parts: [{ functionResponse: { id: 'c1', name: 'show', response: { ok: true }, parts: [image] } }],
      },
    ];
    expect(promptOf(contents, { unreadable: new Set(['image/jpeg']) })).toMatchObject([
      firstMessage,
      { role: 'assistant' },
      { role: 'tool', content: [{ type: 'tool-result', output: { type: 'json', value: { ok: true } } }] },
      {
        role: 'user',
        content: [{ text: 'Files that belong to the answer of show:' }, { type: 'file', mediaType: 'image/png' }],
      },
    ]);
    expect(JSON.stringify(promptOf(contents, { unreadable: new Set(['image/png']) }))).not.toContain(PIXEL);
  });
});
