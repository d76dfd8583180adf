import type { Content, GenerateContentConfig, JsonObject, LlmRequest, Part } from '@thole/core';
import { deepFreeze } from '@thole/core/kit';
import { describe, expect, it } from 'vitest';
import { toChatRequest } from '../../src/chat/to-chat-request.ts';

function convert(p: {
  contents?: Content[];
  config?: GenerateContentConfig;
  providerOptions?: LlmRequest['providerOptions'];
  provider?: string;
  stream?: boolean;
}): { messages: JsonObject[]; [member: string]: unknown } {
  const {
    contents = [{ role: 'user', parts: [{ text: 'Hi' }] }],
    config = {},
    provider = 'openai',
    stream = false,
  } = p;
  const request = deepFreeze({ contents, config, providerOptions: p.providerOptions }) as LlmRequest;
  return toChatRequest(request, { model: 'm-1', provider, stream }) as never;
}

const messagesOf = (contents: Content[], provider?: string) =>
  convert({ contents, ...(provider && { provider }) }).messages;
const find = {
  functionDeclarations: [{ name: 'find_rooms', parametersJsonSchema: { type: 'object', properties: { x: {} } } }],
};

describe('toChatRequest', () => {
  it('sends the model, the system instruction and the message, and no other settings', () => {
    expect(convert({ config: { systemInstruction: 'Be kind.' } })).toEqual({
      model: 'm-1',
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Hi' },
      ],
    });
  });

  it('maps the settings of the API', () => {
    const config = {
      temperature: 0.2,
      topP: 0.9,
      topK: 5,
      maxOutputTokens: 100,
      stopSequences: ['END'],
      seed: 7,
      thinkingConfig: { thinkingLevel: 'LOW' },
      responseMimeType: 'application/json',
    };
    const shared = {
      temperature: 0.2,
      top_p: 0.9,
      stop: ['END'],
      seed: 7,
      reasoning_effort: 'low',
      response_format: { type: 'json_object' },
    };
    expect(convert({ config })).toMatchObject({ ...shared, max_completion_tokens: 100 });
    expect(convert({ config })).not.toHaveProperty('top_k');
    expect(convert({ config })).not.toHaveProperty('max_tokens');
    expect(convert({ config, provider: '127.0.0.1:11434' })).toMatchObject({ ...shared, max_tokens: 100, top_k: 5 });
    expect(convert({ config, provider: '127.0.0.1:11434' })).not.toHaveProperty('max_completion_tokens');
  });

  it('requests token counts of a stream, except from Mistral, which rejects the option', () => {
    expect(convert({ stream: true })).toMatchObject({ stream: true, stream_options: { include_usage: true } });
    expect(convert({ stream: true, provider: 'api.mistral.ai' })).not.toHaveProperty('stream_options');
    expect(convert({})).not.toHaveProperty('stream');
  });

  it('merges the provider’s options over the request; null removes a member', () => {
    const providerOptions = {
      openai: { parallel_tool_calls: false, prompt_cache_key: 'k' },
      'api.groq.com': { max_tokens: null, max_completion_tokens: 9, stream_options: null, stream: false },
    };
    const body = convert({ providerOptions, provider: 'api.groq.com', stream: true, config: { maxOutputTokens: 5 } });
    expect(body).toMatchObject({ max_completion_tokens: 9, stream: true });
    for (const name of ['max_tokens', 'stream_options', 'parallel_tool_calls']) expect(body).not.toHaveProperty(name);
    expect(convert({ providerOptions })).toMatchObject({ parallel_tool_calls: false, prompt_cache_key: 'k' });
    expect(convert({ providerOptions, provider: 'localhost:1' })).not.toHaveProperty('prompt_cache_key');
  });
});

