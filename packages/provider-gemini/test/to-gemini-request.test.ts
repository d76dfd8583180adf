import { deepFreeze } from '@thole/core/kit';
import type { Content, GenerateContentConfig, JsonObject, LlmRequest, Part, ToolDeclaration } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { responseTo } from './response-to.ts';
import { toGeminiRequest } from '../src/to-gemini-request.ts';
import { codeRun, parallelCalls } from './fixtures/answers.ts';

const user = (...parts: Part[]): Content => ({ role: 'user', parts });
const model = (...parts: Part[]): Content => ({ role: 'model', parts });
const hello = user({ text: 'Hello.' });

describe('toGeminiRequest', () => {
  it('puts each setting into its place in the body', () => {
    const body = bodyOf({
      systemInstruction: 'Be kind.',
      tools: [
        {
          functionDeclarations: [
            {
              name: 'find_rooms',
              description: 'Finds.',
              parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } } },
            },
            { name: 'list_guests', parametersJsonSchema: { type: 'object', properties: {} } },
          ],
        },
        { googleSearch: {} },
        { codeExecution: {} },
        { fileSearch: { fileSearchStoreNames: ['fileSearchStores/a'] } },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['find_rooms'] } },
      temperature: 0.5,
      topP: 0.9,
      topK: 40,
      maxOutputTokens: 100,
      stopSequences: ['END'],
      seed: 7,
      thinkingConfig: { includeThoughts: true, thinkingLevel: 'LOW', thinkingBudget: 1024 },
      safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
      cachedContent: 'abc',
      labels: { team: 'concierge' },
      responseJsonSchema: { type: 'object', properties: { room: { type: 'integer' } } },
    });
    expect(body).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'Hello.' }] }],
      systemInstruction: { role: 'user', parts: [{ text: 'Be kind.' }] },
      tools: [
        {
          functionDeclarations: [
            {
              name: 'find_rooms',
              description: 'Finds.',
              parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } } },
            },
            { name: 'list_guests' },
          ],
        },
        { googleSearch: {} },
        { codeExecution: {} },
        { fileSearch: { fileSearchStoreNames: ['fileSearchStores/a'] } },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['find_rooms'] } },
      safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
      cachedContent: 'cachedContents/abc',
      labels: { team: 'concierge' },
      generationConfig: {
        temperature: 0.5,
        topP: 0.9,
        topK: 40,
        maxOutputTokens: 100,
        stopSequences: ['END'],
        seed: 7,
        thinkingConfig: { includeThoughts: true, thinkingLevel: 'LOW', thinkingBudget: 1024 },
        responseJsonSchema: { type: 'object', properties: { room: { type: 'integer' } } },
        responseMimeType: 'application/json',
      },
    });
  });

  it('sends only the contents if the request has nothing else', () => {
    expect(bodyOf({ tools: [{ functionDeclarations: [] }], systemInstruction: '' })).toEqual({ contents: [hello] });
  });

  it.each(['AUTO', 'ANY', 'NONE', 'VALIDATED'] as const)('sends the mode %s of function calling', (mode) => {
    expect(bodyOf({ toolConfig: { functionCallingConfig: { mode } } })).toMatchObject({
      toolConfig: { functionCallingConfig: { mode } },
    });
  });

  it('merges providerOptions.gemini into the config, also unknown members', () => {
    const config: GenerateContentConfig = {
      tools: [{ googleSearch: {} }],
      thinkingConfig: { includeThoughts: true },
      temperature: 1,
    };
    const gemini: JsonObject = {
      tools: [{ urlContext: {} }],
      thinkingConfig: { thinkingBudget: 0 },
      temperature: 0,
      responseModalities: ['IMAGE'],
      serviceTier: 'flex',
      somethingNew: { a: 1 },
    };
    expect(
      toGeminiRequest(
        { contents: [hello], config, providerOptions: { gemini, openai: { store: false } } },
        'gemini-2.5-flash',
      ).body,
    ).toEqual({
      contents: [hello],
      tools: [{ googleSearch: {} }, { urlContext: {} }],
      serviceTier: 'flex',
      generationConfig: {
        thinkingConfig: { includeThoughts: true, thinkingBudget: 0 },
        temperature: 0,
        responseModalities: ['IMAGE'],
        somethingNew: { a: 1 },
      },
    });
  });

  it.each(['httpOptions', 'abortSignal', 'automaticFunctionCalling', 'candidateCount'])(
    'rejects the option %s',
    (name) => {
      const providerOptions = { gemini: { [name]: 2 } };
      expect(() => toGeminiRequest({ contents: [hello], config: {}, providerOptions }, 'gemini-2.5-flash')).toThrow(
        expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(name) }),
      );
    },
  );

  it('rejects unsupported schemas with the path', () => {
    const parametersJsonSchema: JsonObject = { type: 'object', properties: { x: { not: { type: 'string' } } } };
    expect(() => bodyOf({ tools: [{ functionDeclarations: [{ name: 'find_rooms', parametersJsonSchema }] }] })).toThrow(
      expect.objectContaining({
        code: 'SCHEMA_UNSUPPORTED',
        message: expect.stringContaining('tools.find_rooms.parameters.properties.x.not'),
      }),
    );
    expect(() => bodyOf({ responseJsonSchema: { properties: { x: { if: {} } } } })).toThrow(
      expect.objectContaining({ message: expect.stringContaining('responseJsonSchema.properties.x.if') }),
    );
  });

  it('names a cache of Vertex AI by its project and location', () => {
    const request: LlmRequest = { contents: [hello], config: { cachedContent: 'abc' } };
    const target = { vertexai: true, project: 'hotel', location: 'europe-west1' };
    expect(toGeminiRequest(request, 'gemini-2.5-flash', target).body['cachedContent']).toBe(
      'projects/hotel/locations/europe-west1/cachedContents/abc',
    );
  });

  it('does not change the request, and uses its model', () => {
    const request = deepFreeze<LlmRequest>({
      model: 'gemini-3-pro-preview',
      contents: [
        hello,
        model({ functionCall: { name: 'f', args: {} } }),
        user({ functionResponse: { name: 'f', response: {} } }),
      ],
      config: { tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: { type: 'object' } }] }] },
      providerOptions: { gemini: { tools: [{ urlContext: {} }] } },
    });
    expect(toGeminiRequest(request, 'gemini-2.5-flash').model).toBe('gemini-3-pro-preview');
  });
});

