import type { Content, Part } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { toAnthropicMessages } from '../src/to-anthropic-messages.ts';

const endpoint = { name: 'anthropic' };
const messages = (...contents: Content[]) => toAnthropicMessages(contents, { endpoint, hasCitations: false });
const user = (...parts: Part[]): Content => ({ role: 'user', parts });
const model = (...parts: Part[]): Content => ({ role: 'model', parts });
const call = (id: string, args = {}): Part => ({ functionCall: { id, name: 'look', args } });
const answer = (id: string, response = {}): Part => ({ functionResponse: { id, name: 'look', response } });
const markOf = (block: object): Part['partMetadata'] => ({ provider: 'anthropic', block: block as never });
const PNG = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } };

describe('toAnthropicMessages', () => {
  it('joins contents of one role, and leaves out blank texts and thoughts of others', () => {
    const sent = messages(
      user({ text: 'a' }),
      user({ text: ' ' }, { text: 'b' }),
      model({ text: 'x', thought: true }, { text: 'c' }),
      user({ text: 'd' }),
    );
    expect(sent).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'c' }] },
      { role: 'user', content: [{ type: 'text', text: 'd' }] },
    ]);
  });

  it('leaves out images that are thoughts', () => {
    const sent = messages(user({ text: 'a' }), model({ ...PNG, thought: true }, { text: 'b' }), user({ text: 'c' }));
    expect(JSON.stringify(sent)).not.toMatch(/image|Files/);
  });

  it('begins and ends with a message of the user', () => {
    expect(messages(model({ text: 'Hi.' })).map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(messages()).toHaveLength(1);
  });

  it('sends all answers of parallel calls first in the next message, also late and pending ones', () => {
    const sent = messages(
      user({ text: 'go' }),
      model(call('a'), call('b'), call('c')),
      user({ text: 'quick' }, answer('b', { n: 2 })),
      user(answer('a', { error: 'No.' })),
    );
    expect(sent[2]).toEqual({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: '{"error":"No."}', is_error: true },
        { type: 'tool_result', tool_use_id: 'b', content: '{"n":2}' },
        { type: 'tool_result', tool_use_id: 'c', content: expect.stringContaining('pending') },
        { type: 'text', text: 'quick' },
      ],
    });
    expect(sent).toHaveLength(3);
  });

  it('does not mark an error with an image, because the API rejects it', () => {
    const failed = { functionResponse: { id: 'a', name: 'look', response: { error: 'No.' }, parts: [PNG] } };
    const [result] = messages(user({ text: 'go' }), model(call('a')), user(failed))[2]!['content'] as object[];
    expect(result).toMatchObject({ type: 'tool_result', content: [{ type: 'text' }, { type: 'image' }] });
    expect(result).not.toHaveProperty('is_error');
  });

  it('sends call ids that the API accepts and that are unique', () => {
    const sent = messages(
      user({ text: 'go' }),
      model(call('a b'), call('x'), call('x')),
      user(answer('a b'), answer('x'), answer('x')),
    );
    const ids = (sent[1]!['content'] as { id: string }[]).map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[\w-]+$/);
    expect((sent[2]!['content'] as { tool_use_id: string }[]).map(({ tool_use_id }) => tool_use_id)).toEqual(ids);
  });

  it('sends an answer without its call as text, and broken arguments as the API documents', () => {
    const broken: Part = { functionCall: { id: 'a', name: 'look', args: {}, brokenArgs: '{"x":' } };
    const sent = messages(user(answer('z', { n: 1 })), model(broken), user(answer('a')));
    expect(sent[0]!['content']).toEqual([{ type: 'text', text: 'look returned {"n":1}' }]);
    expect(sent[1]!['content']).toMatchObject([{ input: { INVALID_JSON: '{"x":' } }]);
  });

  it('sends images and documents of messages and of answers', () => {
    const pdf = { inlineData: { mimeType: 'application/pdf', data: 'JVBERi0=', displayName: 'Menu' } };
    const image = { fileData: { fileUri: 'https://x.example/a.png' } };
    const stored = { fileData: { fileUri: 'file_011C', mimeType: 'application/pdf' } };
    const text = { inlineData: { mimeType: 'text/csv', data: btoa('a,b') } };
    const withFile: Part = {
      functionResponse: {
        id: 'a',
        name: 'look',
        response: { ok: true },
        parts: [PNG, { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } }],
      },
    };
    const sent = messages(user(pdf, image, stored, text), model(call('a')), user(withFile));
    expect(sent[0]!['content']).toEqual([
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' }, title: 'Menu' },
      { type: 'image', source: { type: 'url', url: 'https://x.example/a.png' } },
      { type: 'document', source: { type: 'file', file_id: 'file_011C' } },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a,b' } },
    ]);
    expect(sent[2]!['content']).toEqual([
      {
        type: 'tool_result',
        tool_use_id: 'a',
        content: [
          { type: 'text', text: '{"ok":true}' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
          { type: 'text', text: expect.stringContaining('audio/wav') },
        ],
      },
    ]);
  });

  it.each([
    ['audio', { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } }],
    ['a file without https', { fileData: { fileUri: 'gs://b/a.pdf', mimeType: 'application/pdf' } }],
    ['an HTML page', { fileData: { fileUri: 'https://x.example/a', mimeType: 'text/html' } }],
  ])('rejects %s in the newest message', (_, part) => {
    expect(() => messages(user(part))).toThrow(/Claude does not accept this file of type/);
    expect(messages(user(part), model({ text: 'No.' }), user({ text: 'ok' }))[0]!['content']).toMatchObject([
      { type: 'text', text: expect.stringContaining('is not shown') },
    ]);
  });

  it('sends bytes as standard base64, and rejects an empty file in the newest message', () => {
    const image = (data: string): Part => ({ inlineData: { mimeType: 'image/png', data } });
    expect(messages(user(image('_-8'), image('iVBO\nRw0K\n')))[0]!['content']).toMatchObject([
      { source: { data: '/+8=' } },
      { source: { data: 'iVBORw0K' } },
    ]);
    expect(() => messages(user(image('')))).toThrow('Claude does not accept this empty file of type image/png');
    expect(messages(user(image('')), user({ text: 'ok' }))[0]!['content']).toMatchObject([
      { type: 'text', text: expect.stringContaining('is not shown') },
      { text: 'ok' },
    ]);
  });

  it.each([
    ['functions.look', 'functions_look'],
    ['', '_'],
    ['x'.repeat(200), 'x'.repeat(64)],
  ])('changes the name of a call that the API would reject: %j', (name, sent) => {
    const contents = [user({ text: 'go' }), model({ functionCall: { id: 'a', name, args: {} } }), user(answer('a'))];
    expect(messages(...contents)[1]!['content']).toEqual([{ type: 'tool_use', id: 'a', name: sent, input: {} }]);
  });

  it('sends images of the model in a message of the user, after the answers to its calls', () => {
    const sent = messages(user({ text: 'Draw.' }), model(PNG, call('a')), user(answer('a'), { text: 'Nice.' }));
    expect((sent[2]!['content'] as { type: string }[]).map(({ type }) => type)).toEqual([
      'tool_result',
      'text',
      'image',
      'text',
    ]);
  });
});