describe('tools in toChatRequest', () => {
  const two = { functionDeclarations: [{ name: 'find_rooms', description: 'Finds.' }, { name: 'book_room' }] };
  const withChoice = (functionCallingConfig: object, provider?: string) =>
    convert({ config: { tools: [two], toolConfig: { functionCallingConfig } }, ...(provider && { provider }) });

  it('are functions, each with parameters', () => {
    const parameters = { type: 'object', properties: {} };
    expect(convert({ config: { tools: [two] } })['tools']).toEqual([
      { type: 'function', function: { name: 'find_rooms', description: 'Finds.', parameters } },
      { type: 'function', function: { name: 'book_room', parameters } },
    ]);
    expect(convert({ config: { tools: [two] } })).not.toHaveProperty('tool_choice');
  });

  it('have type and properties for every server if the schema is an object', () => {
    const parametersOf = (parametersJsonSchema: JsonObject) => {
      const declaration = { name: 'find_rooms', description: 'Finds.', parametersJsonSchema };
      const { tools } = convert({
        config: { tools: [{ functionDeclarations: [declaration] }] },
        provider: 'server.example',
      });
      return (tools as { function: { parameters: unknown } }[])[0]!.function.parameters;
    };
    for (const schema of [{}, { type: 'object' }]) {
      expect(parametersOf(schema)).toEqual({ type: 'object', properties: {} });
    }
    const choice = { anyOf: [{ type: 'object' }] };
    expect(parametersOf(choice)).toEqual(choice);
  });

  it('may, must or must not be called', () => {
    expect(withChoice({ mode: 'ANY' })).toMatchObject({ tool_choice: 'required' });
    expect(withChoice({ mode: 'NONE', allowedFunctionNames: ['book_room'] })).toMatchObject({ tool_choice: 'none' });
    expect(withChoice({ mode: 'AUTO' })).not.toHaveProperty('tool_choice');
    const config = { toolConfig: { functionCallingConfig: { mode: 'ANY' as const } } };
    expect(convert({ config })).not.toHaveProperty('tool_choice');
  });

  it('are limited to allowed names; servers other than OpenAI receive only those tools', () => {
    const one = { type: 'function', function: { name: 'book_room' } };
    expect(withChoice({ mode: 'ANY', allowedFunctionNames: ['book_room'] })).toMatchObject({ tool_choice: one });
    const allowed = { mode: 'ANY', allowedFunctionNames: ['book_room', 'find_rooms'] };
    expect(withChoice(allowed)).toMatchObject({
      tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [one, {}] } },
    });
    expect(withChoice(allowed, 'localhost')).toMatchObject({ tool_choice: 'required', tools: [{}, {}] });
    const auto = withChoice({ mode: 'AUTO', allowedFunctionNames: ['book_room'] }, 'localhost');
    expect(auto).toMatchObject({ tool_choice: 'auto', tools: [one] });
    expect(auto['tools']).toHaveLength(1);
  });

  it('of the provider are rejected, and the error names the API that has them', () => {
    const config = { tools: [{ googleSearch: {} }] };
    expect(() => convert({ config })).toThrow(/googleSearch.*api: 'responses'/);
    expect(() => convert({ config })).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });

  it('are strict with strictTools, and rejected with the path if they do not fit', () => {
    const providerOptions = { openai: { strict: true } };
    expect(() => convert({ config: { tools: [find] }, providerOptions })).toThrow(
      expect.objectContaining({
        code: 'SCHEMA_UNSUPPORTED',
        message: expect.stringContaining('tools.find_rooms.parameters'),
      }),
    );
    const fits = { functionDeclarations: [{ name: 'find_rooms' }] };
    expect(convert({ config: { tools: [fits] }, providerOptions })).toMatchObject({
      tools: [{ function: { strict: true, parameters: { additionalProperties: false } } }],
    });
    expect(convert({ config: { tools: [fits] }, providerOptions })).not.toHaveProperty('strict');
  });
});

