import type { JsonObject, LlmResponse, Part } from '@thole/core';
import { deepFreeze } from '@thole/core/kit';
import { describe, expect, it } from 'vitest';
import { fromOpenAiResponse } from '../src/from-openai-response.ts';
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

const target = { model: 'gpt-5', provider: 'openai', stream: false };
const read = (output: JsonObject[], members: JsonObject = {}): LlmResponse =>
  fromOpenAiResponse(deepFreeze(responseOf(output, members)), target);
const partsOf = (response: LlmResponse): Part[] => response.content?.parts ?? [];
const plain = (response: LlmResponse): Part[] => partsOf(response).map(withoutMark);

function withoutMark(part: Part): Part {
  const { partMetadata: _, ...rest } = part;
  return rest;
}

describe('fromOpenAiResponse', () => {
  it('returns a final response with text, finish reason, tokens, model version and id', () => {
    expect(read([message(['The hotel has a room.'])])).toEqual({
      content: {
        role: 'model',
        parts: [
          {
            text: 'The hotel has a room.',
            partMetadata: {
              provider: 'openai',
              index: 0,
              item: {
                id: 'msg_67ccd2bf17f0819081ff3bb2cf6508e60bb6a6b452d3795b',
                type: 'message',
                status: 'completed',
                role: 'assistant',
              },
              entry: { type: 'output_text' },
            },
          },
        ],
      },
      finishReason: 'STOP',
      usageMetadata: {
        promptTokenCount: 36,
        candidatesTokenCount: 23,
        thoughtsTokenCount: 64,
        cachedContentTokenCount: 4,
        totalTokenCount: 123,
      },
      modelVersion: 'gpt-5-2025-08-07',
      customMetadata: { responseId: 'resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b' },
    });
  });

  it('keeps the order of thoughts, texts and calls', () => {
    const response = read([
      reasoning(['High floors.', 'So nine.']),
      message(['Let me look.'], { phase: 'commentary' }),
      functionCall('find_rooms', '{"city":"Oslo"}'),
      functionCall('list_guests', '', { call_id: 'call_b', id: 'fc_b' }),
    ]);
    expect(plain(response)).toEqual([
      { text: 'High floors.', thought: true },
      { text: 'So nine.', thought: true },
      { text: 'Let me look.' },
      { functionCall: { id: 'call_unLAR8MvFNptuiZK6K6HCy5k', name: 'find_rooms', args: { city: 'Oslo' } } },
      { functionCall: { id: 'call_b', name: 'list_guests', args: {} } },
    ]);
  });

  it('keeps arguments that are not a JSON object unchanged', () => {
    expect(plain(read([functionCall('find_rooms', '{"city":')]))).toEqual([
      {
        functionCall: { id: 'call_unLAR8MvFNptuiZK6K6HCy5k', name: 'find_rooms', args: {}, brokenArgs: '{"city":' },
      },
    ]);
  });

  it('uses the id of the item for a call with an empty id, or no id', () => {
    const call = { type: 'function_call', name: 'find_rooms', arguments: '{}' };
    expect(plain(read([{ ...call, call_id: '', id: 'fc_1' }, call])).map((part) => part.functionCall?.id)).toEqual([
      'fc_1',
      undefined,
    ]);
  });

  it('returns no parts, and the finish reason, if the output is empty', () => {
    const response = read([]);
    expect(response.content).toBeUndefined();
    expect(response.finishReason).toBe('STOP');
  });

  it('keeps unknown members, and drops members that repeat the request', () => {
    const { customMetadata } = read([message(['Hi'])], {
      service_tier: 'priority',
      content_filters: [{ blocked: false }],
      moderation: null,
    });
    expect(customMetadata).toEqual({
      responseId: expect.any(String),
      service_tier: 'priority',
      content_filters: [{ blocked: false }],
    });
  });

  it('reads token counts without details and with separate thoughts', () => {
    expect(read([], { usage: { input_tokens: 3, output_tokens: 4 } }).usageMetadata).toEqual({
      promptTokenCount: 3,
      candidatesTokenCount: 4,
      totalTokenCount: 7,
    });
    const apart = {
      input_tokens: 3,
      output_tokens: 4,
      output_tokens_details: { reasoning_tokens: 9 },
      total_tokens: 16,
    };
    expect(read([], { usage: apart }).usageMetadata).toEqual({
      promptTokenCount: 3,
      candidatesTokenCount: 4,
      thoughtsTokenCount: 9,
      totalTokenCount: 16,
    });
    expect(read([], { usage: null }).usageMetadata).toBeUndefined();
  });
});

