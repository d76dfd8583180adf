import type { JsonObject, LlmRequest } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { Anthropic } from '../src/index.ts';
import { askFinal } from './ask.ts';

const properties = {
  'filter[id]': { type: 'string' },
  filter_id_: { type: 'string' },
  sort: { type: 'object', properties: { $by: { type: 'string' } } },
  ['x'.repeat(70)]: { type: 'number' },
};
const request: LlmRequest = {
  contents: [
    { role: 'user', parts: [{ text: 'Find it.' }] },
    {
      role: 'model',
      parts: [{ functionCall: { id: 'c1', name: 'find', args: { 'filter[id]': '1', sort: { $by: 'a' } } } }],
    },
    { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'find', response: { ok: true } } }] },
  ],
  config: {
    tools: [
      {
        functionDeclarations: [
          { name: 'find', parametersJsonSchema: { type: 'object', properties, required: ['filter[id]', 'sort'] } },
          { name: 'other', parametersJsonSchema: { type: 'object', properties: { a: {} } } },
        ],
      },
    ],
  },
};

interface Body {
  tools: { input_schema: { properties: JsonObject; required?: string[] } }[];
  messages: { content: { input?: JsonObject }[] }[];
}

describe('names of parameters', () => {
  it('are changed for the API if it would reject them, and restored in the calls of the model', async () => {
    const bodies: Body[] = [];
    const input = { filter_id__2: '7', filter_id_: 'b', sort: { $by: 'c' } };
    const answer = {
      ...{ type: 'message', role: 'assistant', stop_reason: 'tool_use', usage: {} },
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'c2', name: 'find', input },
      ],
    };
    const fetch = async (_: unknown, init?: RequestInit): Promise<Response> => {
      bodies.push(JSON.parse(init!.body as string) as Body);
      return Response.json(answer);
    };
    const llm = new Anthropic({ model: 'claude-sonnet-5-5', apiKey: 'k', fetch: fetch as typeof globalThis.fetch });
    const { content } = await askFinal(llm, request);
    const [find, other] = bodies[0]!.tools;
    expect(Object.keys(find!.input_schema.properties)).toEqual(['filter_id__2', 'filter_id_', 'sort', 'x'.repeat(64)]);
    expect(find!.input_schema.properties['sort']).toEqual(properties.sort);
    expect(find!.input_schema.required).toEqual(['filter_id__2', 'sort']);
    expect(other!.input_schema.properties).toEqual({ a: {} });
    expect(bodies[0]!.messages[1]!.content[0]!.input).toEqual({ filter_id__2: '1', sort: { $by: 'a' } });
    expect(content!.parts).toEqual([
      { text: 'I look.' },
      { functionCall: { id: 'c2', name: 'find', args: { 'filter[id]': '7', filter_id_: 'b', sort: { $by: 'c' } } } },
    ]);
  });
});