describe('parts of the same endpoint', () => {
  it('are sent back as their original blocks', () => {
    const thinking: Part = {
      text: 'Hm.',
      thought: true,
      thoughtSignature: 'c2ln',
      partMetadata: { provider: 'anthropic' },
    };
    const redacted = { type: 'redacted_thinking', data: 'ZW5j' };
    const use = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } };
    const result = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };
    const citations = [{ type: 'web_search_result_location', url: 'https://x.example', encrypted_index: 'e' }];
    const parts: Part[] = [
      thinking,
      { text: '', thought: true, partMetadata: markOf(redacted) },
      { text: '', partMetadata: markOf(use) },
      { text: '', partMetadata: markOf(result) },
      { text: 'So.', partMetadata: markOf({ type: 'text', citations }) },
      { ...call('a'), partMetadata: markOf({ caller: { type: 'code_execution_20250825', tool_id: 't' } }) },
    ];
    expect(messages(user({ text: 'go' }), model(...parts))[1]!['content']).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
      redacted,
      use,
      result,
      { type: 'text', text: 'So.', citations },
      { type: 'tool_use', id: 'a', name: 'look', input: {}, caller: { type: 'code_execution_20250825', tool_id: 't' } },
    ]);
    const elsewhere = toAnthropicMessages([user({ text: 'go' }), model(...parts)], {
      endpoint: { name: 'anthropic:bedrock' },
      hasCitations: false,
    });
    expect(elsewhere[1]!['content']).toEqual([
      { type: 'text', text: 'So.' },
      { type: 'tool_use', id: 'a', name: 'look', input: {} },
    ]);
  });

  it('are left out if the call or the result of a tool that Anthropic ran is missing', () => {
    const use = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} };
    const result = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_2', content: [] };
    const parts: Part[] = [
      { text: '', partMetadata: markOf(use) },
      { text: '', partMetadata: markOf(result) },
      { text: 'So.' },
    ];
    expect(messages(user({ text: 'go' }), model(...parts))[1]!['content']).toEqual([{ type: 'text', text: 'So.' }]);
  });

  it('with code of other providers are sent as text', () => {
    const parts: Part[] = [
      { executableCode: { code: 'print(1)', language: 'PYTHON' } },
      { codeExecutionResult: { output: '1' } },
    ];
    expect(messages(user({ text: 'go' }), model(...parts))[1]!['content']).toEqual([
      { type: 'text', text: '```python\nprint(1)\n```' },
      { type: 'text', text: '```\n1\n```' },
    ]);
  });
});
