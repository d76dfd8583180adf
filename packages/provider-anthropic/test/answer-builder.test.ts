import type { JsonObject, LlmResponse } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { AnswerBuilder } from '../src/answer-builder.ts';
import { addAnthropicResponse } from '../src/from-anthropic-response.ts';
import { readAnthropicStream } from '../src/read-anthropic-stream.ts';
import { errorBody, eventsOf, messageOf, REFUSAL, USAGE } from './fixtures/messages.ts';

/** Returns the final response of a complete message. */
function responseTo(message: unknown): LlmResponse {
  const builder = new AnswerBuilder('anthropic');
  addAnthropicResponse(message, builder);
  return builder.toResponse();
}

/** Reads a complete message and its stream, which must have the same final response. */
async function read(message: JsonObject): Promise<LlmResponse> {
  const response = responseTo(message);
  const builder = new AnswerBuilder('anthropic');
  const events = (async function* () {
    yield* eventsOf(message, (text) => text.match(/.{1,4}/gs) ?? []);
  })();
  await Array.fromAsync(readAnthropicStream({ events }, builder));
  expect(builder.toResponse()).toEqual(response);
  return response;
}

const mark = (block: object) => ({ provider: 'anthropic', block });

describe('AnswerBuilder', () => {
  it('returns thoughts with their signature, redacted thoughts, text and parallel calls', async () => {
    const redacted = { type: 'redacted_thinking', data: 'ZW5jcnlwdGVk' };
    const { content, finishReason, modelVersion } = await read(
      messageOf(
        [
          { type: 'thinking', thinking: 'Two cities.', signature: 'c2ln' },
          redacted,
          { type: 'text', text: 'I look both up.' },
          { type: 'tool_use', id: 'toolu_1', name: 'look', input: { city: 'Oslo' }, caller: { type: 'direct' } },
          { type: 'tool_use', id: 'toolu_2', name: 'look', input: { city: 'Rome' }, caller: { type: 'direct' } },
        ],
        { stop_reason: 'tool_use' },
      ),
    );
    expect(content?.parts).toEqual([
      { text: 'Two cities.', thought: true, thoughtSignature: 'c2ln', partMetadata: { provider: 'anthropic' } },
      { text: '', thought: true, partMetadata: mark(redacted) },
      { text: 'I look both up.' },
      { functionCall: { id: 'toolu_1', name: 'look', args: { city: 'Oslo' } } },
      { functionCall: { id: 'toolu_2', name: 'look', args: { city: 'Rome' } } },
    ]);
    expect([finishReason, modelVersion]).toEqual(['STOP', 'claude-sonnet-5-5']);
  });

  it('keeps the signature of thoughts that are not shown', async () => {
    const { content } = await read(messageOf([{ type: 'thinking', thinking: '', signature: 'c2ln' }]));
    expect(content?.parts).toEqual([
      { text: '', thought: true, thoughtSignature: 'c2ln', partMetadata: { provider: 'anthropic' } },
    ]);
  });

  it('returns a web search as marked parts, its queries and its sources', async () => {
    const use = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'harbour hotels' } };
    const result = {
      type: 'web_search_tool_result',
      tool_use_id: 'srvtoolu_1',
      content: [{ type: 'web_search_result', url: 'https://x.example', title: 'X', encrypted_content: 'EqgfCioI' }],
    };
    const citation = {
      type: 'web_search_result_location',
      url: 'https://x.example',
      title: 'X',
      encrypted_index: 'Eo8BCioI',
      cited_text: 'Nine rooms.',
    };
    const response = await read(
      messageOf([use, result, { type: 'text', text: 'Nine.', citations: [citation, citation] }]),
    );
    expect(response.content?.parts).toEqual([
      { text: '', partMetadata: mark(use) },
      { text: '', partMetadata: mark(result) },
      { text: 'Nine.', partMetadata: mark({ type: 'text', citations: [citation, citation] }) },
    ]);
    expect(response.groundingMetadata).toEqual({
      webSearchQueries: ['harbour hotels'],
      groundingChunks: [{ web: { uri: 'https://x.example', title: 'X' } }],
      groundingSupports: [{ segment: { partIndex: 2, text: 'Nine.' }, groundingChunkIndices: [0] }],
    });
  });

  it('returns citations of documents with their positions', async () => {
    const citation = {
      type: 'page_location',
      cited_text: 'Breakfast from seven.',
      document_index: 0,
      document_title: 'Menu',
      start_page_number: 2,
      end_page_number: 3,
      file_id: null,
    };
    const { citationMetadata, groundingMetadata } = await read(
      messageOf([{ type: 'text', text: 'From seven.', citations: [citation] }]),
    );
    expect(citationMetadata).toEqual({
      citations: [{ title: 'Menu', place: { document_index: 0, start_page_number: 2, end_page_number: 3 } }],
    });
    expect(groundingMetadata?.['groundingChunks']).toEqual([
      { retrievedContext: { title: 'Menu', text: 'Breakfast from seven.' } },
    ]);
  });

  it('returns code that Anthropic ran and its result', async () => {
    const use = { type: 'server_tool_use', id: 's1', name: 'bash_code_execution', input: { command: 'echo 4' } };
    const ran = { type: 'bash_code_execution_result', stdout: '4\n', stderr: '', return_code: 0, content: [] };
    const result = { type: 'bash_code_execution_tool_result', tool_use_id: 's1', content: ran };
    const { content } = await read(messageOf([use, result]));
    expect(content?.parts).toEqual([
      { executableCode: { code: 'echo 4', language: 'BASH' }, partMetadata: mark(use) },
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '4\n' }, partMetadata: mark(result) },
    ]);
  });

  it('keeps a call with a caller, and blocks of unknown types, to send them back', async () => {
    const caller = { type: 'code_execution_20250825', tool_id: 's1' };
    const unknown = { type: 'container_upload', file_id: 'file_1' };
    const { content } = await read(
      messageOf([{ type: 'tool_use', id: 't1', name: 'look', input: {}, caller }, unknown]),
    );
    expect(content?.parts).toEqual([
      { functionCall: { id: 't1', name: 'look', args: {} }, partMetadata: mark({ caller }) },
      { text: '', partMetadata: mark(unknown) },
    ]);
  });

  it('counts tokens read from and written to the cache as part of the prompt', async () => {
    const usage = {
      ...USAGE,
      input_tokens: 10,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 20,
      output_tokens: 9,
      output_tokens_details: { thinking_tokens: 4 },
    };
    const { usageMetadata, customMetadata } = await read(messageOf([{ type: 'text', text: 'Nine.' }], { usage }));
    expect(usageMetadata).toEqual({
      promptTokenCount: 130,
      cachedContentTokenCount: 100,
      cacheCreationTokenCount: 20,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 4,
      totalTokenCount: 139,
    });
    expect(customMetadata?.['anthropic']).toMatchObject({ usage: { cache_creation_input_tokens: 20 } });
  });

  it.each([
    ['end_turn', 'STOP'],
    ['stop_sequence', 'STOP'],
    ['max_tokens', 'MAX_TOKENS'],
    ['model_context_window_exceeded', 'MAX_TOKENS'],
    ['something_new', 'something_new'],
  ])('maps the stop reason %s to %s', async (stop_reason, finishReason) => {
    const response = await read(messageOf([{ type: 'text', text: 'Nine.' }], { stop_reason, stop_sequence: 'END' }));
    expect(response.finishReason).toBe(finishReason);
    expect(response.errorCode).toBeUndefined();
    expect(response.customMetadata?.['anthropic']).toMatchObject({ stop_sequence: 'END' });
  });

  it('reports a refusal with its category and explanation', async () => {
    expect(await read(messageOf([], { stop_reason: 'refusal', stop_details: REFUSAL }))).toMatchObject({
      finishReason: 'SAFETY',
      errorCode: 'MODEL_BLOCKED',
      errorMessage: 'Claude refused to answer (cyber): It asks for an exploit.',
    });
  });

  it('returns no calls of an answer that ended with a refusal', async () => {
    const call = { type: 'tool_use', id: 't1', name: 'look', input: {} };
    const { content } = await read(messageOf([{ type: 'text', text: 'Well,' }, call], { stop_reason: 'refusal' }));
    expect(content?.parts).toEqual([{ text: 'Well,' }]);
  });

  it('throws the error of a body that is not a message', () => {
    expect(() => responseTo(errorBody('overloaded_error', 'Overloaded'))).toThrow(/Overloaded/);
    expect(() => responseTo('<html>')).toThrow(/an HTML page. Check baseUrl/);
    expect(() => responseTo({ id: 'x' })).toThrow(/not a message/);
  });
});