describe('history in toGeminiRequest', () => {
  it('sends its own parts unchanged with signatures and ids, and answers with those ids (contract 17)', () => {
    const answer = responseTo(parallelCalls).content!;
    const results = user(
      { functionResponse: { id: 'ab12cd34', name: 'get_current_temperature', response: { celsius: 15 } } },
      { functionResponse: { id: 'ef56gh78', name: 'get_current_temperature', response: { celsius: 12 } } },
    );
    const sent = contentsOf([hello, answer, results], 'gemini-3-flash-preview');
    const [candidate] = parallelCalls['candidates'] as JsonObject[];
    expect(sent[1]).toEqual(candidate!['content']);
    expect(sent[2]).toEqual(results);
  });

  it('sends code that Gemini ran unchanged', () => {
    const [candidate] = codeRun['candidates'] as JsonObject[];
    expect(contentsOf([hello, responseTo(codeRun).content!])[1]).toEqual(candidate!['content']);
  });

  it('sends unknown members of parts from Gemini unchanged', () => {
    const parts = [
      { toolCall: { id: 't1', toolType: 'GOOGLE_SEARCH_WEB', args: { q: 'x' } }, thoughtSignature: 'c2ln' },
      { text: 'seen', videoMetadata: { fps: 2 }, partMetadata: { file: 'a.txt' } },
    ];
    const answer = responseTo({ candidates: [{ content: { role: 'model', parts } }] }).content!;
    expect(contentsOf([hello, answer])[1]).toEqual({ role: 'model', parts });
  });

  it('reads metadata without a provider as metadata of Gemini', () => {
    const part = { text: 'Yes.', thoughtSignature: 'c2ln', partMetadata: { file: 'a.txt' } };
    expect(contentsOf([hello, model(part as unknown as Part)])[1]).toEqual({ role: 'model', parts: [part] });
  });

  it('treats a signature without metadata as its own; sends empty text only with a signature', () => {
    const sent = contentsOf([
      hello,
      model({ text: '' }, { text: 'Yes.' }, { text: '', thoughtSignature: '' }, { text: '', thoughtSignature: 'c2ln' }),
      user({ text: '' }),
    ]);
    expect(sent).toEqual([
      hello,
      { role: 'model', parts: [{ text: 'Yes.' }, { text: '', thoughtSignature: 'c2ln' }] },
      user({ text: 'Continue.' }),
    ]);
  });

  it('ends with a content of the user, as in a loop of one agent', () => {
    const call = { functionCall: { name: 'find', args: {} } };
    expect(contentsOf([hello, model({ text: 'Yes.' })]).at(-1)).toEqual(user({ text: 'Continue.' }));
    expect(contentsOf([hello, model(call)]).at(-1)).toMatchObject({ role: 'user', parts: [{ functionResponse: {} }] });
    expect(contentsOf([hello])).toEqual([hello]);
  });

  it('contains no ids of a runner or another provider, and no text of broken arguments', () => {
    const sent = contentsOf([
      hello,
      model({ functionCall: { id: 'thole-call-1', name: 'f', args: {}, brokenArgs: '{"a' } }),
      user({ functionResponse: { id: 'thole-call-1', name: 'f', response: { error: 'no JSON' } } }),
    ]);
    expect(sent.slice(1)).toEqual([
      { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: { error: 'no JSON' } } }] },
    ]);
  });

  it('sends no id for a Gemini call whose id has changed', () => {
    const call = {
      functionCall: { id: 'thole-call-2', name: 'f', args: {} },
      partMetadata: { provider: 'gemini', id: 'a' },
    };
    const answer = user({ functionResponse: { id: 'thole-call-2', name: 'f', response: {} } });
    expect(contentsOf([hello, model(call), answer]).slice(1)).toEqual([
      { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] },
    ]);
  });

  it('sends only plain parts of other providers: no thoughts, no signatures, code as text (contract 17)', () => {
    const partMetadata = { provider: 'openai', id: 'item-1' };
    const sent = contentsOf([
      hello,
      model(
        { text: 'Hm.', thought: true, partMetadata },
        { text: 'Yes.', thoughtSignature: 'x', partMetadata },
        { executableCode: { code: 'print(1)', language: 'PYTHON' }, partMetadata },
        { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' }, partMetadata },
        { functionCall: { id: 'call_1', name: 'f', args: { a: 1 } }, partMetadata },
        { webSearchCall: {}, partMetadata } as Part,
      ),
      model({ text: 'without an origin', thought: true }),
      user({ functionResponse: { id: 'call_1', name: 'f', response: {} } }),
    ]);
    expect(sent[1]).toEqual({
      role: 'model',
      parts: [
        { text: 'Yes.' },
        { text: '```python\nprint(1)\n```' },
        { text: '```\n1\n```' },
        { functionCall: { name: 'f', args: { a: 1 } } },
      ],
    });
    expect(sent).toHaveLength(3);
  });

  it('sends answers as a separate content after the calls and joins the model’s contents', () => {
    const sent = contentsOf([
      hello,
      model({ text: 'I look.' }),
      model({ functionCall: { name: 'f', args: {} } }, { functionCall: { name: 'g', args: {} } }),
      user({ functionResponse: { name: 'f', response: { a: 1 } } }),
      user({ text: 'And hurry.' }, { functionResponse: { name: 'g', response: { b: 2 } } }),
      { parts: [{ text: 'Please.' }] },
    ]);
    expect(sent.map(({ role, parts }) => [role, ...(parts as JsonObject[]).flatMap(Object.keys)])).toEqual([
      ['user', 'text'],
      ['model', 'text', 'functionCall', 'functionCall'],
      ['user', 'functionResponse', 'functionResponse'],
      ['user', 'text'],
      ['user', 'text'],
    ]);
  });

  it('adds the documented placeholder to first calls of this turn without a signature', () => {
    const call = (name: string): Part => ({ functionCall: { name, args: {} } });
    const result = (name: string): Content => user({ functionResponse: { name, response: {} } });
    const history = [
      hello,
      model(call('earlier')),
      result('earlier'),
      user({ text: 'And now?' }),
      model({ text: 'Well.' }, call('a'), call('b')),
      user({ functionResponse: { name: 'a', response: {} } }, { functionResponse: { name: 'b', response: {} } }),
      model({ ...call('c'), thoughtSignature: 'c2ln' }, call('d')),
      user({ functionResponse: { name: 'c', response: {} } }, { functionResponse: { name: 'd', response: {} } }),
      model(call('e')),
      result('e'),
    ];
    const signatures = (name: string): unknown[] =>
      contentsOf(history, name)
        .flatMap(({ parts }) => parts as JsonObject[])
        .filter((part) => 'functionCall' in part)
        .map((part) => part['thoughtSignature']);
    const skip = 'skip_thought_signature_validator';
    for (const name of ['gemini-3-pro-preview', 'gemini-3.1-flash-lite', 'gemini-4-flash', 'gemini-flash-latest'])
      expect(signatures(name)).toEqual([undefined, skip, undefined, 'c2ln', undefined, skip]);
    expect(signatures('gemini-2.5-flash')).toEqual([undefined, undefined, undefined, 'c2ln', undefined, undefined]);
  });

  it('contains media that Gemini reads; other MIME types are rejected', () => {
    const media = user(
      { inlineData: { mimeType: 'image/png', data: 'AAAA', displayName: 'a.png' } },
      { inlineData: { mimeType: 'application/pdf', data: 'AAAA' } },
      { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } },
      { fileData: { fileUri: 'https://example.com/v1beta/files/a', mimeType: 'video/mp4' } },
    );
    expect(contentsOf([media])).toEqual([media]);
    const zip = user({ inlineData: { mimeType: 'application/zip', data: 'AAAA' } });
    expect(() => contentsOf([zip])).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining('application/zip') }),
    );
  });

  it('contains a line of text for an empty file, which is rejected in the newest message', () => {
    const empty = user({ inlineData: { mimeType: 'image/png', data: '' } });
    expect(() => contentsOf([empty])).toThrow('Gemini cannot read empty inlineData of the MIME type image/png.');
    const line = expect.stringContaining('A file of type image/png');
    expect(contentsOf([empty, model({ text: 'Which?' }), hello])[0]).toEqual(user({ text: line as string }));
  });

  it('contains a name for a call without a name, and for its answer', () => {
    const call = model({ functionCall: { id: 'a', name: '', args: {} } });
    const answer = user({ functionResponse: { id: 'a', name: '', response: { error: 'There is no such tool.' } } });
    expect(contentsOf([hello, call, answer]).slice(1)).toMatchObject([
      { parts: [{ functionCall: { name: '_' } }] },
      { parts: [{ functionResponse: { name: '_' } }] },
    ]);
  });

  it('contains a message of the user if it would be empty, which the API rejects', () => {
    for (const contents of [[], [user({ text: '' })]])
      expect(contentsOf(contents)).toEqual([user({ text: 'Follow the system instruction.' })]);
  });

  it('begins with a message of the user if its first content has a call, which the API rejects', () => {
    const call = model({ functionCall: { id: 'a', name: 'f', args: {} } });
    const answer = user({ functionResponse: { id: 'a', name: 'f', response: {} } });
    expect(contentsOf([call, answer, hello])).toMatchObject([
      user({ text: 'Follow the system instruction.' }),
      { role: 'model' },
      { role: 'user' },
      hello,
    ]);
    expect(contentsOf([model({ text: 'Hello.' }), hello])).toHaveLength(2);
  });

  it('contains the same name in an unanswered call without a name and its pending answer', () => {
    const call = model({ functionCall: { id: 'a', name: '', args: {} } });
    expect(contentsOf([hello, call, user({ text: 'And?' })]).slice(1, 3)).toMatchObject([
      { parts: [{ functionCall: { name: '_' } }] },
      { parts: [{ functionResponse: { name: '_', response: { status: 'pending' } } }] },
    ]);
  });

  it('contains updates of a call without willContinue', () => {
    const call = model({ functionCall: { id: 'a', name: 'f', args: {} } });
    const update = user({ functionResponse: { id: 'a', name: 'f', response: { done: 0.5 }, willContinue: true } });
    expect(contentsOf([hello, call, update])[2]).toEqual(
      user({ functionResponse: { name: 'f', response: { done: 0.5 } } }),
    );
  });

  it('contains one answer for each call: the last one, or one that says it is pending', () => {
    const answer = (id: string, response: JsonObject): Part => ({ functionResponse: { id, name: 'f', response } });
    const calls = ['a', 'b'].map((id): Part => ({ functionCall: { id, name: 'f', args: {} } }));
    const sent = contentsOf([
      hello,
      model(...calls),
      user(answer('a', { note: 'started' })),
      user({ text: 'And?' }, answer('a', { done: true })),
    ]);
    const status = { status: 'pending', message: 'There is no answer yet.' };
    expect(sent.slice(2)).toEqual([
      user(
        { functionResponse: { name: 'f', response: status } },
        { functionResponse: { name: 'f', response: { done: true } } },
      ),
      user({ text: 'And?' }),
    ]);
  });
});

