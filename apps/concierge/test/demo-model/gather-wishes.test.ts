import { describe, expect, it } from 'vitest';
import { gatherWishes, statedIn } from '../../demo-model/gather-wishes.ts';
import { mergeFilters } from '../../demo-model/merge-filters.ts';
import type { Memory, Turn } from '../../demo-model/turn.ts';

const turnOf = (message: string, p: Partial<Turn> & { loaded?: Memory[] } = {}): Turn => ({
  message,
  earlier: [],
  quoted: [],
  today: '2026-11-22',
  tools: new Set(),
  answers: p.loaded ? [{ name: 'load_memory', response: JSON.parse(JSON.stringify({ memories: p.loaded })) }] : [],
  ...p,
});

describe('gatherWishes: filters', () => {
  it.each([
    ['I prefer rooms on high floors.', { floor: 'high' }, false],
    ['I always want a room with a view of the sea', { view: 'sea' }, false],
    [
      'I want a quiet room with a desk for at most 150 EUR a night',
      { features: ['quiet side', 'desk'], maxPrice: 150 },
      false,
    ],
    ['I always want a room with two desks', { features: ['desk'] }, true],
    ['I always want a room with a piano', {}, true],
    ['I always want a room with a view', {}, true],
    ['I hate balconies', { without: ['balcony'] }, false],
    ['I prefer rooms without a bathtub', { without: ['bathtub'] }, false],
    ['I never want the ground floor', { floor: 'high' }, false],
    ['I would prefer not to be on a high floor', { floor: 'low' }, false],
    ['I prefer high floors to low floors', { floor: 'high' }, false],
    ['I love a view over the lake', {}, true],
    ['I always want a room with a balcony to the garden', { features: ['balcony'], view: 'garden' }, false],
    ['I don’t like pianos', {}, true],
  ])('returns the filters of %j', (text, filters, hasLeftover) => {
    expect(gatherWishes(turnOf('Book me a room.', { earlier: [text] }))).toEqual([
      expect.objectContaining({ filters, hasLeftover }),
    ]);
  });

  it('keeps the words of the guest unchanged', () => {
    expect(statedIn('I always want a room with a No. 5 lamp & <blue> “curtains”!')).toEqual([
      { words: 'a room with a No. 5 lamp & <blue> “curtains”', isNegated: false },
    ]);
  });

  it('finds no wishes in questions, orders and small talk', () => {
    for (const text of ['What do I prefer?', 'Book me a room.', 'Hello!', 'I need help', 'I want to cancel.'])
      expect(statedIn(text)).toEqual([]);
  });

  it('reads the wishes of an order without its dates', () => {
    expect(gatherWishes(turnOf('Please book me a quiet room with a harp for two nights from 2026-12-01.'))).toEqual([
      {
        words: 'a quiet room with a harp',
        isNegated: false,
        source: 'message',
        filters: { features: ['quiet side'] },
        hasLeftover: true,
      },
    ]);
    for (const order of [
      'Book me a room like last time, please.',
      'Please book a room that I like for my next stay, from 2026-12-01 to 2026-12-03.',
      'Can I have my usual room?',
      'Book us another room, according to my preferences.',
      'I’ll take room 402 for a night.',
    ]) {
      expect(gatherWishes(turnOf(order)), order).toEqual([]);
    }
  });
});

describe('gatherWishes: sources', () => {
  it('uses the messages of the guest in memory, not the answers of the concierge', () => {
    const loaded = [
      { text: 'Thank you. I love pianos.', author: 'concierge' },
      { text: 'I love the sea.', author: 'user' },
      { text: 'I love balconies.' },
    ];
    expect(gatherWishes(turnOf('Book me a room.', { loaded })).map(({ words }) => words)).toEqual([
      'the sea',
      'balconies',
    ]);
  });

  it('uses memories that are quoted in the request, and each wish once', () => {
    const wishes = gatherWishes(
      turnOf('Book me a room.', {
        loaded: [{ text: 'I love the sea.', author: 'user' }],
        quoted: [
          { text: 'I love the sea.', author: 'user' },
          { text: 'I LOVE THE SEA', author: 'user' },
          { text: 'I love desks.', author: 'user' },
        ],
      }),
    );
    expect(wishes.map(({ words, source }) => [words, source])).toEqual([
      ['the sea', 'memory'],
      ['desks', 'memory'],
    ]);
  });

  it('prefers the newest of two contradicting wishes', () => {
    const wishes = gatherWishes(
      turnOf('Book me a room with a king bed.', {
        earlier: ['I prefer twin beds.'],
        loaded: [
          { text: 'I prefer low floors.', author: 'user', time: '2026-01-01T00:00:00Z' },
          { text: 'I prefer high floors and balconies.', author: 'user', time: '2026-02-01T00:00:00Z' },
          { text: 'I hate balconies.', author: 'user', time: '2026-01-01T00:00:00Z' },
        ],
      }),
    );
    expect(mergeFilters(wishes.map(({ filters }) => filters))).toEqual({
      bed: 'king',
      floor: 'high',
      features: ['balcony'],
    });
  });
});
