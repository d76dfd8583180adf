import type { Content, GenerateContentConfig, JsonObject, LlmRequest, Part } from '@thole/core';
import { deepFreeze } from '@thole/core/kit';
import { describe, expect, it } from 'vitest';
import { fromOpenAiResponse } from '../src/from-openai-response.ts';
import { toOpenAiRequest } from '../src/to-openai-request.ts';
import {
  citedMessage,
  codeCall,
  fileSearchCall,
  functionCall,
  imageCall,
  mcpCall,
  message,
  reasoning,
  responseOf,
  webSearchCall,
} from './fixtures/responses-answers.ts';

const target = { model: 'gpt-4.1', provider: 'openai', stream: false };
const hello: Content = { role: 'user', parts: [{ text: 'Hello' }] };

type Body = { readonly [name: string]: unknown };

function convert(request: Partial<LlmRequest>, changes: Partial<typeof target> = {}): Body {
  const fullRequest = deepFreeze({ contents: [hello], config: {}, ...request });
  const sent = toOpenAiRequest(fullRequest, { ...target, ...changes });
  expect(JSON.parse(JSON.stringify(sent)), 'it is JSON').toEqual(sent);
  return sent as unknown as Body;
}
const convertConfig = (
  config: GenerateContentConfig,
  options: JsonObject = {},
  changes: Partial<typeof target> = {},
): Body => convert({ config, providerOptions: { openai: options } }, changes);
const inputOf = (contents: Content[], options: JsonObject = {}, changes: Partial<typeof target> = {}): JsonObject[] =>
  convert({ contents, providerOptions: { openai: options } }, changes)['input'] as JsonObject[];
const refusal = (code: string, text: string): unknown =>
  expect.objectContaining({ code, message: expect.stringContaining(text) });

/** Returns the provider's answer as a content of the history. */
const answered = (output: JsonObject[], provider = 'openai'): Content =>
  fromOpenAiResponse(responseOf(output), { ...target, provider }).content!;
const model = (...parts: Part[]): Content => ({ role: 'model', parts });
const user = (...parts: Part[]): Content => ({ role: 'user', parts });
const answer = (name: string, id?: string): Part => ({
  functionResponse: { ...(id !== undefined && { id }), name, response: { rooms: 2 } },
});

describe('toOpenAiRequest', () => {
  it('returns the instructions and the input, and requests no storage on the server', () => {
    expect(convert({ config: { systemInstruction: 'Be kind.' } })).toEqual({
      model: 'gpt-4.1',
      instructions: 'Be kind.',
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }],
      store: false,
    });
  });

  it('requests a stream if the caller wants one, for any provider options', () => {
    expect(convert({}, { stream: true })['stream']).toBe(true);
    expect(convertConfig({}, { stream: true })).not.toHaveProperty('stream');
  });

  it('sends temperature, topP and the limit of tokens with the names of the API', () => {
    expect(convertConfig({ temperature: 0, topP: 0.5, maxOutputTokens: 99 })).toMatchObject({
      temperature: 0,
      top_p: 0.5,
      max_output_tokens: 99,
    });
  });

  it('leaves out unknown hints, and rejects settings that would change the answer', () => {
    const hints = { topK: 3, seed: 7, cachedContent: 'c', labels: { a: 'b' }, thinkingConfig: { thinkingBudget: 10 } };
    expect(convertConfig({ ...hints, safetySettings: [{}], stopSequences: [] })).toEqual(convert({}));
    expect(() => convertConfig({ stopSequences: ['END'] })).toThrow(refusal('INVALID_INPUT', 'stopSequences'));
  });

  it('requests encrypted reasoning, except from models that do not think', () => {
    const thinking = [
      'grok-4',
      'my-deployment',
      'o3',
      'o4-mini-2025-04-16',
      'gpt-5',
      'gpt-5.2-codex',
      'gpt-6-astra',
      'openai/gpt-5-mini',
      'ft:o4-mini:a',
    ];
    for (const name of thinking) {
      expect(convert({}, { model: name })['include'], name).toEqual(['reasoning.encrypted_content']);
    }
    for (const name of ['gpt-4o', 'gpt-4.1-mini', 'gpt-5-chat-latest', 'chatgpt-4o-latest']) {
      expect(convert({}, { model: name }), name).not.toHaveProperty('include');
    }
    const level = { thinkingConfig: { thinkingLevel: 'HIGH' } };
    expect(convertConfig(level, {}, { model: 'my-deployment' })['include']).toEqual(['reasoning.encrypted_content']);
    expect(convertConfig({}, { store: true }, { model: 'gpt-5' })).not.toHaveProperty('include');
    expect(convertConfig({}, { include: null }, { model: 'grok-4' })).not.toHaveProperty('include');
  });

  it('sends the thinking effort, and requests a summary for includeThoughts', () => {
    const thinkingConfig = { thinkingLevel: 'HIGH', includeThoughts: true };
    expect(convertConfig({ thinkingConfig })['reasoning']).toEqual({ effort: 'high', summary: 'auto' });
    expect(convertConfig({ thinkingConfig: { thinkingLevel: 'THINKING_LEVEL_UNSPECIFIED' } })).not.toHaveProperty(
      'reasoning',
    );
  });
});

