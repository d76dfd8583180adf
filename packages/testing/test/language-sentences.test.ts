import { expect, it } from 'vitest';
import { languages } from '../src/suites/language-sentences.ts';
import { memoryLanguageCases } from '../src/suites/memory-language-cases.ts';

const NAMES = ['Arabic', 'Chinese', 'German', 'Hindi', 'Japanese', 'Russian', 'Thai', 'Turkish'];
const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

it('eight languages have a case with at least 20 different sentences each', () => {
  expect(languages.map(({ name }) => name).toSorted()).toEqual(NAMES);
  const ids = memoryLanguageCases.map(({ id }) => id);
  for (const { name, asked } of languages) {
    expect(ids, name).toContain(`language.${name.toLowerCase()}-forms`);
    expect(new Set(asked.map(([, text]) => text)).size, name).toBeGreaterThanOrEqual(20);
    expect(new Set(asked.map(([query]) => query)).size, name).toBe(asked.length);
  }
});

it.each(languages)('has no word form of the sentence in its question, for $name with spaces', (language) => {
  for (const [query, text] of language.asked) {
    // Where they have none, it is another order or other particles.
    if (!language.spaced) expect(text, query).not.toContain(query);
    else
      expect(
        wordsOf(query).filter((word) => wordsOf(text).includes(word)),
        query,
      ).toEqual([]);
  }
});

it('languages with spaces have questions of words', () => {
  expect(
    languages
      .filter(({ spaced }) => !spaced)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(['Chinese', 'Japanese', 'Thai']);
});
