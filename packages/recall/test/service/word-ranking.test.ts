import type { MemoryEntry } from '@thole/core';
import { wordRanking } from '@thole/recall';
import type { WordRankingOptions } from '@thole/recall';
import { describe, expect, it } from 'vitest';
import { chatTuning } from '../../src/signals/signals.ts';

const scope = { appName: 'hotel', userId: 'alice' };

function turn(id: number, author: string, text: string, sessionId = 's'): MemoryEntry {
  return { id: `t${id}`, kind: 'turn', content: { parts: [{ text }] }, author, timestamp: id * 60, sessionId };
}

const talk = [
  turn(1, 'concierge', 'What would you like for breakfast?'),
  turn(2, 'user', 'Porridge, please.'),
  turn(3, 'user', 'And a newspaper.'),
  turn(4, 'user', 'My breakfast was late.', 'another'),
];

async function search(query: string, options: WordRankingOptions = {}): Promise<{ id: string; signals: string[] }[]> {
  const index = wordRanking(options).createIndex(scope);
  for (const entry of talk) index.put(entry);
  const found = await index.rank(query, { limit: 10, explain: true });
  return found.map(({ id, explanation }) => ({ id, signals: Object.keys(explanation!) }));
}

describe('wordRanking', () => {
  it('explains each result with explain', async () => {
    const found = new Map((await search('When was my breakfast?')).map(({ id, signals }) => [id, signals]));
    expect(found.get('t4')).toEqual(['ownWords', 'neighbourhood', 'session', 'askedAbout']);
    expect(found.get('t2')).toEqual(['neighbourhood', 'session', 'askedAbout', 'answer']);
    expect(found.get('t1')).toContain('isQuestion');
  });

  it('returns no explanation without explain', async () => {
    const index = wordRanking().createIndex(scope);
    for (const entry of talk) index.put(entry);
    const [first] = await index.rank('breakfast', { limit: 1 });
    expect(Object.keys(first!)).toEqual(['id', 'score', 'relevance']);
  });

  it('uses the given weights, and the published ones for other signals', async () => {
    const alone = { weights: { neighbourhood: 0, session: 0, answer: 0 } };
    expect((await search('breakfast', { chat: alone })).map(({ id }) => id).sort()).toEqual(['t1', 't4']);
    expect((await search('breakfast', { messages: alone })).length).toBeGreaterThan(2);
    expect(chatTuning.weights.neighbourhood).toBe(0.65);
  });

  it('uses the tuning for long messages if turns are longer than chatLength', async () => {
    const signalsOf = (found: { signals: string[] }[]): string[] =>
      [...new Set(found.flatMap(({ signals }) => signals))].sort();
    expect(signalsOf(await search('breakfast', { chatLength: 0 }))).not.toContain('neighbourhood');
    expect(signalsOf(await search('breakfast', { chatLength: 40 }))).toContain('neighbourhood');
  });

  it('yields once in warmUp for the query, and for each frequent word and time in it', async () => {
    const index = wordRanking().createIndex(scope);
    const numbers = Array.from({ length: 20 }, (_, i) => 4_711 + i).join(' ');
    for (let i = 0; i < 250; i++) index.put(turn(i, 'user', i === 0 ? `Porridge ${numbers}.` : `Rooms ${numbers}.`));
    const now = 20 * 86_400;
    const stepsOf = (query: string): number => [...index.warmUp!(query, { limit: 3, now })].length;
    expect(stepsOf('porridge')).toBe(1);
    expect(stepsOf('porridge 4711')).toBe(2);
    expect(stepsOf('What did I eat yesterday, porridge?')).toBe(2);
    expect(stepsOf('What did I eat yesterday in 4711?')).toBe(3);
    expect(stepsOf(numbers)).toBe(1 + 8);
  });

  it('returns the same results with and without preparation of the first search', async () => {
    const query = 'What did I drink with milk yesterday?';
    const [prepared, other] = [0, 1].map(() => {
      const index = wordRanking().createIndex(scope);
      for (let i = 0; i < 250; i++) index.put(turn(i * 999, i % 2 ? 'user' : 'concierge', `Milk with ${i % 7} teas.`));
      return index;
    });
    const p = { limit: 20, now: 86_400 * 2, explain: true };
    // Another search may end the steps early.
    prepared!.warmUp!(query, p).next();
    for (const _ of prepared!.warmUp!(query, p)) prepared!.put(turn(7, 'user', 'Milk again.'));
    other!.put(turn(7, 'user', 'Milk again.'));
    expect(await prepared!.rank(query, p)).toEqual(await other!.rank(query, p));
  });

  it.each([
    [{ chatLength: -1 }, 'chatLength'],
    [{ chatLength: '5' }, 'chatLength'],
    [{ analyzer: {} }, 'analyzer'],
    [{ analyzer: null }, 'analyzer'],
    [{ chat: null }, 'chat'],
    [{ chat: { weights: { ownWords: NaN } } }, 'chat.weights.ownWords must be a finite number, got a number.'],
    [{ chat: { weights: { loudness: 1 } } }, 'loudness'],
    [{ messages: { bm25: { b: 2 } } }, 'messages.bm25'],
    [{ messages: { bm25: { k1: 0 } } }, 'messages.bm25'],
    [{ chat: { weight: {} } }, 'weight'],
  ])('rejects the options %j with INVALID_INPUT', (options, name) => {
    expect(() => wordRanking(options as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(name) }),
    );
  });
});