describe('fromOpenAiResponse with reasoning', () => {
  it('returns thoughts, and the id and the encrypted content of the item once', () => {
    const [first, second] = partsOf(read([reasoning(['High.', 'Nine.']), message(['912'])]));
    expect(first!.partMetadata).toEqual({
      provider: 'openai',
      index: 0,
      item: {
        id: 'rs_6806bfca0b2481918a5748308061a2600d3ce51bdffd5476',
        type: 'reasoning',
        encrypted_content: 'gAAAAABqX1a78BDqkJ4uGoxtDucvs8h',
      },
      entry: { type: 'summary_text' },
      list: 'summary',
    });
    expect(second!.partMetadata).toEqual({
      provider: 'openai',
      index: 0,
      entry: { type: 'summary_text' },
      list: 'summary',
    });
  });

  it('drops members that are null, because the API rejects some of them', () => {
    const [thought] = partsOf(read([reasoning(['High.'], { status: null }), message(['912'])]));
    expect(Object.keys(thought!.partMetadata!['item'] as JsonObject)).toEqual(['id', 'type', 'encrypted_content']);
  });

  it('keeps reasoning without text on the following part', () => {
    const silent = reasoning([]);
    const response = read([silent, functionCall('find_rooms', '{}')]);
    expect(partsOf(response)).toHaveLength(1);
    expect(partsOf(response)[0]!.partMetadata).toMatchObject({ index: 1, before: [silent] });
    expect(response.customMetadata).not.toHaveProperty('items');
  });

  it('reads the text from the content if a server sends it there', () => {
    const item = reasoning([], { content: [{ type: 'reasoning_text', text: 'High floors.' }] });
    expect(plain(read([item, message(['912'])]))).toEqual([{ text: 'High floors.', thought: true }, { text: '912' }]);
  });

  it('keeps two items that have one id', () => {
    const parts = partsOf(read([reasoning(['a']), reasoning(['b'], { encrypted_content: 'other' }), message(['c'])]));
    expect(parts.map(({ partMetadata }) => partMetadata!['index'])).toEqual([0, 1, 2]);
  });
});

describe('fromOpenAiResponse with tools that the provider ran', () => {
  it('returns no function call, and keeps the item in customMetadata and on the next part', () => {
    const response = read([webSearchCall, mcpCall, message(['Found.']), fileSearchCall]);
    expect(plain(response)).toEqual([{ text: 'Found.' }]);
    expect(partsOf(response)[0]!.partMetadata).toMatchObject({
      before: [webSearchCall, mcpCall],
      after: [fileSearchCall],
    });
    expect(response.customMetadata!['items']).toEqual([webSearchCall, mcpCall, fileSearchCall]);
  });

  it('returns code with its result, and files', () => {
    expect(plain(read([codeCall, message(['72.'])]))).toEqual([
      { executableCode: { code: 'print(8 * 9)', language: 'PYTHON' } },
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '72\n' } },
      { fileData: { fileUri: 'https://files.example/plot.png', mimeType: 'image/png' } },
      { text: '72.' },
    ]);
    expect(plain(read([imageCall]))).toEqual([{ inlineData: { mimeType: 'image/webp', data: 'iVBORw0KGgo=' } }]);
  });

  it('returns the failure of code', () => {
    const failed = (outputs: JsonObject[] | null): Part =>
      plain(read([{ ...codeCall, status: 'failed', outputs }])).at(-1)!;
    expect(failed(null)).toEqual({ codeExecutionResult: { outcome: 'OUTCOME_FAILED' } });
    expect(failed([{ type: 'logs', logs: 'NameError' }])).toEqual({
      codeExecutionResult: { outcome: 'OUTCOME_FAILED', output: 'NameError' },
    });
  });
});

describe('fromOpenAiResponse with sources', () => {
  it('returns each source once, in Gemini’s format, with the texts that cite it', () => {
    const { groundingMetadata, citationMetadata } = read([webSearchCall, fileSearchCall, citedMessage]);
    expect(groundingMetadata).toEqual({
      webSearchQueries: ['harbour hotel Oslo', 'rooms Oslo'],
      retrievalQueries: ['rooms with a view'],
      groundingChunks: [
        { web: { uri: 'https://hotel.example/a', title: 'Opening hours' } },
        { web: { uri: 'https://hotel.example/b', title: 'Rooms' } },
        { retrievedContext: { uri: 'file-4wDz5b167pAf72nx1h9eiN', title: 'rooms.pdf' } },
      ],
      groundingSupports: [
        { segment: { partIndex: 0, startIndex: 0, endIndex: 18 }, groundingChunkIndices: [0] },
        { segment: { partIndex: 0, startIndex: 19, endIndex: 32 }, groundingChunkIndices: [1] },
        { segment: { partIndex: 0, startIndex: 25, endIndex: 32 }, groundingChunkIndices: [0] },
        { segment: { partIndex: 0, endIndex: 31 }, groundingChunkIndices: [2] },
      ],
    });
    expect(citationMetadata!['citations']).toHaveLength(4);
  });

  it('keeps annotations on the text unchanged, also unknown kinds', () => {
    const [part] = partsOf(read([citedMessage]));
    const [{ annotations }] = citedMessage['content'] as [JsonObject];
    expect(part!.partMetadata!['entry']).toEqual({ type: 'output_text', annotations });
  });
});

