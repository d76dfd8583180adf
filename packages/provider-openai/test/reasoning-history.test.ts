import type { Content, JsonObject } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { fromOpenAiResponse } from '../src/from-openai-response.ts';
import { toOpenAiRequest } from '../src/to-openai-request.ts';
import { functionCall, message, reasoning, responseOf } from './fixtures/responses-answers.ts';

const target = { model: 'gpt-5', provider: 'openai', stream: false };
const answered = (...output: JsonObject[]): Content => fromOpenAiResponse(responseOf(output), target).content!;
const sent = (content: Content, options: JsonObject = {}): JsonObject[] =>
  toOpenAiRequest({ contents: [content], config: {}, providerOptions: { openai: options } }, target).input as never;
const call = functionCall('find_rooms', '{}', { call_id: 'call-a', id: 'fc_a' });
const withoutThoughts = ({ parts, ...content }: Content): Content => ({
  ...content,
  parts: parts!.filter((part) => !part.thought),
});
const idsOf = (items: JsonObject[]): unknown[] => items.map(({ type, id }) => [type, id]);

describe('an answer of the Responses API in the history', () => {
  it('is sent with its ids unchanged', () => {
    const items = sent(answered(reasoning(['Hm.'], { id: 'rs_1' }), message(['Let me look.'], { id: 'msg_1' }), call));
    expect(idsOf(items).slice(0, 3)).toEqual([
      ['reasoning', 'rs_1'],
      ['message', 'msg_1'],
      ['function_call', 'fc_a'],
    ]);
  });

  it.each([
    ['before it', [reasoning(['Hm.'], { id: 'rs_1' }), call]],
    ['within it', [reasoning([], { id: 'rs_0' }), message(['Let me look.']), reasoning(['Hm.'], { id: 'rs_1' }), call]],
  ])('is sent without ids if its thoughts were removed %s', (_where, output) => {
    for (const options of [{}, { store: true }]) {
      const items = sent(withoutThoughts(answered(...output)), options);
      expect(items.some(({ type }) => type === 'reasoning')).toBe(false);
      expect(items.map(({ id }) => id)).toEqual(items.map(() => undefined));
    }
  });

  it('is sent completely if it had an empty message', () => {
    const items = sent(answered(message([''], { id: 'msg_0' }), reasoning(['Hm.'], { id: 'rs_1' }), call));
    expect(idsOf(items).slice(0, 2)).toEqual([
      ['reasoning', 'rs_1'],
      ['function_call', 'fc_a'],
    ]);
  });

  it('is sent with readable reasoning of servers that do not encrypt it', () => {
    const readable = { type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] };
    expect(sent(answered(readable, call))[0]).toEqual(readable);
  });
});
