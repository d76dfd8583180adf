import { says } from '@thole/testing';
import type { ResponseInputItem } from 'openai/resources/responses/responses';
import { describe, expect, it } from 'vitest';
import { messagesOf, openAiDemo } from './openai-client.ts';

const hello = { model: 'demo', input: 'Hello' };
const referenceTo = (id: string | undefined): ResponseInputItem => ({ type: 'item_reference', id: id! });
const user = (content: string): ResponseInputItem => ({ role: 'user', content });

describe('A reference to an item in POST /v1/responses', () => {
  it('continues the response with any of its items, which have different ids', async () => {
    const thought = { text: 'Hm.', thought: true };
    const answer = {
      content: { role: 'model' as const, parts: [thought, { text: 'One.' }, thought, { text: 'Or two.' }] },
    };
    for (const index of [0, 3]) {
      const { client, requests } = openAiDemo({ answers: [answer, says('Three.')] });
      const { output } = await client.responses.create(hello);
      expect(output.map(({ type }) => type)).toEqual(['reasoning', 'message', 'reasoning', 'message']);
      expect(new Set(output.map(({ id }) => id)).size).toBe(4);
      const input = [referenceTo(output[index]!.id), user('And then?')];
      await client.responses.create({ model: 'demo', input });
      expect(messagesOf(requests[1]!)[0]).toBe('user: Hello');
      expect(messagesOf(requests[1]!).at(-1)).toBe('user: And then?');
    }
  });

  it('is not used with previous_response_id', async () => {
    const { client, requests } = openAiDemo({ answers: [says('One.'), says('Two.'), says('Three.')] });
    const first = await client.responses.create(hello);
    const second = await client.responses.create({ ...hello, input: 'Good morning' });
    await client.responses.create({
      model: 'demo',
      input: [referenceTo(first.output[0]!.id), user('And then?')],
      previous_response_id: second.id,
    });
    expect(messagesOf(requests[2]!)).toEqual(['user: Good morning', 'model: Two.', 'user: And then?']);
  });
});
