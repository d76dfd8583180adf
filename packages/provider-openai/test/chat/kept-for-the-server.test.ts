import type { Content, JsonObject, LlmResponse } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { fromChatResponse } from '../../src/chat/from-chat-response.ts';
import { readChatStream } from '../../src/chat/read-chat-stream.ts';
import { toChatRequest } from '../../src/chat/to-chat-request.ts';

const target = { model: 'm', provider: 'openrouter.ai', stream: false };
const bodyOf = (message: JsonObject): JsonObject => ({
  id: 'x',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', ...message } }],
});
const messagesOf = (contents: Content[], provider = 'openrouter.ai'): JsonObject[] =>
  toChatRequest({ contents, config: {} }, { ...target, provider }).messages as never;

describe('file annotations of OpenRouter', () => {
  it('are kept with the answer and sent back only to OpenRouter', () => {
    const annotations = [
      { type: 'file', file: { hash: 'h1', name: 'plan.pdf', content: [{ type: 'text', text: 'Room 912' }] } },
    ];
    const { content } = fromChatResponse(bodyOf({ content: 'It is 912.', annotations }), target);
    expect(messagesOf([content!])[0]).toEqual({ role: 'assistant', content: 'It is 912.', annotations });
    expect(messagesOf([content!], 'api.groq.com')[0]).toEqual({ role: 'assistant', content: 'It is 912.' });
  });
});

describe('streamed audio in readChatStream', () => {
  it('is joined from chunks that are each encoded as base64', async () => {
    const delta = (audio: JsonObject): JsonObject => ({ choices: [{ index: 0, delta: { audio } }] });
    const chunks = async function* (): AsyncGenerator<JsonObject> {
      yield delta({ id: 'audio_1', transcript: 'Room ' });
      yield delta({ data: btoa('a') });
      yield delta({ data: btoa('bcd'), transcript: '912' });
      yield delta({ expires_at: 9 });
      yield { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
    };
    const all: LlmResponse[] = await Array.fromAsync(readChatStream(chunks(), { ...target, stream: true }));
    expect(all.at(-1)!.customMetadata).toEqual({
      message: { audio: { id: 'audio_1', data: btoa('abcd'), transcript: 'Room 912', expires_at: 9 } },
    });
  });
});

describe('call ids of toChatRequest', () => {
  it.each([
    ['openrouter.ai', true],
    ['localhost:8000', true],
    ['openai', false],
    ['api.mistral.ai', false],
  ])('with over 40 characters are kept for %s: %s', (provider, isKept) => {
    const id = `functions.find_rooms:0-${'a'.repeat(40)}`;
    const messages = messagesOf(
      [
        { role: 'model', parts: [{ functionCall: { id, name: 'find_rooms', args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { id, name: 'find_rooms', response: {} } }] },
      ],
      provider,
    );
    const calls = messages[0]!['tool_calls'] as { id: string }[];
    expect(calls[0]!.id === id).toBe(isKept);
    expect(messages[1]!['tool_call_id']).toBe(calls[0]!.id);
  });
});

describe('toChatRequest with a long history', () => {
  it('reads the calls of one turn a limited number of times', () => {
    let reads = 0;
    const contents = Array.from({ length: 3000 }, (_, i): Content[] => [
      {
        role: 'model',
        parts: [
          {
            get functionCall() {
              reads++;
              return { id: `c${i}`, name: 'a', args: {} };
            },
          },
        ],
      },
      { role: 'user', parts: [{ functionResponse: { id: `c${i}`, name: 'a', response: {} } }] },
    ]).flat();
    expect(messagesOf(contents, 'deepseek').length).toBe(6000);
    expect(reads).toBeLessThan(3000 * 10);
  });
});