describe('providerOptions', () => {
  it('are merged into the request, objects member by member; null removes a member', () => {
    const sent = convertConfig(
      { temperature: 1, thinkingConfig: { thinkingLevel: 'low' }, responseMimeType: 'application/json' },
      {
        temperature: null,
        reasoning: { summary: 'detailed' },
        text: { verbosity: 'low' },
        prompt_cache_key: 'hotel',
        prompt_cache_retention: '24h',
        safety_identifier: 'guest',
        service_tier: 'flex',
        metadata: { a: 'b' },
      },
    );
    expect(sent).toMatchObject({
      reasoning: { effort: 'low', summary: 'detailed' },
      text: { format: { type: 'json_object' }, verbosity: 'low' },
      prompt_cache_key: 'hotel',
      prompt_cache_retention: '24h',
      safety_identifier: 'guest',
      service_tier: 'flex',
      metadata: { a: 'b' },
      store: false,
    });
    expect(sent).not.toHaveProperty('temperature');
  });

  it('add tools, and values to include', () => {
    const sent = convertConfig(
      { tools: [{ codeExecution: {} }] },
      {
        tools: [{ type: 'mcp', server_label: 'dice', server_url: 'https://dice.example' }],
        include: ['web_search_call.action.sources', 'code_interpreter_call.outputs'],
      },
      { model: 'gpt-5' },
    );
    expect(sent['tools']).toEqual([
      { type: 'code_interpreter', container: { type: 'auto' } },
      { type: 'mcp', server_label: 'dice', server_url: 'https://dice.example' },
    ]);
    expect(sent['include']).toEqual([
      'reasoning.encrypted_content',
      'code_interpreter_call.outputs',
      'web_search_call.action.sources',
    ]);
  });

  it('are read under the name of the provider; those of openai are sent only to OpenAI', () => {
    const providerOptions = { openai: { user: 'a' }, 'api.x.ai': { user: 'b' }, gemini: { user: 'c' } };
    expect(convert({ providerOptions })['user']).toBe('a');
    expect(convert({ providerOptions }, { provider: 'api.x.ai' })['user']).toBe('b');
    const leftOut: string[] = [];
    const elsewhere = { provider: 'localhost:1234', leaveOut: (setting: string) => void leftOut.push(setting) };
    expect(convert({ providerOptions }, elsewhere)).not.toHaveProperty('user');
    expect(leftOut).toEqual(['providerOptions.openai.user']);
  });

  it('with previous_response_id send only contents after the model’s last content', () => {
    const contents = [
      hello,
      model(
        { functionCall: { id: 'a', name: 'find_rooms', args: {} } },
        { functionCall: { id: 'b', name: 'wait', args: {} } },
      ),
      user(answer('find_rooms', 'a'), { text: 'And?' }),
    ];
    for (const options of [{ previous_response_id: 'resp_1' }, { conversation: 'conv_1' }]) {
      expect(inputOf(contents, options)).toEqual([
        { type: 'function_call_output', call_id: 'b', output: expect.stringContaining('pending') },
        { type: 'function_call_output', call_id: 'a', output: '{"rooms":2}' },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'And?' }] },
      ]);
    }
    expect(inputOf([hello], { previous_response_id: 'resp_1' })).toHaveLength(1);
  });
});

