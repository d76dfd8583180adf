import { describe, expect, it } from 'vitest';
import type { LlmRequest } from '@thole/core';
import { quoteMemory } from '@thole/core/kit';
import { eventFinder } from '../../page/inspector/request/event-finder.ts';
import { readRequest } from '../../page/inspector/request/read-request.ts';
import { requestParts, totalTokens } from '../../page/inspector/request/request-parts.ts';
import { event } from './events.ts';

const content = (role: 'user' | 'model', text: string): LlmRequest['contents'][number] => ({ role, parts: [{ text }] });

describe('requestParts', () => {
  it('returns the origin of each content: history, memory, this message, a tool', () => {
    const request: LlmRequest = {
      config: {},
      contents: [
        content('user', 'Hello.'),
        content('model', 'Hi!'),
        content('user', quoteMemory('- user: likes tea')),
        content('user', 'Book a room.'),
        { role: 'model', parts: [{ functionCall: { id: 'c', name: 'book', args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { id: 'c', name: 'book', response: { room: 12 } } }] },
      ],
    };
    expect(requestParts(request).map(({ origin }) => origin)).toEqual([
      'history',
      'history',
      'memory',
      'message',
      'history',
      'tool',
    ]);
  });

  it('marks an answer of load_memory as memory', () => {
    const parts = requestParts({
      config: {},
      contents: [{ role: 'user', parts: [{ functionResponse: { name: 'load_memory', response: { memories: [] } } }] }],
    });
    expect(parts[0]).toMatchObject({ origin: 'memory', note: 'answer of load_memory' });
  });

  it('returns the answers of several tools in one content as separate parts', () => {
    const answer = (id: string, name: string) => ({ functionResponse: { id, name, response: {} } });
    const contents = [{ role: 'user' as const, parts: [answer('1', 'load_memory'), answer('2', 'book')] }];
    expect(requestParts({ config: {}, contents })).toMatchObject([
      { id: 'content:0:0', origin: 'memory' },
      { id: 'content:0:1', origin: 'tool', note: 'answer of book' },
    ]);
  });

  it('marks earlier answers of tools as history', () => {
    const contents = [
      { role: 'user' as const, parts: [{ functionResponse: { name: 'book', response: {} } }] },
      content('user', 'Thanks. Now dinner.'),
    ];
    expect(requestParts({ config: {}, contents })).toMatchObject([
      { origin: 'history', note: 'answer of book, earlier' },
      { origin: 'message' },
    ]);
  });

  it('does not mark texts of another agent as the message', () => {
    const contents = [
      content('user', 'Plan my day.'),
      { role: 'user' as const, parts: [{ text: 'Context, from another agent:' }, { text: '[planner] said: Done.' }] },
    ];
    expect(requestParts({ config: {}, contents })).toMatchObject([
      { origin: 'message' },
      { origin: 'history', note: 'said by another agent' },
    ]);
  });

  it('returns instruction, each tool and the settings separately', () => {
    const parts = requestParts({
      config: {
        systemInstruction: 'Be kind.',
        tools: [{ functionDeclarations: [{ name: 'a' }, { name: 'b', description: 'B.' }] }, { googleSearch: {} }],
        temperature: 0,
      },
      contents: [],
    });
    expect(parts.map(({ id }) => id)).toEqual(['instruction', 'tool:a', 'tool:b', 'tool:googleSearch', 'settings']);
  });

  it('leaves out a missing instruction and missing settings', () => {
    expect(requestParts({ config: {}, contents: [] })).toEqual([]);
  });

  it('counts four characters as a token, and no tokens for an image', () => {
    const parts = requestParts({
      config: { systemInstruction: 'x'.repeat(40) },
      contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] }],
    });
    expect(parts.map(({ tokens }) => tokens)).toEqual([10, undefined]);
    expect(totalTokens(parts)).toBe(10);
  });
});

describe('eventFinder', () => {
  it('finds calls and answers by id, and texts by content and order', () => {
    const find = eventFinder([
      event({ id: 'one', author: 'user', text: 'Again.' }),
      event({ id: 'two', parts: [{ functionCall: { id: 'c', name: 'f', args: {} } }] }),
      event({ id: 'three', parts: [{ functionResponse: { id: 'c', name: 'f', response: {} } }] }),
      event({ id: 'four', author: 'user', text: 'Again.' }),
    ]);
    expect(find(content('user', 'Again.'))).toBe('one');
    expect(find({ role: 'model', parts: [{ functionCall: { id: 'c', name: 'f', args: { changed: true } } }] })).toBe(
      'two',
    );
    expect(find({ role: 'user', parts: [{ functionResponse: { id: 'c', name: 'f', response: {} } }] })).toBe('three');
    expect(find(content('user', 'Again.'))).toBe('four');
    expect(find(content('user', 'Never said.'))).toBeUndefined();
  });
});

describe('readRequest', () => {
  it('returns the request of a span', () => {
    const request = { model: 'm', contents: [], config: { temperature: 1 } };
    expect(readRequest({ 'gcp.vertex.agent.llm_request': JSON.stringify(request) })).toEqual(request);
  });

  it('returns undefined for missing, incomplete and other data', () => {
    for (const json of ['', '{}', '{"contents":[', '[]', 'null', '7', undefined])
      expect(readRequest(json === undefined ? {} : { 'gcp.vertex.agent.llm_request': json })).toBeUndefined();
    expect(readRequest(undefined)).toBeUndefined();
  });

  it('reads a request without a config as one with an empty config', () => {
    expect(readRequest({ 'gcp.vertex.agent.llm_request': '{"contents":[]}' })).toEqual({ contents: [], config: {} });
  });
});
