import { standardAnalyzer } from '@thole/recall';
import { expect, it } from 'vitest';
import { Authors } from '../../src/index/authors.ts';
import { readQuery } from '../../src/signals/read-query.ts';
import type { Query } from '../../src/signals/read-query.ts';

const analyzer = standardAnalyzer();
const authors = new Authors(analyzer);
const [user, concierge, waiter, ada, bob] = ['user', 'pool_concierge', 'waiter', 'Ada', 'Bob'].map((name) => {
  const author = authors.numberOf(name);
  authors.count(author, 0, name === 'user', 1);
  return author;
}) as [number, number, number, number, number];
authors.numberOf('Carol');

const read = (text: string, now?: number): Query => readQuery(text, { analyzer, authors, years: () => [2023], now });
const about = (text: string): number[] =>
  [user, concierge, waiter, ada, bob].filter((author) => read(text).isAbout?.(author));

it.each([
  ['What did Ada tell Bob?', ['Ada']],
  ["What is Bob's dog called?", ['Bob']],
  ['Where do I live?', ['user']],
  ['What is my sister called?', ['user']],
  ['What did you recommend?', ['pool_concierge', 'waiter', 'Ada', 'Bob']],
  ['Can you tell me what my room was?', ['user']],
  ['Do you remember where Bob went?', ['Bob']],
  ['Tell me where Bob went', ['Bob']],
  ['Where is the pool?', []],
  ['What did the waiter recommend?', ['waiter']],
  ['Which wine was it?', []],
])('knows who is asked about: %s', (text, names) => {
  expect(about(text).map((author) => authors.nameOf(author))).toEqual(names);
});

it('takes people’s names out of the words, unless nothing else is there, and leaves those of agents', () => {
  expect(read('Does Ada like the pool?').words).toEqual(['like', 'pool']);
  expect(read('Does Ada like the pool?').nameWords).toEqual(['ada']);
  expect(read('What about Ada?').words).toEqual(['ada']);
  expect(read('Does Carol like the pool?').words, 'she has no turn').toContain('carol');
});

it.each([
  ['When did Ada swim?', true, false],
  ['What year was it?', true, false],
  ['In which month was it?', true, false],
  ['What number was it?', false, true],
  ['How long did it take?', true, false],
  ['Do you remember when we met?', true, false],
  ['How many dogs are there?', false, true],
  ['Who came when it rained?', false, false],
])('knows what kind of answer is asked for: %s', (text, when, howMany) => {
  expect([read(text).asksWhen, read(text).asksHowMany]).toEqual([when, howMany]);
});

it('reads dates, those without a year in the years of the memory, and relative ones where the time is known', () => {
  expect(read('What happened on 7 May?').spans).toHaveLength(1);
  expect(read('What happened in autumn 2021?').spans, 'a year alone').toHaveLength(1);
  expect(read('What was said on 我today去?', 86_400 * 10.5).spans, 'among other letters').toHaveLength(1);
  expect(read('What did I say yesterday?').spans).toEqual([]);
  expect(read('What did I say yesterday?', 86_400 * 10.5).spans).toEqual([{ from: 9, to: 10 }]);
});
