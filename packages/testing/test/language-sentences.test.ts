import { describe, expect, it } from 'vitest';
import { languages } from '../src/suites/language-sentences.ts';
import { memoryLanguageCases } from '../src/suites/memory-language-cases.ts';

const NAMES = ['Arabic', 'Chinese', 'German', 'Hindi', 'Japanese', 'Russian', 'Thai', 'Turkish'];
const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

describe('memoryLanguageCases', () => {
  it('have at least 20 different sentences in each of eight languages', () => {
    expect(languages.map(({ name }) => name).toSorted()).toEqual(NAMES);
    const ids = memoryLanguageCases.map(({ id }) => id);
    for (const { name, questions } of languages) {
      expect(ids, name).toContain(`language.${name.toLowerCase()}-forms`);
      expect(new Set(questions.map(([, text]) => text)).size, name).toBeGreaterThanOrEqual(20);
      expect(new Set(questions.map(([query]) => query)).size, name).toBe(questions.length);
    }
  });

  it.each(languages)('have no word of the sentence in its question, for $name', (language) => {
    for (const [query, text] of language.questions) {
      // Without spaces between words, only the order or the particles differ.
      if (!language.usesSpaces) expect(text, query).not.toContain(query);
      else
        expect(
          wordsOf(query).filter((word) => wordsOf(text).includes(word)),
          query,
        ).toEqual([]);
    }
  });

  it('treat only Chinese, Japanese and Thai as languages without spaces', () => {
    expect(
      languages
        .filter(({ usesSpaces }) => !usesSpaces)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(['Chinese', 'Japanese', 'Thai']);
  });
});
