import { describe, expect, it } from 'vitest';
import { packMemory, quoteMemory } from '@thole/core/kit';
import type { JsonObject } from '@thole/core';

import { quotedMemories } from '../../page/inspector/memory/quoted-memories.ts';
import { recallsOf } from '../../page/inspector/memory/recalled.ts';
import { event } from './events.ts';

const call = (query: string, id = 'c') =>
  event({ id: 'asks', parts: [{ functionCall: { id, name: 'load_memory', args: { query } } }] });
const answer = (response: JsonObject, name = 'load_memory') =>
  event({ id: 'answer', parts: [{ functionResponse: { id: 'c', name, response } }] });

describe('recallsOf', () => {
  it('returns the results of load_memory with relevance and score, and the query', () => {
    const memories = [
      { text: 'High floors.', author: 'user', time: '2020-01-01T00:00:00Z', relevance: 0.7, score: 0.9 },
    ];
    expect(recallsOf([call('rooms'), answer({ memories })])).toEqual([
      {
        id: 'answer c',
        by: 'load_memory',
        query: 'rooms',
        eventId: 'answer',
        memories: [{ ...memories[0], ended: false }],
      },
    ]);
  });

  it('distinguishes a search without results from a failed search', () => {
    expect(recallsOf([answer({ memories: [] })])).toMatchObject([{ memories: [] }]);
    expect(recallsOf([answer({ error: 'Memory is not configured.' })])).toMatchObject([
      { memories: [], problem: 'Memory is not configured.' },
    ]);
  });

  it('recognizes every tool that returns memories, and no other tool', () => {
    expect(recallsOf([answer({ memories: [{ text: 'x' }] }, 'my_memory')])).toHaveLength(1);
    expect(recallsOf([answer({ rooms: [] }, 'book')])).toEqual([]);
  });

  it('returns memories that were quoted before the message first', () => {
    const contents = [{ role: 'user' as const, parts: [{ text: quoteMemory('- user: Likes tea.') }] }];
    expect(recallsOf([answer({ memories: [] })], contents).map(({ by }) => by)).toEqual([
      'preload_memory',
      'load_memory',
    ]);
  });
});

describe('quotedMemories', () => {
  it('reads the quotes of preload_memory: author, time, lines, tags and ended facts', () => {
    const memories = [
      { text: 'I like <b>high</b> floors & tea.\nAlways: yes.', author: 'user', timestamp: 1_600_000_000 },
      { text: 'Lives in Rome.', author: 'user', timestamp: 1_600_000_001, validTo: 1_600_000_002 },
      { text: 'Nobody said this.', author: undefined, timestamp: undefined },
    ];
    const block = packMemory(
      memories.map(({ text, ...rest }, i) => ({
        id: String(i),
        kind: 'turn',
        content: { parts: [{ text }] },
        ...rest,
      })),
      { limit: 10, maxTokens: 1_000, now: 1_700_000_000 },
    );
    const read = quotedMemories(`Before.\n${block}\nAfter.`);
    expect(
      read.map(({ text, author, ended }) => ({ text, author, ended })).sort((a, b) => (a.text < b.text ? -1 : 1)),
    ).toEqual([
      { text: memories[0]!.text, author: 'user', ended: false },
      { text: 'Lives in Rome.', author: 'user', ended: true },
      { text: 'Nobody said this.', author: undefined, ended: false },
    ]);
    expect(Date.parse(read.find(({ author }) => author)!.time!)).toBe(1_600_000_000_000);
  });

  it('returns an empty list if no memory is quoted', () => {
    expect(quotedMemories('- a list\n- of things')).toEqual([]);
  });
});
