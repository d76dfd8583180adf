import { TholeError } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { chunk } from '../fixtures/chat-servers.ts';
import { readStream, readWhole, textsOf } from './read-answers.ts';

describe('readChatStream', () => {
  it('ignores unknown members and keeps known ones next to them', async () => {
    const unusual = [
      null,
      5,
      'x',
      {},
      { choices: null },
      { choices: [] },
      { choices: [null] },
      { choices: [{ index: 0 }] },
    ];
    const { final } = await readStream([
      ...unusual,
      chunk({ content: 'Hi', future: { x: 1 } }, null, { future_frame: 7 }),
      { choices: [{ index: 1, delta: { content: 'second choice' } }] },
      chunk({}, 'stop'),
    ]);
    expect(textsOf(final.content?.parts)).toBe('Hi');
    expect(final.customMetadata).toMatchObject({ future_frame: 7, message: { future: { x: 1 } } });
  });

  it('accepts chunks without a role, and a complete message instead of a delta', async () => {
    const message = { content: 'Hi' };
    const { partials, final } = await readStream([{ choices: [{ index: 0, message, finish_reason: 'stop' }] }]);
    expect(textsOf(partials)).toBe('Hi');
    expect(final.content).toEqual({ role: 'model', parts: [{ text: 'Hi' }] });
    const repeated = await readStream([
      chunk({ content: 'Hi' }),
      { choices: [{ index: 0, message, finish_reason: 'stop' }] },
    ]);
    expect(repeated.final.content).toEqual(final.content);
  });

  it('returns a final response without parts, with the reason, for an empty answer', async () => {
    const { partials, final } = await readStream([chunk({ role: 'assistant', content: '' }), chunk({}, 'stop')]);
    expect(partials).toEqual([]);
    expect(final).toMatchObject({ finishReason: 'STOP' });
    expect(final).not.toHaveProperty('content');
  });

  it('returns an unknown reason unchanged, and ignores an empty one', async () => {
    expect((await readStream([chunk({ content: 'a' }, 'cosmic_ray')])).final.finishReason).toBe('cosmic_ray');
    await expect(readStream([chunk({ content: 'a' }, '')])).rejects.toMatchObject({ code: 'MODEL_INCOMPLETE' });
    expect((await readStream([chunk({ content: 'a' }, 'length')])).final.finishReason).toBe('MAX_TOKENS');
  });

  it('throws an error in any place of a chunk', async () => {
    const errors = [
      { object: 'error', message: 'out of memory', type: 'InternalServerError', code: 500 },
      { error: 'boom, try again later' },
      { choices: [{ index: 0, delta: {}, finish_reason: 'error', error: { code: 429, message: 'slow down' } }] },
    ];
    const codes = ['MODEL_UNAVAILABLE', 'MODEL_OVERLOADED', 'MODEL_RATE_LIMITED'];
    for (const [i, error] of errors.entries()) {
      await expect(readStream([chunk({ content: 'a' }), error])).rejects.toMatchObject({ code: codes[i] });
    }
    await expect(readStream([chunk({ content: 'a' }, 'abort')])).rejects.toMatchObject({ code: 'MODEL_INCOMPLETE' });
  });

  it('returns the final response if the connection breaks after the finish reason', async () => {
    const complete = [chunk({ content: 'Hi' }), chunk({}, 'stop')];
    const { final } = await readStream(complete, { error: new TypeError('terminated') });
    expect(final).toMatchObject({ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' });
    const cutOff = readStream(complete.slice(0, 1), { error: new TypeError('terminated') });
    await expect(cutOff).rejects.toThrow('terminated');
    const counted = [chunk({ content: 'Hi' }), { choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } }];
    await expect(readStream(counted, { error: new TypeError('terminated') })).rejects.toThrow('terminated');
    const failed = Object.assign(new Error('failed'), { error: { message: 'overloaded', code: 529 } });
    await expect(readStream(complete, { error: failed })).rejects.toBe(failed);
  });

  it('returns the final response if the connection stays open and silent after the finish reason', async () => {
    const complete = [chunk({ content: 'Hi' }), chunk({}, 'stop')];
    const silence = new TholeError('MODEL_TIMEOUT', 'The server sent nothing.');
    const { final } = await readStream(complete, { error: silence });
    expect(final).toMatchObject({ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' });
    await expect(readStream(complete.slice(0, 1), { error: silence })).rejects.toBe(silence);
  });

  it('returns a block that the server reports within the stream as the final response', async () => {
    const usage = { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 };
    const error = { code: 'content_filter', message: 'filtered' };
    const blocked = {
      content: { parts: [{ text: 'Well,' }] },
      finishReason: 'SAFETY',
      errorCode: 'MODEL_BLOCKED',
      errorMessage: expect.stringContaining('filtered'),
    };
    const { partials, final } = await readStream([chunk({ content: 'Well,' }), { error, usage }]);
    expect(textsOf(partials)).toBe('Well,');
    expect(final).toMatchObject({ ...blocked, usageMetadata: { promptTokenCount: 5, totalTokenCount: 6 } });
    // The SDK throws such a chunk.
    const thrown = Object.assign(new Error('filtered'), { error });
    expect((await readStream([chunk({ content: 'Well,' })], { error: thrown })).final).toMatchObject(blocked);
  });

  it('reads a complete message after its pieces only once', async () => {
    const call = { index: 0, id: 'a', function: { name: 'f', arguments: '{"x":1}' } };
    const { final } = await readStream([
      chunk({ tool_calls: [call] }),
      { choices: [{ index: 0, message: { content: null, tool_calls: [call] }, finish_reason: 'tool_calls' }] },
    ]);
    expect(final.content?.parts).toEqual([{ functionCall: { id: 'a', name: 'f', args: { x: 1 } } }]);
  });

  it('returns no usage if the server sends none', async () => {
    const { final } = await readStream([chunk({ content: 'a' }), chunk({}, 'stop', { usage: null })]);
    expect(final).not.toHaveProperty('usageMetadata');
  });

  it('returns thoughts once if a server sends them under two names', async () => {
    const { final } = await readStream([
      chunk({ reasoning: 'hm', reasoning_content: 'hm' }),
      chunk({ content: 'a' }, 'stop'),
    ]);
    expect(final.content?.parts?.[0]).toMatchObject({ text: 'hm', thought: true });
  });
});

describe('fromChatResponse', () => {
  it('accepts null, a list and a text as content, and function_call as a call', () => {
    const parts = (message: object) => readWhole({ choices: [{ message, finish_reason: 'stop' }] }).content?.parts;
    expect(parts({ content: null })).toBeUndefined();
    expect(parts({ content: ['a', { type: 'text', text: 'b' }] })).toEqual([{ text: 'ab' }]);
    expect(parts({ content: null, function_call: { name: 'f', arguments: '{"x":1}' } })).toEqual([
      { functionCall: { name: 'f', args: { x: 1 } } },
    ]);
  });

  it('returns each call of a body, also without ids, with one id and without arguments', () => {
    const calls = (...entries: object[]): unknown =>
      readWhole({
        choices: [{ message: { content: null, tool_calls: entries }, finish_reason: 'tool_calls' }],
      }).content?.parts?.map(({ functionCall }) => functionCall);
    const functionOf = (args: string): object => ({ function: { name: 'f', arguments: args } });
    expect(calls({ id: 'a', ...functionOf('{"x":1}') }, { id: 'a', ...functionOf('{"x":2}') })).toEqual([
      { id: 'a', name: 'f', args: { x: 1 } },
      { name: 'f', args: { x: 2 } },
    ]);
    const empty = { name: 'f', args: {} };
    expect(calls(functionOf(''), functionOf(''))).toEqual([empty, empty]);
    expect(calls({ index: 0, ...functionOf('') }, { index: 0, ...functionOf('') })).toEqual([empty, empty]);
  });

  it('returns a block in a body with status 200 as the final response with its usage', () => {
    const usage = { prompt_tokens: 5, completion_tokens: 0, total_tokens: 5 };
    expect(readWhole({ error: { code: 'content_filter', message: 'filtered' }, usage })).toMatchObject({
      finishReason: 'SAFETY',
      errorCode: 'MODEL_BLOCKED',
      usageMetadata: { promptTokenCount: 5, totalTokenCount: 5 },
    });
  });

  it('throws the error in a body with status 200', () => {
    expect(() => readWhole({ error: { message: 'no', code: 401 } })).toThrow(
      expect.objectContaining({ code: 'MODEL_AUTH' }),
    );
    expect(() => readWhole({ detail: 'Not Found' })).toThrow(expect.objectContaining({ code: 'MODEL_BAD_REQUEST' }));
    expect(() => readWhole('<html></html>')).toThrow(expect.objectContaining({ code: 'MODEL_PROTOCOL' }));
    expect(() => readWhole('')).toThrow('the body is not an answer of its API: it is empty.');
    expect(() => readWhole({ choices: [{ error: { code: 502, message: 'bad gateway' } }] })).toThrow(
      expect.objectContaining({ code: 'MODEL_UNAVAILABLE' }),
    );
  });

  it('returns a final response without parts if there are no choices', () => {
    expect(readWhole({ id: 'x', model: 'm-1', choices: [] })).toEqual({
      modelVersion: 'm-1',
      customMetadata: { responseId: 'x' },
    });
  });
});
