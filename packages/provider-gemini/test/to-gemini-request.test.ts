import { deepFreeze } from '@thole/core';
import type { Content, GenerateContentConfig, JsonObject, LlmRequest, Part } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { fromGeminiResponse } from '../src/from-gemini-response.ts';
import { toGeminiRequest } from '../src/to-gemini-request.ts';
import { codeRun, parallelCalls } from './fixtures/answers.ts';

const user = (...parts: Part[]): Content => ({ role: 'user', parts });
const model = (...parts: Part[]): Content => ({ role: 'model', parts });
const hello = user({ text: 'Hello.' });

describe('toGeminiRequest', () => {
  it('puts each setting where the API has it', () => {
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

  it('sends nothing but the contents where nothing else is asked', () => {
    expect(bodyOf({ tools: [{ functionDeclarations: [] }], systemInstruction: '' })).toEqual({ contents: [hello] });
  });

  it.each(['AUTO', 'ANY', 'NONE', 'VALIDATED'] as const)('passes the mode %s of function calling on', (mode) => {
    expect(bodyOf({ toolConfig: { functionCallingConfig: { mode } } })).toMatchObject({
      toolConfig: { functionCallingConfig: { mode } },
    });
  });

  it('merges providerOptions.gemini into the config, members that nobody knows too', () => {
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
    'refuses the option %s, which would do nothing',
    (name) => {
      const providerOptions = { gemini: { [name]: 2 } };
      expect(() => toGeminiRequest({ contents: [hello], config: {}, providerOptions }, 'gemini-2.5-flash')).toThrow(
        expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(name) }),
      );
    },
  );

  it('refuses schemas that Gemini cannot take, naming the path', () => {
    const parametersJsonSchema: JsonObject = { type: 'object', properties: { x: { not: {} } } };
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

  it('names a cache of Vertex AI by its project and place', () => {
    const request: LlmRequest = { contents: [hello], config: { cachedContent: 'abc' } };
    const place = { vertexai: true, project: 'hotel', location: 'europe-west1' };
    expect(toGeminiRequest(request, 'gemini-2.5-flash', place).body['cachedContent']).toBe(
      'projects/hotel/locations/europe-west1/cachedContents/abc',
    );
  });

  it('reads the request and never changes it, and asks the model that the request names', () => {
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

describe('the history that Gemini is sent', () => {
  it('has its own parts as they came, signatures and ids too, and the answers with those ids (T-87, contract 17)', () => {
    const answer = fromGeminiResponse(parallelCalls).content!;
    const results = user(
      { functionResponse: { id: 'ab12cd34', name: 'get_current_temperature', response: { celsius: 15 } } },
      { functionResponse: { id: 'ef56gh78', name: 'get_current_temperature', response: { celsius: 12 } } },
    );
    const sent = contentsOf([hello, answer, results], 'gemini-3-flash-preview');
    const [candidate] = parallelCalls['candidates'] as JsonObject[];
    expect(sent[1]).toEqual(candidate!['content']);
    expect(sent[2]).toEqual(results);
  });

  it('has code that Gemini ran as it came', () => {
    const [candidate] = codeRun['candidates'] as JsonObject[];
    expect(contentsOf([hello, fromGeminiResponse(codeRun).content!])[1]).toEqual(candidate!['content']);
  });

  it('has unknown members of its own parts as they came', () => {
    const parts = [
      { toolCall: { id: 't1', toolType: 'GOOGLE_SEARCH_WEB', args: { q: 'x' } }, thoughtSignature: 'c2ln' },
      { text: 'seen', videoMetadata: { fps: 2 }, partMetadata: { file: 'a.txt' } },
    ];
    const answer = fromGeminiResponse({ candidates: [{ content: { role: 'model', parts } }] }).content!;
    expect(contentsOf([hello, answer])[1]).toEqual({ role: 'model', parts });
  });

  it('takes metadata without a provider’s name for what Gemini’s own parts may have', () => {
    const part = { text: 'Yes.', thoughtSignature: 'c2ln', partMetadata: { file: 'a.txt' } };
    expect(contentsOf([hello, model(part as unknown as Part)])[1]).toEqual({ role: 'model', parts: [part] });
  });

  it('takes a signature without metadata for its own, and an empty text that bears one is sent; no other is (T-90)', () => {
    const sent = contentsOf([
      hello,
      model({ text: '' }, { text: 'Yes.' }, { text: '', thoughtSignature: '' }, { text: '', thoughtSignature: 'c2ln' }),
      user({ text: '' }),
    ]);
    expect(sent).toEqual([hello, { role: 'model', parts: [{ text: 'Yes.' }, { text: '', thoughtSignature: 'c2ln' }] }]);
  });

  it('has no ids that a runner or another provider made, and no raw text of broken arguments', () => {
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

  it('has no id that was given anew to a call of Gemini’s, nor its old one', () => {
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

  it('has of another provider’s parts only what is plain: no thoughts, no signatures, code as text (contract 17)', () => {
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
      model({ text: 'of nobody', thought: true }),
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
    expect(sent).toHaveLength(2);
  });

  it('has answers by themselves, right after the calls, and the model’s contents on end as one', () => {
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

  it('has the documented placeholder on the first call of each step of this turn that has no signature, from Gemini 3 on', () => {
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

  it('has media as far as Gemini reads it, also in answers to calls; the rest is refused by its MIME type', () => {
    const media = user(
      { inlineData: { mimeType: 'image/png', data: 'AAAA', displayName: 'a.png' } },
      { inlineData: { mimeType: 'application/pdf', data: 'AAAA' } },
      { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } },
      { fileData: { fileUri: 'https://example.com/v1beta/files/a', mimeType: 'video/mp4' } },
    );
    expect(contentsOf([media])).toEqual([media]);
    const answer = {
      functionResponse: { name: 'f', response: {}, parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
    };
    expect(contentsOf([hello, model({ functionCall: { name: 'f', args: {} } }), user(answer as Part)])[2]).toEqual(
      user(answer as Part),
    );
    const zip = user({ inlineData: { mimeType: 'application/zip', data: 'AAAA' } });
    expect(() => contentsOf([zip])).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining('application/zip') }),
    );
  });

  it('is refused where nothing of it can be sent', () => {
    for (const contents of [[], [user({ text: '' })]])
      expect(() => contentsOf(contents)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });
});

function bodyOf(config: GenerateContentConfig): JsonObject {
  return toGeminiRequest({ contents: [hello], config }, 'gemini-2.5-flash').body;
}

function contentsOf(contents: Content[], name = 'gemini-2.5-flash'): JsonObject[] {
  return toGeminiRequest({ contents: deepFreeze(contents), config: {} }, name).body['contents'] as JsonObject[];
}
