import type { LlmResponse, TholeError } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { fromAiSdkResponse } from '../src/from-ai-sdk-response.ts';
import { mapAiSdkError } from '../src/map-ai-sdk-error.ts';
import { readAiSdkStream } from '../src/read-ai-sdk-stream.ts';

const endpoint = { name: 'ai-sdk:local' };
const stop = { unified: 'stop', raw: 'stop' };
const read = (content: readonly object[], members: object = {}): LlmResponse =>
  fromAiSdkResponse({ content, finishReason: stop, ...members }, endpoint);
const partsOf = (content: readonly object[]): unknown => read(content).content?.parts;

const explain = (error: unknown): TholeError => mapAiSdkError(error, 'reading', { provider: 'local', now: 0 });

async function readStream(...parts: readonly unknown[]): Promise<LlmResponse[]> {
  return Array.fromAsync(readAiSdkStream(toStream(parts), endpoint, { onWarnings: () => {}, explain }));
}

async function* toStream(parts: readonly unknown[]): AsyncGenerator<unknown> {
  yield* parts;
}

describe('fromAiSdkResponse', () => {
  it('keeps metadata on its part, without undefined members', () => {
    const metadata = { google: { thoughtSignature: 'abc', extra: undefined } };
    const call = {
      type: 'tool-call',
      toolCallId: 'c1',
      toolName: 'find',
      input: '{"a":1}',
      providerMetadata: metadata,
    };
    expect(partsOf([{ type: 'text', text: 'Yes.', providerMetadata: {} }, call])).toEqual([
      { text: 'Yes.' },
      {
        functionCall: { id: 'c1', name: 'find', args: { a: 1 } },
        partMetadata: { provider: endpoint.name, metadata: { google: { thoughtSignature: 'abc' } } },
      },
    ]);
  });

  it.each([
    ['', { args: {} }],
    ['{"a":1}', { args: { a: 1 } }],
    ['{"a":', { args: {}, brokenArgs: '{"a":' }],
    ['[1]', { args: {}, brokenArgs: '[1]' }],
    [{ a: 1 }, { args: { a: 1 } }],
    [undefined, { args: {} }],
  ])('reads the arguments %j', (input, expected) => {
    expect(partsOf([{ type: 'tool-call', toolCallId: '', toolName: 'find', input }])).toEqual([
      { functionCall: { name: 'find', ...expected } },
    ]);
  });

  it('keeps calls that the provider ran itself with the next part, or the last one', () => {
    const ran = { type: 'tool-call', toolCallId: 's1', toolName: 'search', input: '{"q":"x"}', providerExecuted: true };
    const results = [
      { type: 'tool-result', toolCallId: 's1', toolName: 'search', result: { n: 0 }, preliminary: true },
      { type: 'tool-result', toolCallId: 's1', toolName: 'search', result: { n: 1 } },
      { type: 'tool-result', toolCallId: 's2', toolName: 'search', result: 'no', isError: true },
    ];
    const call = { type: 'tool-call', toolCallId: 's1', toolName: 'search', input: { q: 'x' }, providerExecuted: true };
    const answer = {
      type: 'tool-result',
      toolCallId: 's1',
      toolName: 'search',
      output: { type: 'json', value: { n: 1 } },
    };
    const failed = {
      type: 'tool-result',
      toolCallId: 's2',
      toolName: 'search',
      output: { type: 'error-json', value: 'no' },
    };
    expect(partsOf([ran, { type: 'text', text: 'Yes.' }, ...results])).toEqual([
      { text: 'Yes.', partMetadata: { provider: endpoint.name, before: [call], after: [answer, failed] } },
    ]);
    expect(read([ran])).toEqual({ finishReason: 'STOP', customMetadata: { items: [call] } });
  });

  it('returns files of v3 and v4 as bytes or addresses', () => {
    const mark = { partMetadata: { provider: endpoint.name } };
    const bytes = Uint8Array.of(1, 2, 3);
    const url = new URL('https://a.example/b.png');
    const inline = { inlineData: { mimeType: 'image/png', data: 'AQID' }, ...mark };
    const files = [bytes, 'AQID', { type: 'data', data: bytes }, { type: 'data', data: 'AQID' }, { type: 'url', url }];
    expect(partsOf(files.map((data) => ({ type: 'file', mediaType: 'image/png', data })))).toEqual([
      ...[inline, inline, inline, inline],
      { fileData: { mimeType: 'image/png', fileUri: url.href }, ...mark },
    ]);
  });

  it('counts reasoning separately from the answer, and returns no usage without counts', () => {
    const usage = {
      inputTokens: { total: 10, cacheRead: 4, noCache: 6, cacheWrite: undefined },
      outputTokens: { total: 7, reasoning: 5, text: 2 },
    };
    expect(read([], { usage }).usageMetadata).toEqual({
      promptTokenCount: 10,
      cachedContentTokenCount: 4,
      candidatesTokenCount: 2,
      thoughtsTokenCount: 5,
      totalTokenCount: 17,
    });
    const written = { inputTokens: { total: 10, cacheWrite: 3 }, outputTokens: { total: 7 } };
    expect(read([], { usage: written }).usageMetadata).toMatchObject({
      promptTokenCount: 10,
      cacheCreationTokenCount: 3,
    });
    expect(read([], { usage: { inputTokens: {}, outputTokens: {} } }).usageMetadata).toBeUndefined();
  });

  it('returns id and model of the answer, and metadata of the provider', () => {
    const more = { response: { id: 'r1', modelId: 'm-2' }, providerMetadata: { local: { tier: 'flex' } } };
    expect(read([], more)).toEqual({
      finishReason: 'STOP',
      modelVersion: 'm-2',
      customMetadata: { responseId: 'r1', providerMetadata: { local: { tier: 'flex' } } },
    });
  });

  it('returns sources and the texts that cite them', () => {
    const source = { type: 'source', sourceType: 'url', id: '1', url: 'https://a.example', title: 'A' };
    const citations = [{ source, startIndex: 0, endIndex: 4 }];
    const document = {
      type: 'source',
      sourceType: 'document',
      id: '2',
      mediaType: 'text/plain',
      title: 'B',
      filename: 'b.txt',
    };
    const response = read([{ type: 'text', text: 'Yes.', citations }, source, document]);
    expect(response.citationMetadata).toEqual({
      citations: [{ startIndex: 0, endIndex: 4, uri: 'https://a.example', title: 'A' }],
    });
    expect(response.groundingMetadata).toEqual({
      groundingChunks: [
        { web: { uri: 'https://a.example', title: 'A' } },
        { retrievedContext: { uri: 'b.txt', title: 'B' } },
      ],
      groundingSupports: [{ segment: { partIndex: 0, startIndex: 0, endIndex: 4 }, groundingChunkIndices: [0] }],
    });
    const googleMetadata = { google: { groundingMetadata: { webSearchQueries: ['q'] } } };
    expect(read([source], { providerMetadata: googleMetadata }).groundingMetadata).toEqual({ webSearchQueries: ['q'] });
  });

  it.each([
    [{ unified: 'stop', raw: 'end_turn' }, { finishReason: 'STOP' }],
    [{ unified: 'tool-calls', raw: 'tool_use' }, { finishReason: 'STOP' }],
    [{ unified: 'length', raw: 'max_tokens' }, { finishReason: 'MAX_TOKENS' }],
    [
      { unified: 'content-filter', raw: 'RECITATION' },
      { finishReason: 'RECITATION', errorCode: 'MODEL_BLOCKED' },
    ],
    [
      { unified: 'content-filter', raw: 'refusal' },
      { finishReason: 'SAFETY', errorMessage: 'The model refused to answer.' },
    ],
    [
      { unified: 'error', raw: 'MALFORMED_FUNCTION_CALL' },
      { finishReason: 'MALFORMED_FUNCTION_CALL', errorCode: 'MALFORMED_FUNCTION_CALL' },
    ],
    [{ unified: 'other', raw: 'eos' }, { finishReason: 'eos' }],
  ])('maps the finish reason %j', (finishReason, expected) => {
    expect(read([], { finishReason })).toMatchObject(expected);
  });

  it('returns no calls of a blocked answer', () => {
    const call = { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: '{}' };
    const response = read([{ type: 'text', text: 'Well,' }, call], { finishReason: { unified: 'content-filter' } });
    expect(response.content?.parts).toEqual([{ text: 'Well,' }]);
  });

  it('returns no error for content with the reason of an error', () => {
    const finishReason = { unified: 'error', raw: 'MALFORMED_FUNCTION_CALL' };
    const response = read([{ type: 'text', text: 'Well,' }], { finishReason });
    expect(response).toMatchObject({
      finishReason: 'MALFORMED_FUNCTION_CALL',
      content: { parts: [{ text: 'Well,' }] },
    });
    expect(response).not.toHaveProperty('errorCode');
  });

  it('accepts an answer without a reason as complete only if its tokens are counted', () => {
    const finishReason = { unified: 'other', raw: undefined };
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
    expect(read([], { finishReason, usage }).finishReason).toBe('OTHER');
    const incomplete = expect.objectContaining({ code: 'MODEL_INCOMPLETE' });
    expect(() => read([], { finishReason })).toThrow(incomplete);
    expect(() => read([], { finishReason: undefined, usage })).toThrow(incomplete);
    expect(() => read([], { finishReason: { unified: 'interrupted', raw: 'cut' }, usage })).toThrow(incomplete);
    expect(() => read([], { finishReason: { unified: 'error', raw: undefined }, usage })).toThrow(incomplete);
  });
});

