import { stemmer } from 'stemmer';
import type { Analyzer } from './analyzer.ts';
import { foldAccents } from './fold-accents.ts';
import { irregularForms } from './irregular-forms.ts';
import { splitWords } from './split-words.ts';
import { stopWords } from './stop-words.ts';

const LATIN = /^[a-z]+$/;
/** The longest word that is stemmed; no English word is longer. */
const MAX_STEMMED = 32;
const MAX_REMEMBERED = 20_000;

/**
 * Words of every script. Latin accents are folded, English stop words dropped unless nothing else is there, English
 * forms brought to one stem; other words stay as they are. Scripts without spaces come as pairs of characters.
 */
export function standardAnalyzer(): Analyzer {
  const remembered = new Map<string, string>();

  function baseOf(word: string): string {
    const known = remembered.get(word);
    if (known !== undefined) return known;
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    const folded = foldAccents(word);
    const base =
      LATIN.test(folded) && folded.length <= MAX_STEMMED ? stemmer(irregularForms.get(folded) ?? folded) : folded;
    remembered.set(word, base);
    return base;
  }

  return {
    id: 'standard-1',
    words(text, of) {
      const all = splitWords(text, of);
      const telling = all.filter((word) => !stopWords.has(word));
      return (telling.length > 0 ? telling : all).map(baseOf);
    },
  };
}
