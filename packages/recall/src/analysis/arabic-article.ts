/** The article, with a prefix for "and", "so", "in", "like" or "for". */
const ARTICLE = /^(?:و?[فبك]?ال|و?لل)/;
/** Letters that differ between the forms of a word: long vowels and forms of the glottal stop. */
const WEAK_LETTERS = /[اويىءأإآٱؤئ]/g;
const DOUBLED = /(.)\1+/gu;

/** Minimum number of strong letters. A shorter skeleton matches too many words. */
export const MIN_STRONG_LETTERS = 2;

/** Returns the letters that all forms of an Arabic word share. */
export function strongLettersOf(word: string): string {
  return word.replace(WEAK_LETTERS, '').replace(DOUBLED, '$1');
}

/** Removes the article of an Arabic word, unless the rest would be too short. */
export function removeArticle(word: string): string {
  const rest = word.replace(ARTICLE, '');
  return strongLettersOf(rest).length < MIN_STRONG_LETTERS ? word : rest;
}