describe('tools in toOpenAiRequest', () => {
  const parametersJsonSchema = {
    type: 'object',
    properties: { city: { type: 'string' }, floor: { type: 'integer' } },
    required: ['city'],
  };
  const findRooms = { name: 'find_rooms', description: 'Finds rooms.', parametersJsonSchema };
  const tools = [{ functionDeclarations: [findRooms, { name: 'list_guests' }] }];

  it('are functions, and not strict by default', () => {
    expect(convertConfig({ tools })['tools']).toEqual([
      {
        type: 'function',
        name: 'find_rooms',
        description: 'Finds rooms.',
        parameters: parametersJsonSchema,
        strict: false,
      },
      { type: 'function', name: 'list_guests', parameters: { type: 'object', properties: {} }, strict: false },
    ]);
  });

  it('are strict with strictTools or strict, and rejected with the path if they do not fit', () => {
    const fitting = { ...findRooms, parametersJsonSchema: { ...parametersJsonSchema, required: ['city', 'floor'] } };
    for (const options of [{ strictTools: true }, { strict: true }]) {
      const sent = convertConfig({ tools: [{ functionDeclarations: [fitting] }] }, options);
      expect(sent['tools']).toMatchObject([{ strict: true, parameters: { additionalProperties: false } }]);
      expect(Object.keys(sent)).not.toContain(Object.keys(options)[0]);
      expect(() => convertConfig({ tools }, options)).toThrow(
        refusal('SCHEMA_UNSUPPORTED', 'tools.find_rooms.parameters.properties.floor'),
      );
    }
    expect(convertConfig({ tools }, { strict: true, strictTools: false })['tools']).toMatchObject([
      { strict: false },
      {},
    ]);
  });

  it('with a schema that OpenAI does not support are rejected before the call', () => {
    const bad = { name: 'list', parametersJsonSchema: { type: 'array', items: {} } };
    expect(() => convertConfig({ tools: [{ functionDeclarations: [bad] }] })).toThrow(
      refusal('SCHEMA_UNSUPPORTED', 'tools.list.parameters'),
    );
  });

  it('of the provider are sent with its names and its options', () => {
    const sent = convertConfig({
      tools: [
        { googleSearch: { search_context_size: 'low', timeRangeFilter: {} } },
        { webSearch: { filters: { allowed_domains: ['a.example'] } } },
        { codeExecution: { container: 'cntr_1' } },
        { fileSearch: { vector_store_ids: ['vs_1'], max_num_results: 3, fileSearchStoreNames: [] } },
        { fileSearch: { vectorStoreIds: ['vs_2'] } },
      ],
    });
    expect(sent['tools']).toEqual([
      { type: 'web_search', search_context_size: 'low' },
      { type: 'web_search', filters: { allowed_domains: ['a.example'] } },
      { type: 'code_interpreter', container: 'cntr_1' },
      { type: 'file_search', vector_store_ids: ['vs_1'], max_num_results: 3 },
      { type: 'file_search', vector_store_ids: ['vs_2'] },
    ]);
    expect(sent['include']).toEqual(['code_interpreter_call.outputs']);
  });

  it('are rejected with INVALID_INPUT if they are unknown or lack a required option', () => {
    expect(() => convertConfig({ tools: [{ fileSearch: {} }] })).toThrow(refusal('INVALID_INPUT', 'vectorStoreIds'));
    const other = [{ urlContext: {} }] as unknown as NonNullable<GenerateContentConfig['tools']>;
    expect(() => convertConfig({ tools: other })).toThrow(refusal('INVALID_INPUT', 'urlContext'));
  });

  it.each<[NonNullable<GenerateContentConfig['toolConfig']>['functionCallingConfig'], unknown]>([
    [{ mode: 'AUTO' }, 'auto'],
    [{ mode: 'VALIDATED' }, 'auto'],
    [{ mode: 'ANY' }, 'required'],
    [{ mode: 'NONE', allowedFunctionNames: ['a'] }, 'none'],
    [
      { mode: 'ANY', allowedFunctionNames: ['a'] },
      { type: 'function', name: 'a' },
    ],
    [
      { mode: 'ANY', allowedFunctionNames: ['a', 'b'] },
      {
        type: 'allowed_tools',
        mode: 'required',
        tools: [
          { type: 'function', name: 'a' },
          { type: 'function', name: 'b' },
        ],
      },
    ],
    [
      { mode: 'AUTO', allowedFunctionNames: ['a'] },
      { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'a' }] },
    ],
    [undefined, undefined],
  ])('are selected by %j as %j', (functionCallingConfig, choice) => {
    expect(convertConfig({ tools, toolConfig: { functionCallingConfig } })['tool_choice']).toEqual(choice);
  });

  it('are not selected if there are none, because the API rejects a choice without tools', () => {
    expect(convertConfig({ toolConfig: { functionCallingConfig: { mode: 'AUTO' } } })).not.toHaveProperty(
      'tool_choice',
    );
  });
});