describe('files in answers of tools', () => {
  const png = { inlineData: { mimeType: 'image/png', data: 'AAAA', displayName: 'room.png' } };
  const pdf = { fileData: { fileUri: 'gs://hotel/plan.pdf', mimeType: 'application/pdf', displayName: 'plan' } };
  const zip = { inlineData: { mimeType: 'application/zip', data: 'BBBB' } };
  const history = (...parts: object[]): Content[] => [
    hello,
    model({ functionCall: { name: 'show_room', args: {} } }),
    user({ functionResponse: { name: 'show_room', response: { room: 912 }, parts } }),
  ];

  it.each(['gemini-3-pro-preview', 'gemini-flash-latest'])('are sent in the answer to %s', (name) => {
    expect(contentsOf(history(png, pdf), name)[2]).toEqual(
      user({ functionResponse: { name: 'show_room', response: { room: 912 }, parts: [png, pdf] } }),
    );
  });

  it('follow the answer in a user message for models before Gemini 3', () => {
    expect(contentsOf(history(png, pdf), 'gemini-2.5-flash').slice(2)).toEqual([
      user({ functionResponse: { name: 'show_room', response: { room: 912 } } }),
      user({ text: 'Files in the answer of show_room:' }, png, pdf),
    ]);
  });

  it('are named by a line of text if Gemini cannot read them', () => {
    const line = '[A file of type application/zip is not shown: this model cannot read it.]';
    expect(contentsOf(history(zip), 'gemini-3-pro-preview')[2]).toEqual(
      user({ functionResponse: { name: 'show_room', response: { unreadableFiles: [line], room: 912 } } }),
    );
    expect(contentsOf(history(zip), 'gemini-2.5-flash')[3]).toEqual(
      user({ text: 'Files in the answer of show_room:' }, { text: line }),
    );
  });
});

