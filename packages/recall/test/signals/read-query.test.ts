import { standardAnalyzer } from '@thole/recall';
import { describe, expect, it } from 'vitest';
import { Authors } from '../../src/index/authors.ts';
import { readQuery } from '../../src/signals/read-query.ts';
import type { Query } from '../../src/signals/read-query.ts';

const analyzer = standardAnalyzer();
const authors = new Authors(analyzer);
const [, , waiter, ada, bob] = ['user', 'pool_concierge', 'waiter', 'Ada', 'Bob'].map((name) => {
  const author = authors.numberOf(name);
  authors.count(author, 0, name === 'user', 1);
  return author;
}) as [number, number, number, number, number];
authors.numberOf('Carol');

const read = (text: string, p: { day?: number; isChat?: boolean } = {}): Query =>
  readQuery(text, {
    analyzer,
    authors,
    years: () => [2023],
    today: p.day === undefined ? undefined : { day: p.day },
    isChat: p.isChat ?? true,
  });
const subjects = new Map<unknown, string>([
  [waiter, 'waiter'],
  [ada, 'Ada'],
  [bob, 'Bob'],
]);
const subjectOf = (text: string, isChat: boolean): unknown => {
  const { subject } = read(text, { isChat });
  return subjects.get(subject) ?? subject;
};

describe('Subject of readQuery', () => {
  it.each([
    ['What did Ada tell Bob?', 'Ada'],
    ["What is Bob's dog called?", 'Bob'],
    ['Where do I live?', 'user'],
    ['What is my sister called?', 'user'],
    ['What did you recommend?', 'others'],
    ['What did you recommend when I was in Rome?', 'others'],
    ['Which of your tips did I follow?', 'user'],
    ['Can you tell me what my room was?', 'user'],
    ['Do you remember where Bob went?', 'Bob'],
    ['Tell me where Bob went', 'Bob'],
    ['What did the waiter recommend?', 'waiter'],
    ['Which wine from your list was mine?', 'user'],
    ['your list or my list', 'others'],
    ['Where is the pool?', undefined],
    ['Which wine was it?', undefined],
  ])('is found in a chat: %s', (text, subject) => {
    expect(subjectOf(text, true)).toBe(subject);
  });

  it.each([
    ['your list or my list', 'user'],
    ['Where is the pool?', 'user'],
    ['What did you recommend?', 'others'],
  ])('is the user in long messages if the text does not decide: %s', (text, subject) => {
    expect(subjectOf(text, false)).toBe(subject);
  });
});

describe('Words of readQuery', () => {
  it('do not include names of authors unless the query has no other words', () => {
    expect(read('Does Ada like the pool?').words).toEqual(['like', 'pool']);
    expect(read('Does Ada like the pool?').nameWords).toEqual(['ada']);
    expect(read('What about Ada?').words).toEqual(['ada']);
    expect(read('Does Carol like the pool?').words, 'Carol has no turn').toContain('carol');
  });
});

describe('asksWhen and asksHowMany of readQuery', () => {
  it.each([
    ['When did Ada swim?', true, false],
    ['What year was it?', true, false],
    ['In which month was it?', true, false],
    ['What number was it?', false, true],
    ['How long did it take?', true, false],
    ['Do you remember when we met?', true, false],
    ['How many dogs are there?', false, true],
    ['Who came when it rained?', false, false],
  ])('detect questions about times and numbers: %s', (text, when, howMany) => {
    expect([read(text).asksWhen, read(text).asksHowMany]).toEqual([when, howMany]);
  });
});

describe('Spans of readQuery', () => {
  it('are read from dates; dates without a year are in the years of the memory', () => {
    expect(read('What happened on 7 May?').spans).toHaveLength(1);
    expect(read('What happened in autumn 2021?').spans, 'a year alone').toHaveLength(1);
  });

  it('are read from relative dates in questions about the past if today is known', () => {
    expect(read('What did I say yesterday?').spans).toEqual([]);
    expect(read('What did I say yesterday?', { day: 10 }).spans).toEqual([{ from: 9, to: 10 }]);
    expect(read('Remind me what we said yesterday', { day: 10 }).spans).toEqual([{ from: 9, to: 10 }]);
    expect(read('What was said on 我yesterday去?', { day: 10 }).spans, 'between other letters').toHaveLength(1);
  });

  it.each([
    'Where did Bob buy the lamp? today',
    'What did Ada say about the pool this week?',
    'I went swimming yesterday, and now my back hurts.',
    'What should I do after what happened yesterday, and tomorrow?',
  ])('are not read from relative dates that end today or later, or in other texts: %s', (text) => {
    expect(read(text, { day: 10 }).spans).toEqual([]);
  });

  it('are the most recent March that has ended for "last March"', () => {
    const day = (date: string): number => Date.parse(date) / 86_400_000;
    const march = (year: number): unknown => [{ from: day(`${year}-03-01`), to: day(`${year}-04-01`) }];
    expect(read('What happened last March?', { day: day('2023-09-10') }).spans).toEqual(march(2023));
    expect(read('What happened last March?', { day: day('2023-03-10') }).spans).toEqual(march(2022));
  });
});
