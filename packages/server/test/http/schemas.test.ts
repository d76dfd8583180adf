import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ZodType } from 'zod';
import { runInput } from '../../src/ag-ui/run-input.ts';
import { mapOf, untilFirstError } from '../../src/http/schemas.ts';
import { chatBody } from '../../src/openai/chat-body.ts';
import { responseBody } from '../../src/openai/response-body.ts';

describe('untilFirstError', () => {
  const list = untilFirstError(z.array(z.string()));

  it('returns a valid list and reports only the first invalid item', () => {
    expect(list.parse(['a', 'b'])).toEqual(['a', 'b']);
    expect(list.safeParse(['a', 1, 2, 3]).error!.issues.map(({ path }) => path)).toEqual([[1]]);
    expect(list.safeParse('a').success).toBe(false);
  });

  it('accepts as many items as the maximum, and rejects more', () => {
    const pair = untilFirstError(z.array(z.string()), 2);
    expect(pair.parse(['a', 'b'])).toEqual(['a', 'b']);
    expect(pair.safeParse(['a', 'b', 'c']).error!.issues).toMatchObject([{ message: 'must have at most 2 items' }]);
  });
});

describe('mapOf', () => {
  const map = mapOf(z.number());

  it('returns a valid object and reports only the first invalid member', () => {
    expect(map.parse({ a: 1, b: 2 })).toEqual({ a: 1, b: 2 });
    expect(map.safeParse({ a: 1, b: '', c: '' }).error!.issues.map(({ path }) => path)).toEqual([['b']]);
    expect(map.safeParse([]).success).toBe(false);
  });
});

describe('a body that is parsed before it is authorized', () => {
  const many = [0, 0, 0];
  const ag = { threadId: 't', runId: 'r', messages: [] };

  it.each<[name: string, schema: ZodType, body: object]>([
    ['messages of AG-UI', runInput, { ...ag, messages: many }],
    ['tools of AG-UI', runInput, { ...ag, tools: many }],
    ['context of AG-UI', runInput, { ...ag, context: many }],
    ['messages of OpenAI', chatBody, { model: 'm', messages: many }],
    ['metadata of OpenAI', responseBody, { model: 'm', input: 'Hi', metadata: { a: 0, b: 0 } }],
  ])('has one error for many invalid values: %s (contract 38)', (_, schema, body) => {
    expect(schema.safeParse(body).error!.issues).toHaveLength(1);
  });
});