describe('tools that Gemini runs', () => {
  const sent = (tool: ToolDeclaration, vertexai = false) =>
    toGeminiRequest({ contents: [hello], config: { tools: [tool] } }, 'gemini-2.5-flash', { vertexai }).body['tools'];

  it.each<[ToolDeclaration, object]>([
    [{ googleSearch: {} }, { googleSearch: {} }],
    [{ codeExecution: {} }, { codeExecution: {} }],
    [
      { webSearch: { search_context_size: 'low', excludeDomains: ['a.example'] } },
      { googleSearch: { excludeDomains: ['a.example'] } },
    ],
    [
      { fileSearch: { fileSearchStoreNames: ['fileSearchStores/a'], vectorStoreIds: ['vs_1'], topK: 3 } },
      { fileSearch: { fileSearchStoreNames: ['fileSearchStores/a'], topK: 3 } },
    ],
  ])('accepts %j', (tool, expected) => {
    expect(sent(tool)).toEqual([expected]);
  });

  it('work next to functions for Gemini 3 on the Gemini API, with the setting that it requires', () => {
    const functions: ToolDeclaration = { functionDeclarations: [{ name: 'find_rooms' }] };
    const both = [functions, { googleSearch: {} }];
    const configOf = (
      tools: ToolDeclaration[],
      name = 'gemini-3-flash-preview',
      more = {},
      vertexai = false,
    ): unknown =>
      toGeminiRequest({ contents: [hello], config: { tools, ...more } }, name, { vertexai }).body['toolConfig'];
    const expected = { includeServerSideToolInvocations: true };
    expect(configOf(both)).toEqual(expected);
    const toolConfig = { functionCallingConfig: { mode: 'ANY' } };
    expect(configOf(both, 'gemini-flash-latest', { toolConfig })).toEqual({ ...expected, ...toolConfig });
    expect(configOf(both, 'gemini-2.5-flash')).toBeUndefined();
    expect(configOf(both, 'gemini-3-flash-preview', {}, true)).toBeUndefined();
    for (const tools of [[functions], [{ googleSearch: {} }], []]) expect(configOf(tools)).toBeUndefined();
  });

  it.each<[ToolDeclaration, boolean, RegExp]>([
    [{ fileSearch: { vectorStoreIds: ['vs_1'] } }, false, /fileSearch.*fileSearchStoreNames/],
    [{ fileSearch: { fileSearchStoreNames: ['a'] } }, true, /Vertex AI has no tool fileSearch.*Use the Gemini API/],
  ])('rejects %j (Vertex AI: %s) and names an alternative', (tool, vertexai, message) => {
    expect(() => sent(tool, vertexai)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringMatching(message) }),
    );
  });
});

function bodyOf(config: GenerateContentConfig): JsonObject {
  return toGeminiRequest({ contents: [hello], config }, 'gemini-2.5-flash').body;
}

function contentsOf(contents: Content[], name = 'gemini-2.5-flash'): JsonObject[] {
  return toGeminiRequest({ contents: deepFreeze(contents), config: {} }, name).body['contents'] as JsonObject[];
}