describe('readAiSdkStream', () => {
  const finish = {
    type: 'finish',
    finishReason: stop,
    usage: { inputTokens: { total: 1 }, outputTokens: { total: 2 } },
  };

  it('keeps interleaved texts separate, in the order in which they begin', async () => {
    const [first, second, third, final] = await readStream(
      { type: 'reasoning-start', id: '0' },
      { type: 'text-start', id: '0', providerMetadata: { local: { item: 'a' } } },
      { type: 'text-delta', id: '0', delta: 'Yes' },
      { type: 'reasoning-delta', id: '0', delta: 'hm' },
      { type: 'reasoning-delta', id: '0', delta: '', providerMetadata: { local: { signature: 's' } } },
      { type: 'text-delta', id: '0', delta: '.' },
      { type: 'reasoning-end', id: '0' },
      { type: 'text-end', id: '0', providerMetadata: { local: { phase: 'final' } } },
      finish,
    );
    expect([first, second, third].map((response) => response?.content?.parts)).toEqual([
      [{ text: 'Yes' }],
      [{ text: 'hm', thought: true }],
      [{ text: '.' }],
    ]);
    expect(final?.content?.parts).toEqual([
      { text: 'hm', thought: true, partMetadata: { provider: endpoint.name, metadata: { local: { signature: 's' } } } },
      { text: 'Yes.', partMetadata: { provider: endpoint.name, metadata: { local: { item: 'a', phase: 'final' } } } },
    ]);
  });

  it('begins a new part when an id is used again', async () => {
    const passage = (delta: string): object[] => [
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta },
      { type: 'text-end', id: '0' },
    ];
    const responses = await readStream(...passage('a'), ...passage('b'), finish);
    expect(responses.at(-1)?.content?.parts).toEqual([{ text: 'a' }, { text: 'b' }]);
  });

  it('ignores pings, raw chunks, unknown parts and inputs of calls until they are complete', async () => {
    const responses = await readStream(
      ...[{ type: 'ping' }, { type: 'raw', rawValue: 1 }, { type: 'new' }, 'x'],
      { type: 'tool-input-start', id: 'c1', toolName: 'find' },
      { type: 'tool-input-delta', id: 'c1', delta: '{}' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'find', input: '{}' },
      { type: 'response-metadata', id: 'r1' },
      { type: 'response-metadata', modelId: 'm-2' },
      finish,
    );
    expect(responses).toMatchObject([
      {
        content: { parts: [{ functionCall: { id: 'c1' } }] },
        modelVersion: 'm-2',
        customMetadata: { responseId: 'r1' },
      },
    ]);
  });

  it('returns a block that an error part reports as the final response', async () => {
    const error = { error: { code: 'content_filter', message: 'filtered' } };
    const responses = await readStream(
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: 'Well,' },
      { type: 'error', error },
    );
    expect(responses.at(-1)).toEqual({
      content: { role: 'model', parts: [{ text: 'Well,' }] },
      finishReason: 'SAFETY',
      errorCode: 'MODEL_BLOCKED',
      errorMessage: expect.stringContaining('filtered'),
    });
  });

  it('throws the error of an error part, and MODEL_INCOMPLETE without an end', async () => {
    const error = new Error('overloaded');
    await expect(readStream({ type: 'error', error }, finish)).rejects.toBe(error);
    await expect(readStream({ type: 'ping' })).rejects.toMatchObject({ code: 'MODEL_INCOMPLETE' });
  });
});
