import { stemmer as stemArabic } from '@orama/stemmers/arabic';
import { stemmer as stemHindi } from '@orama/stemmers/indian';
import { stemmer as stemRussian } from '@orama/stemmers/russian';

const CYRILLIC = /^\p{Script=Cyrillic}+$/u;
const ARABIC = /^[\p{Script=Arabic}\p{M}]+$/u;
const DEVANAGARI = /^[\p{Script=Devanagari}\p{M}]+$/u;
const MIN_STEMMED_LETTERS = 3;

/** Returns the stem of a word in Cyrillic, Arabic or Devanagari script, as Russian, Arabic or Hindi. Undefined for other scripts and short words. */
export function stemByScript(word: string): string | undefined {
  if (word.length < MIN_STEMMED_LETTERS) return undefined;
  if (CYRILLIC.test(word)) return stemRussian(word);
  if (ARABIC.test(word)) return stemArabic(word);
  // The same sound has two spellings. The stemmer only supports endings with the second spelling.
  if (DEVANAGARI.test(word)) return stemHindi(word.replaceAll('ँ', 'ं'));
  return undefined;
}