describe('fromOpenAiResponse with unknown data', () => {
  it('keeps unknown items, content, members and values, and never throws', () => {
    const unknown = { type: 'telepathy_call', id: 'tp_1', call_id: 'call_tp', mind: { open: true } };
    const hologram = { type: 'output_hologram', depth: 3 };
    const response = read([
      unknown,
      message([], { content: [hologram, { type: 'output_text', text: 'Hi' }], mood: 'kind' }),
      null,
      'what',
      { type: 'message', content: 7 },
      { type: 'function_call' },
    ] as JsonObject[]);
    expect(plain(response)).toEqual([{ text: 'Hi' }]);
    const item = { ...message([]), mood: 'kind', content: [hologram] };
    expect(response.customMetadata!['items']).toEqual([unknown, item, { type: 'function_call' }]);
    expect(partsOf(response)[0]!.partMetadata).toMatchObject({ item: { mood: 'kind' }, before: [unknown] });
  });
});

describe('fromOpenAiResponse with a status', () => {
  const refused = message([], { content: [{ type: 'refusal', refusal: 'I cannot help with that.' }] });

  it('returns a refusal as text with MODEL_BLOCKED', () => {
    const response = read([refused]);
    expect(plain(response)).toEqual([{ text: 'I cannot help with that.' }]);
    expect(response).toMatchObject({ finishReason: 'SAFETY', errorCode: 'MODEL_BLOCKED' });
  });

  it.each([
    ['max_output_tokens', 'MAX_TOKENS', undefined],
    ['max_tokens', 'MAX_TOKENS', undefined],
    ['content_filter', 'SAFETY', 'MODEL_BLOCKED'],
    ['steered', 'steered', undefined],
    [undefined, 'incomplete', undefined],
  ])('returns for the reason %s the finish reason %s', (reason, finishReason, errorCode) => {
    const details = reason === undefined ? null : { reason };
    const response = read([message(['Half'])], { status: 'incomplete', incomplete_details: details });
    expect(response.finishReason).toBe(finishReason);
    expect(response.errorCode).toBe(errorCode);
    expect(plain(response)).toEqual([{ text: 'Half' }]);
  });

  it('returns no calls of a blocked answer', () => {
    const call = { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'look', arguments: '{}' };
    const blocked = { status: 'incomplete', incomplete_details: { reason: 'content_filter' } };
    expect(plain(read([message(['Half']), call], blocked))).toEqual([{ text: 'Half' }]);
  });

  it('throws the mapped error for a failed answer', () => {
    const error = { code: 'rate_limit_exceeded', message: 'Slow down.' };
    expect(() => read([], { status: 'failed', error })).toThrow(
      expect.objectContaining({ code: 'MODEL_RATE_LIMITED', message: expect.stringContaining('Slow down.') }),
    );
    expect(() => read([], { status: 'failed' })).toThrow(expect.objectContaining({ code: 'MODEL_FAILED' }));
  });

  it.each([
    { code: 'bio_policy', message: 'Blocked for safety.' },
    { code: 'image_content_policy_violation', message: 'Blocked for safety.' },
    { code: 'invalid_prompt', message: 'Your prompt was flagged.' },
  ])('returns a blocked final response for a policy ($code)', (error) => {
    expect(read([], { status: 'failed', error })).toMatchObject({
      finishReason: 'SAFETY',
      errorCode: 'MODEL_BLOCKED',
      errorMessage: error.message,
    });
  });

  it.each(['queued', 'in_progress', 'cancelled'])('throws MODEL_INCOMPLETE for the status %s', (status) => {
    expect(() => read([], { status })).toThrow(expect.objectContaining({ code: 'MODEL_INCOMPLETE' }));
  });

  it('throws for a value that is not an answer', () => {
    for (const answer of ['<!doctype html><html></html>', { detail: 'Not Found' }, { error: 'no model' }, null, {}]) {
      expect(() => fromOpenAiResponse(answer, target)).toThrow(
        expect.objectContaining({ code: expect.stringMatching(/^MODEL_/) }),
      );
    }
  });
});