describe('responseJsonSchema in toChatRequest', () => {
  const fits = { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] };
  const loose = { type: 'object', properties: { x: { type: 'number' } } };
  const format = (responseJsonSchema: JsonObject, p: Partial<Parameters<typeof convert>[0]> = {}) =>
    (convert({ config: { responseJsonSchema }, ...p })['response_format'] as JsonObject)['json_schema'];

  it('is strict if it fits strict mode, otherwise not strict', () => {
    expect(format(fits)).toEqual({ name: 'answer', strict: true, schema: { ...fits, additionalProperties: false } });
    expect(format(loose)).toMatchObject({ strict: false, schema: loose });
    expect(format(fits, { providerOptions: { openai: { strict: false } } })).toMatchObject({ strict: false });
  });

  it('is rejected with its path before any call if it must be strict and does not fit', () => {
    expect(() => format(loose, { providerOptions: { openai: { strict: true } } })).toThrow(
      expect.objectContaining({ code: 'SCHEMA_UNSUPPORTED', message: expect.stringContaining('responseJsonSchema') }),
    );
  });

  it('is sent unchanged to other servers if OpenAI does not support it', () => {
    const list = { type: 'array', items: { type: 'string' } };
    expect(() => format(list)).toThrow(expect.objectContaining({ code: 'SCHEMA_UNSUPPORTED' }));
    expect(format(list, { provider: 'localhost:8000' })).toEqual({ name: 'answer', strict: false, schema: list });
  });
});