describe('responseJsonSchema in toOpenAiRequest', () => {
  const fitting = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const optional = { ...fitting, required: [] };
  const formatOf = (schema: JsonObject, options: JsonObject = {}): unknown =>
    (
      convertConfig({ responseJsonSchema: schema, responseMimeType: 'application/json' }, options)['text'] as JsonObject
    )['format'];

  it('is strict if the schema fits strict mode, otherwise not strict', () => {
    const schema = { ...fitting, additionalProperties: false };
    expect(formatOf(fitting)).toEqual({ type: 'json_schema', name: 'response', schema, strict: true });
    expect(formatOf(optional)).toEqual({ type: 'json_schema', name: 'response', schema: optional, strict: false });
    expect(formatOf(fitting, { strict: false })).toMatchObject({ schema: fitting, strict: false });
  });

  it('is rejected with the path if strict is true and the schema does not fit', () => {
    for (const options of [{ strict: true }, { text: { format: { strict: true } } }]) {
      expect(() => formatOf(optional, options)).toThrow(
        refusal('SCHEMA_UNSUPPORTED', 'responseJsonSchema.properties.city: it must be in required'),
      );
      expect(formatOf(fitting, options)).toMatchObject({ strict: true });
    }
  });

  it('is rejected if OpenAI does not support the schema', () => {
    expect(() => formatOf({ type: 'array', items: { type: 'string' } })).toThrow(
      refusal('SCHEMA_UNSUPPORTED', 'responseJsonSchema'),
    );
  });

  it('defaults to text; without a schema, JSON can be requested; other types are rejected', () => {
    expect(convertConfig({ responseMimeType: 'application/json' })['text']).toEqual({
      format: { type: 'json_object' },
    });
    expect(convertConfig({ responseMimeType: 'text/plain' })).not.toHaveProperty('text');
    expect(() => convertConfig({ responseMimeType: 'text/x.enum' })).toThrow(refusal('INVALID_INPUT', 'text/x.enum'));
  });
});