describe('readAnthropicStream', () => {
  const readStream = async (events: JsonObject[]) => {
    const builder = new AnswerBuilder('anthropic');
    const list = (async function* () {
      yield* events;
    })();
    const partials = await Array.fromAsync(readAnthropicStream({ events: list }, builder));
    return { partials, builder };
  };
  const events = eventsOf(messageOf([{ type: 'text', text: 'Nine.' }]));

  it('ignores unknown events and deltas', async () => {
    const unknown: JsonObject[] = [
      { type: 'something_new' },
      { type: 'content_block_delta', index: 0, delta: { type: 'something_new', text: 'x' } },
      { type: 'content_block_delta', index: 7, delta: { type: 'text_delta', text: 'x' } },
    ];
    const { builder } = await readStream([...events.slice(0, 4), ...unknown, ...events.slice(4)]);
    expect(builder.toResponse().content?.parts).toEqual([{ text: 'Nine.' }]);
  });

  it('throws MODEL_INCOMPLETE for a stream without an end', async () => {
    await expect(readStream(events.slice(0, -1))).rejects.toMatchObject({ code: 'MODEL_INCOMPLETE', retryable: true });
    await expect(readStream([])).rejects.toMatchObject({ code: 'MODEL_INCOMPLETE' });
  });

  it('returns {} for a call whose input is null', () => {
    const call = { type: 'tool_use', id: 't1', name: 'look', input: null };
    const { content } = responseTo(messageOf([call], { stop_reason: 'tool_use' }));
    expect(content?.parts).toEqual([{ functionCall: { id: 't1', name: 'look', args: {} } }]);
  });

  it('returns incomplete arguments as brokenArgs, not as arguments', async () => {
    const incomplete = eventsOf(
      messageOf([{ type: 'tool_use', id: 't1', name: 'look', input: { city: 'Oslo' } }], { stop_reason: 'max_tokens' }),
      (text) => [text.slice(0, 9)],
    );
    const { builder } = await readStream(incomplete);
    expect(builder.toResponse()).toMatchObject({
      content: { parts: [{ functionCall: { id: 't1', name: 'look', args: {}, brokenArgs: '{"city":"' } }] },
      finishReason: 'MAX_TOKENS',
    });
  });
});