describe('history in toChatRequest', () => {
  const call = (name: string, id?: string, args: JsonObject = {}) => ({
    functionCall: { name, args, ...(id && { id }) },
  });
  const answer = (name: string, id?: string, response: JsonObject = { ok: true }) => ({
    functionResponse: { name, response, ...(id && { id }) },
  });
  const user = (...parts: NonNullable<Content['parts']>): Content => ({ role: 'user', parts });
  const model = (...parts: NonNullable<Content['parts']>): Content => ({ role: 'model', parts });

  it('sends answers of tools after their calls, in call order, and texts after them', () => {
    const messages = messagesOf([
      user({ text: 'Rooms?' }),
      model({ text: 'Let me look.' }, call('find', 'a', { city: 'Oslo' }), call('find', 'b')),
      user(answer('find', 'b', { n: 2 }), answer('find', 'a', { n: 1 }), { text: 'Quick!' }),
    ]);
    expect(messages).toEqual([
      { role: 'user', content: 'Rooms?' },
      {
        role: 'assistant',
        content: 'Let me look.',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'find', arguments: '{"city":"Oslo"}' } },
          { id: 'b', type: 'function', function: { name: 'find', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: '{"n":1}' },
      { role: 'tool', tool_call_id: 'b', content: '{"n":2}' },
      { role: 'user', content: 'Quick!' },
    ]);
  });

  it('creates stable ids for calls without one and pairs answers by name and order', () => {
    const contents = [
      model(call('find'), call('find'), call('book')),
      user(
        answer('book', undefined, { n: 3 }),
        answer('find', undefined, { n: 1 }),
        answer('find', undefined, { n: 2 }),
      ),
      model({ text: 'Done.' }),
    ];
    const messages = messagesOf(contents);
    const ids = (messages[0]!['tool_calls'] as { id: string }[]).map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    expect(messages.slice(1, 4)).toEqual(
      ids.map((tool_call_id, i) => ({ role: 'tool', tool_call_id, content: `{"n":${[1, 2, 3][i]}}` })),
    );
    expect(messagesOf(contents)).toEqual(messages);
  });

  it('shortens ids that a server rejects, equally on the call and its answer', () => {
    const id = 'thole-0199c3f5-2c52-7f3a-9d4a-5f2b1d9e7c11';
    const contents = [model(call('find', id)), user(answer('find', id))];
    for (const provider of ['openai', 'api.mistral.ai']) {
      const [first, second] = messagesOf(contents, provider);
      const [{ id: sent }] = first!['tool_calls'] as [{ id: string }];
      expect(sent).toMatch(/^[a-z0-9]{9}$/);
      expect(second).toMatchObject({ tool_call_id: sent });
    }
    const [first] = messagesOf([model(call('find', 'call_abc')), user(answer('find', 'call_abc'))], 'api.mistral.ai');
    expect((first!['tool_calls'] as [{ id: string }])[0].id).toMatch(/^[a-z0-9]{9}$/);
  });

  it('adds a pending answer to an open call and sends an answer without a call as text', () => {
    const messages = messagesOf([model(call('ask', 'a')), user({ text: 'Well?' }), user(answer('other', 'z'))]);
    expect(messages.slice(1)).toEqual([
      { role: 'tool', tool_call_id: 'a', content: expect.stringContaining('"status":"pending"') },
      { role: 'user', content: 'Well?\nother returned {"ok":true}' },
    ]);
  });

  it.each([
    ['api.mistral.ai', ['assistant', 'tool', 'assistant', 'user', 'assistant', 'tool', 'assistant', 'user']],
    ['openai', ['assistant', 'tool', 'user', 'assistant', 'tool', 'user']],
  ])('sends a reply between answers and a message of the user to %s: %j', (provider, roles) => {
    const file = { inlineData: { mimeType: 'image/png', data: 'AA==' } };
    const withFile: Part = { functionResponse: { id: 'b', name: 'see', response: {}, parts: [file] } };
    const contents = [
      ...[model(call('find', 'a')), user(answer('find', 'a')), user({ text: 'Well?' })],
      ...[model(call('see', 'b')), user(withFile)],
    ];
    expect(messagesOf(contents, provider).map(({ role }) => role)).toEqual(roles);
  });

  it('leaves out images that are thoughts', () => {
    const image = { inlineData: { mimeType: 'image/png', data: 'AA==' }, thought: true };
    const [, message] = messagesOf([user({ text: 'Hi' }), model(image, { text: 'Yes.' })]);
    expect(message).toEqual({ role: 'assistant', content: 'Yes.' });
  });

  it('sends broken arguments back unchanged, except to servers that would reject them', () => {
    const functionCall = { id: 'a', name: 'find', args: {}, brokenArgs: '{"x":' };
    const [first] = messagesOf([model({ functionCall }), user(answer('find', 'a'))]);
    expect(first).toMatchObject({ tool_calls: [{ function: { arguments: '{"x":' } }] });
    const [elsewhere] = messagesOf([model({ functionCall }), user(answer('find', 'a'))], 'localhost:8000');
    expect(elsewhere).toMatchObject({ tool_calls: [{ function: { arguments: '{}' } }] });
  });

  it('joins neighbouring contents of one role, and leaves out empty texts and thoughts', () => {
    const messages = messagesOf([
      user({ text: 'a' }, { text: '' }),
      user({ text: 'b' }),
      model({ text: 'hm', thought: true }),
      model({ text: '' }),
      user({ text: 'c' }),
      model({ text: 'd' }),
      model({ text: 'e' }),
    ]);
    expect(messages).toEqual([
      { role: 'user', content: 'a\nb' },
      { role: 'user', content: 'c' },
      { role: 'assistant', content: 'de' },
      { role: 'user', content: 'Continue.' },
    ]);
  });

  it('ends with a message of the user or a tool, as some servers require', () => {
    const call = { functionCall: { id: 'a', name: 'find', args: {} } };
    const lastRole = (...contents: Content[]) => messagesOf(contents).at(-1)?.role;
    expect(lastRole(user({ text: 'a' }), model({ text: 'b' }))).toBe('user');
    expect(lastRole(user({ text: 'a' }), model(call))).toBe('tool');
    expect(messagesOf([user({ text: 'a' })])).toEqual([{ role: 'user', content: 'a' }]);
  });

  it('never sends an empty list of calls', () => {
    for (const message of messagesOf([user({ text: 'a' }), model({ text: 'b' })]))
      expect(message).not.toHaveProperty('tool_calls');
  });

  it("sends executed code as text, and a line with the type of a model's file", () => {
    const [message] = messagesOf([
      model(
        { executableCode: { language: 'PYTHON', code: 'print(1)' } },
        { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
        { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
      ),
    ]);
    expect(message!['content']).toMatch(/```python\nprint\(1\)\n```[^]*```\n1\n```[^]*image\/png/);
  });

  const convertTurn = (provider: string, partMetadata: JsonObject & { provider: string }) =>
    messagesOf(
      [
        user({ text: 'Rooms?' }),
        model({ text: 'First look.', thought: true, partMetadata }, { ...call('find', 'a'), partMetadata }),
        user(answer('find', 'a')),
        model({ text: 'Fine.', thought: true, partMetadata }, { text: 'Two.' }),
      ],
      provider,
    );

  it('sends DeepSeek’s reasoning with the calls of the same turn, to DeepSeek only', () => {
    const partMetadata = { provider: 'api.deepseek.com' };
    const messages = convertTurn('api.deepseek.com', partMetadata);
    expect(messages[1]).toMatchObject({ reasoning_content: 'First look.', tool_calls: [{}] });
    expect(messages[3]).toMatchObject({ reasoning_content: 'Fine.', content: 'Two.' });
    for (const message of convertTurn('openai', partMetadata)) expect(message).not.toHaveProperty('reasoning_content');
    for (const message of convertTurn('api.groq.com', { provider: 'api.groq.com' })) {
      expect(message).not.toHaveProperty('reasoning_content');
    }
    const foreign = convertTurn('api.deepseek.com', { provider: 'openai' });
    expect(foreign[1]).toMatchObject({ reasoning_content: '' });
    const turn = [user({ text: 'a' }), model({ text: 'hm', thought: true, partMetadata }, { text: 'b' })];
    expect(messagesOf(turn, 'api.deepseek.com')[1]).toEqual({ role: 'assistant', content: 'b' });
  });

  it('sends OpenRouter’s reasoning blocks unchanged, to OpenRouter only', () => {
    const blocks = [{ type: 'reasoning.encrypted', data: 'gAAAA', index: 0 }];
    const partMetadata = { provider: 'openrouter.ai', reasoning_details: blocks };
    expect(convertTurn('openrouter.ai', partMetadata)[1]).toMatchObject({ reasoning_details: blocks });
    for (const message of convertTurn('openai', partMetadata)) expect(message).not.toHaveProperty('reasoning_details');
  });

  it('sends the signature of a call to its server only', () => {
    const partMetadata = { provider: 'g.example', call: { extra_content: { google: { thought_signature: 'CswB' } } } };
    expect(convertTurn('g.example', partMetadata)[1]!['tool_calls']).toEqual([
      expect.objectContaining({ id: 'a', ...partMetadata.call }),
    ]);
    expect(convertTurn('openai', partMetadata)[1]!['tool_calls']).toEqual([
      { id: 'a', type: 'function', function: { name: 'find', arguments: '{}' } },
    ]);
  });
});

describe('names of calls in toChatRequest', () => {
  const namesOf = (name: string, provider?: string): unknown => {
    const contents: Content[] = [
      { role: 'model', parts: [{ functionCall: { id: 'a', name, args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { id: 'a', name, response: { error: 'There is no such tool.' } } }] },
    ];
    const config = { tools: [{ functionDeclarations: [{ name: 'find.rooms' }] }] };
    const { messages } = convert({ contents, config, ...(provider && { provider }) });
    return messages.flatMap((message) => (message['tool_calls'] ?? []) as object[]);
  };

  it.each([
    ['multi_tool_use.parallel', 'multi_tool_use_parallel'],
    ['find rooms', 'find_rooms'],
    ['', '_'],
    ['x'.repeat(65), 'x'.repeat(64)],
    ['find-rooms_2', 'find-rooms_2'],
  ])('that the server would reject are changed: %j', (name, sent) => {
    expect(namesOf(name)).toMatchObject([{ function: { name: sent } }]);
    expect(namesOf(name, 'api.deepseek.com')).toMatchObject([{ function: { name: sent } }]);
  });

  it('of declared functions are unchanged', () => {
    expect(namesOf('find.rooms', 'localhost:8000')).toMatchObject([{ function: { name: 'find.rooms' } }]);
  });
});

describe('media in toChatRequest', () => {
  const sent = (part: NonNullable<Content['parts']>[number], provider?: string) =>
    messagesOf([{ role: 'user', parts: [{ text: 'See:' }, part] }], provider)[0]!['content'];

  it('are images as data and addresses, audio as wav and mp3, and files', () => {
    expect(sent({ inlineData: { mimeType: 'image/png', data: 'AA-_' } })).toEqual([
      { type: 'text', text: 'See:' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA+/' } },
    ]);
    const url = 'https://example.com/a.jpg';
    expect(sent({ fileData: { fileUri: url } })).toContainEqual({ type: 'image_url', image_url: { url } });
    expect(sent({ inlineData: { mimeType: 'audio/mpeg', data: 'AAAA' } })).toContainEqual({
      type: 'input_audio',
      input_audio: { data: 'AAAA', format: 'mp3' },
    });
    expect(sent({ inlineData: { mimeType: 'audio/wav', data: 'AAAA' } })).toMatchObject([
      {},
      { input_audio: { format: 'wav' } },
    ]);
    expect(sent({ inlineData: { mimeType: 'application/pdf', data: 'AAAA', displayName: 'menu.pdf' } })).toContainEqual(
      {
        type: 'file',
        file: { filename: 'menu.pdf', file_data: 'data:application/pdf;base64,AAAA' },
      },
    );
    expect(sent({ fileData: { fileUri: 'file-6F2ksmvXxt4VdoqmHRw6kL' } })).toContainEqual({
      type: 'file',
      file: { file_id: 'file-6F2ksmvXxt4VdoqmHRw6kL' },
    });
    const pdf = { fileData: { fileUri: 'https://example.com/a.pdf', mimeType: 'application/pdf' } };
    expect(sent(pdf, 'openrouter.ai')).toContainEqual({
      type: 'file',
      file: { filename: 'file', file_data: 'https://example.com/a.pdf' },
    });
  });

  it('are texts for text files, because many servers accept only PDFs or no files', () => {
    const csv = { mimeType: 'text/csv; charset=utf-8', data: btoa('room,floor\n912,9') };
    expect(sent({ inlineData: { ...csv, displayName: 'rooms.csv' } })).toBe(
      'See:\nFile "rooms.csv":\nroom,floor\n912,9',
    );
    expect(sent({ inlineData: { mimeType: 'application/json', data: btoa('[912]') } })).toBe('See:\n[912]');
    expect(sent({ inlineData: { mimeType: 'text/plain', data: btoa('\xff') } })).toContainEqual({
      type: 'file',
      file: { filename: 'file.txt', file_data: 'data:text/plain;base64,/w==' },
    });
  });

  it.each([
    ['without padding', '_-8', '/+8='],
    ['with line breaks', 'iVBO\r\nRw0K\n', 'iVBORw0K'],
  ])('are sent as standard base64 if the data is base64 %s', (_, data, standard) => {
    const url = `data:image/png;base64,${standard}`;
    expect(sent({ inlineData: { mimeType: 'image/png', data } })).toContainEqual({
      type: 'image_url',
      image_url: { url },
    });
  });

  it('are rejected in the newest message if they are empty, and are a line of text later', () => {
    const empty = { inlineData: { mimeType: 'image/png', data: '' } };
    expect(() => sent(empty)).toThrow('Chat Completions does not accept empty files of type image/png.');
    const later = messagesOf([
      { role: 'user', parts: [empty] },
      { role: 'user', parts: [{ text: 'Hi' }] },
    ]);
    expect(later).toEqual([{ role: 'user', content: expect.stringContaining('A file of type image/png') }]);
  });

  it('of other types are rejected, and the error names the type', () => {
    for (const mimeType of ['video/mp4', 'audio/flac']) {
      expect(() => sent({ inlineData: { mimeType, data: 'AAAA' } })).toThrow(
        expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(mimeType) }),
      );
    }
    const file = { fileUri: 'gs://bucket/a.pdf', mimeType: 'application/pdf' };
    expect(() => sent({ fileData: file })).toThrow(/application\/pdf/);
  });
});