describe('media in toOpenAiRequest', () => {
  const contentOf = (...parts: Part[]): unknown => inputOf([user(...parts)])[0]!['content'];

  it('are images, files and ids of files of the provider, in one message with the text', () => {
    expect(
      contentOf(
        { text: 'Look:' },
        { inlineData: { mimeType: 'image/png', data: '-_8' } },
        { fileData: { fileUri: 'https://hotel.example/a.jpg' } },
        { fileData: { fileUri: 'file-1', mimeType: 'image/webp' } },
        { inlineData: { mimeType: 'application/pdf', data: 'JVBERi0=', displayName: 'bill.pdf' } },
        { inlineData: { mimeType: 'text/plain; charset=utf-8', data: 'SGk=' } },
        { fileData: { fileUri: 'https://hotel.example/bill', mimeType: 'application/pdf' } },
        { fileData: { fileUri: 'file-2', mimeType: 'application/pdf' } },
      ),
    ).toEqual([
      { type: 'input_text', text: 'Look:' },
      { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,+/8=' },
      { type: 'input_image', detail: 'auto', image_url: 'https://hotel.example/a.jpg' },
      { type: 'input_image', detail: 'auto', file_id: 'file-1' },
      { type: 'input_file', filename: 'bill.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
      { type: 'input_file', filename: 'file.txt', file_data: 'data:text/plain;base64,SGk=' },
      { type: 'input_file', file_url: 'https://hotel.example/bill' },
      { type: 'input_file', file_id: 'file-2' },
    ]);
  });

  it.each<[string, Part]>([
    ['audio/wav', { inlineData: { mimeType: 'audio/wav', data: 'UklGRg==' } }],
    ['video/mp4', { fileData: { fileUri: 'https://hotel.example/a.mp4', mimeType: 'video/mp4' } }],
    ['image/heic', { inlineData: { mimeType: 'image/heic', data: 'AA==' } }],
    ['empty data of type image/png', { inlineData: { mimeType: 'image/png', data: '' } }],
    ['gs: address (application/pdf)', { fileData: { fileUri: 'gs://bucket/a.pdf', mimeType: 'application/pdf' } }],
  ])('are rejected with INVALID_INPUT and their place if they are unsupported: %s', (description, part) => {
    for (const text of [description, 'contents[1].parts[1]']) {
      expect(() => inputOf([hello, user({ text: 'Listen:' }, part)])).toThrow(refusal('INVALID_INPUT', text));
    }
  });
});

describe('names of calls in toOpenAiRequest', () => {
  it.each<[string, Part['partMetadata']]>([
    ['of this provider', { provider: 'openai', index: 0, item: { type: 'function_call', id: 'fc_1' } }],
    ['of other providers', undefined],
  ])('%s are changed if the API would reject them', (_, partMetadata) => {
    const functionCall = { id: 'a', name: 'multi_tool_use.parallel', args: {} };
    expect(inputOf([model({ functionCall, ...(partMetadata && { partMetadata }) })])[0]).toMatchObject({
      type: 'function_call',
      name: 'multi_tool_use_parallel',
      call_id: 'a',
    });
  });
});

describe('history of the same provider', () => {
  const textMessage = message(['Let me look.', ' One moment.'], { phase: 'commentary' });
  const refusalMessage = message([], { content: [{ type: 'refusal', refusal: 'No.' }] });
  const shellCall = {
    type: 'shell_call',
    id: 'sh_1',
    call_id: 'call_s',
    action: { commands: ['ls'] },
    status: 'completed',
  };
  const shellOutput = { type: 'shell_call_output', id: 'so_1', call_id: 'call_s', output: [] };
  const outputs: { readonly [name: string]: JsonObject[] } = {
    'a message with its id and phase': [textMessage],
    'reasoning with a summary before its call': [reasoning(['High.', 'Nine.']), functionCall('find_rooms', '{"a":1}')],
    'reasoning without text before its call': [reasoning([]), functionCall('find_rooms', '{}', { namespace: 'hotel' })],
    'reasoning with its text': [reasoning([], { content: [{ type: 'reasoning_text', text: 'High.' }] }), textMessage],
    'two reasoning items that share an id': [
      reasoning(['a']),
      reasoning(['b'], { encrypted_content: 'x' }),
      textMessage,
    ],
    'searches with the reasoning before them, and their results': [
      reasoning([]),
      webSearchCall,
      reasoning(['So.'], { id: 'rs_2' }),
      fileSearchCall,
      mcpCall,
      citedMessage,
    ],
    'code and images': [reasoning([]), codeCall, imageCall, textMessage],
    'code without results': [{ ...codeCall, outputs: null }, textMessage],
    'a refusal': [refusalMessage],
    'a call of the provider after the last text': [textMessage, webSearchCall],
    'calls of the provider with their outputs': [shellCall, shellOutput, textMessage],
    'unknown items': [{ type: 'telepathy', id: 'tp_1', mind: 'open' }, textMessage],
  };

  it.each(Object.entries(outputs))('is sent back unchanged: %s', (_, output) => {
    const stored = JSON.parse(JSON.stringify(answered(output))) as Content;
    const ids = output.flatMap((item) => (item['type'] === 'function_call' ? [item['call_id'] as string] : []));
    const results = ids.map((id) => answer('find_rooms', id));
    const sent = inputOf([hello, stored, user(...results, { text: 'And?' })], {}, { model: 'gpt-5' });
    expect(sent.slice(1, 1 + output.length)).toEqual(output.map(withoutEmptyLogprobs));
    expect(sent.slice(1 + output.length, -1).map((item) => item['call_id'])).toEqual(ids);
  });

  const withoutEmptyLogprobs = (item: JsonObject): JsonObject =>
    JSON.parse(JSON.stringify(item, (key, value) => (key === 'logprobs' ? undefined : value))) as JsonObject;

  it('is sent back without a function call that has no name', () => {
    const nameless = answered([textMessage, functionCall('', '{}')]);
    expect(inputOf([hello, nameless, hello])).toMatchObject([
      { role: 'user' },
      { role: 'assistant' },
      { role: 'user' },
    ]);
  });

  it('contains later changes of the parts', () => {
    const [text, call] = answered([message(['My key is 1234.']), functionCall('find_rooms', '{"city":"Oslo"}')]).parts!;
    const changed = model(
      { ...text!, text: 'My key is ****.' },
      { ...call!, functionCall: { ...call!.functionCall!, args: { city: 'Bergen' } } },
    );
    const sent = JSON.stringify(inputOf([changed]));
    expect(sent).not.toMatch(/1234|Oslo/);
    expect(sent).toMatch(/\*\*\*\*.*Bergen/);
    const emptied = answered([message(['My key is 1234.', 'Keep it.'])]).parts!.map((part, i) => ({
      ...part,
      ...(i === 0 && { text: '' }),
    }));
    expect(inputOf([model(...emptied)])[0]!['content']).toMatchObject([{ text: 'Keep it.' }]);
    expect(inputOf([model(emptied[0]!), hello])).toHaveLength(1);
  });

  it('is sent to another provider without thoughts, ids and encrypted content', () => {
    const contents = [
      hello,
      answered([reasoning(['High.']), webSearchCall, textMessage, functionCall('find_rooms', '{}')]),
    ];
    const sent = inputOf(contents, {}, { provider: 'api.x.ai' });
    expect(sent.slice(1)).toEqual([
      {
        type: 'message',
        role: 'assistant',
        content: ['Let me look.', ' One moment.'].map((text) => ({ type: 'output_text', text, annotations: [] })),
      },
      { type: 'function_call', call_id: 'call_unLAR8MvFNptuiZK6K6HCy5k', name: 'find_rooms', arguments: '{}' },
      {
        type: 'function_call_output',
        call_id: 'call_unLAR8MvFNptuiZK6K6HCy5k',
        output: expect.stringContaining('pending'),
      },
    ]);
  });

  it('is sent without reasoning that the server would need to store, and without ids', () => {
    const open = reasoning(['High.'], { encrypted_content: null });
    const contents = [answered([open, webSearchCall, textMessage, functionCall('find_rooms', '{}')])];
    const { id: _, ...withoutId } = withoutEmptyLogprobs(textMessage);
    const thinking = { model: 'gpt-5' };
    const sent = inputOf(contents, {}, thinking);
    expect(sent).toMatchObject([withoutId, { type: 'function_call' }, { type: 'function_call_output' }]);
    expect(JSON.stringify(sent)).not.toMatch(/rs_|msg_|fc_|ws_/);
    expect(inputOf(contents, { store: true }, thinking)[0]).toMatchObject({ type: 'reasoning', id: open['id'] });
  });

  it('is sent without reasoning to a model that does not accept it', () => {
    const contents = [answered([reasoning(['High.']), textMessage])];
    expect(inputOf(contents).map(({ type, id }) => [type, id])).toEqual([['message', undefined]]);
    expect(inputOf(contents, {}, { model: 'my-deployment' }).map(({ type }) => type)).toEqual(['reasoning', 'message']);
  });

  it('is sent without reasoning at its end, which the API rejects', () => {
    const thinking = { model: 'gpt-5' };
    expect(
      inputOf([answered([textMessage, reasoning(['High.'])]), hello], {}, thinking).map(({ type }) => type),
    ).toEqual(['message', 'message']);
    expect(inputOf([answered([reasoning(['High.'])]), hello], {}, thinking)).toHaveLength(1);
  });

  it('is sent without the provider’s own calls that have no answer', () => {
    const computer = { type: 'computer_call', id: 'cu_1', call_id: 'call_c', action: { type: 'screenshot' } };
    expect(inputOf([answered([computer, textMessage])]).map(({ type }) => type)).toEqual(['message']);
  });

  it('is sent as plain parts if their marks were changed', () => {
    const changedParts: Part[] = [
      { text: 'a', partMetadata: { provider: 'openai', index: 'no', item: 7 } },
      { text: 'b', partMetadata: { provider: 'openai', index: 0, item: { type: 'function_call' }, before: [null] } },
      { text: 'c', partMetadata: { provider: 'openai', index: 1, item: { type: 'telepathy' } } },
      { text: 'd', partMetadata: { provider: 'openai', index: 2 } },
      { text: 'e', thought: true, partMetadata: { provider: 'openai', index: 3 } },
    ];
    expect(inputOf([model(...changedParts)])).toEqual([
      {
        type: 'message',
        role: 'assistant',
        content: ['a', 'b', 'c', 'd'].map((text) => ({ type: 'output_text', text, annotations: [] })),
      },
    ]);
  });

  it('keeps the items of two answers in one content', () => {
    const [first, second] = [answered([textMessage]), answered([message(['Yes.'], { id: 'msg_2' })])];
    const sent = inputOf([model(...first.parts!, ...second.parts!)]);
    expect(sent.map(({ id }) => id)).toEqual([textMessage['id'], 'msg_2']);
  });
});

describe('history of other providers', () => {
  it('is sent without thoughts and signatures, with code as text (Gemini)', () => {
    const contents = [
      hello,
      model(
        { text: 'Hmm.', thought: true, thoughtSignature: 'c2ln', partMetadata: { provider: 'gemini' } },
        { text: 'Counting.', thoughtSignature: 'c2ln' },
        { executableCode: { code: 'print(72)', language: 'PYTHON' } },
        { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '72' } },
        { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
        { text: '' },
      ),
    ];
    expect(inputOf(contents).slice(1)).toEqual([
      {
        type: 'message',
        role: 'assistant',
        content: ['Counting.', '```python\nprint(72)\n```', '```\n72\n```'].map((text) => ({
          type: 'output_text',
          text,
          annotations: [],
        })),
      },
      {
        type: 'message',
        role: 'user',
        content: [{ type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,AAAA' }],
      },
    ]);
  });

  it('gets stable call ids by position, paired by order and name', () => {
    const contents = [
      hello,
      model(
        { functionCall: { name: 'find_rooms', args: { city: 'Oslo' } } },
        { functionCall: { name: 'list_guests', args: {} } },
        { functionCall: { id: '', name: 'find_rooms', args: { city: 'Bergen' } } },
      ),
      user(answer('list_guests'), answer('find_rooms'), answer('find_rooms')),
    ];
    const ids = inputOf(contents).map((item) => item['call_id']);
    expect(ids).toEqual([undefined, 'call_1_0', 'call_1_1', 'call_1_2', 'call_1_1', 'call_1_0', 'call_1_2']);
    expect(inputOf(contents)).toEqual(inputOf([...contents, hello]).slice(0, -1));
  });

  it('gets other call ids if the ids are repeated or too long', () => {
    const long = 'x'.repeat(65);
    const call = (id: string): Content => model({ functionCall: { id, name: 'find_rooms', args: {} } });
    const contents = [call('0'), user(answer('find_rooms', '0')), call('0'), user(answer('find_rooms', '0'))];
    const sent = inputOf([...contents, call(long), user(answer('find_rooms', long))]);
    expect(sent.map((item) => item['call_id'])).toEqual(['0', '0', 'call_2_0', 'call_2_0', 'call_4_0', 'call_4_0']);
  });

  it('keeps broken arguments as the model wrote them', () => {
    const call = { id: 'a', name: 'find_rooms', args: {}, brokenArgs: '{"city":' };
    expect(inputOf([model({ functionCall: call })])[0]).toMatchObject({ arguments: '{"city":' });
  });

  it('adds pending answers to open calls and accepts later answers', () => {
    const call: Content = model({ functionCall: { id: 'a', name: 'book', args: {} } });
    const pending = { type: 'function_call_output', call_id: 'a', output: expect.stringContaining('"pending"') };
    expect(inputOf([call, user({ text: 'And?' })])).toMatchObject([
      { type: 'function_call' },
      pending,
      { type: 'message' },
    ]);
    expect(inputOf([call, user({ text: 'And?' }), user(answer('book', 'a'))])).toMatchObject([
      { type: 'function_call', call_id: 'a' },
      { type: 'message' },
      { type: 'function_call_output', call_id: 'a', output: '{"rooms":2}' },
    ]);
  });

  it('sends an answer without a call as text, because the API rejects it', () => {
    expect(inputOf([user(answer('find_rooms', 'gone'))])).toEqual([
      {
        type: 'message',
        role: 'user',
        content: [{ type: 'input_text', text: 'find_rooms returned {"rooms":2}' }],
      },
    ]);
  });

  it('keeps the order of answers and texts of one content, and sends no empty texts', () => {
    const call: Content = model({ functionCall: { id: 'a', name: 'find_rooms', args: {} } });
    const mixed = user({ text: 'Here:' }, answer('find_rooms', 'a'), { text: '' }, { text: 'And?' });
    expect(inputOf([call, mixed, user({ text: '' }), { role: 'user' }, {}]).map(({ type }) => type)).toEqual([
      'function_call',
      'message',
      'function_call_output',
      'message',
    ]);
  });

  it('does not read metadata of Chat Completions with the same name as items', () => {
    const part: Part = {
      text: 'Hi',
      partMetadata: { provider: 'openai', reasoning_details: [{ data: 'secret' }], call: { x: 1 } },
    };
    expect(JSON.stringify(inputOf([model(part)]))).not.toContain('secret');
  });
});
