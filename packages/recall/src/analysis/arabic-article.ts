/** "And", "so", "in", "like" or "for" before the article, and the article. */
const ARTICLE = /^(?:و?[فبك]?ال|و?لل)/;
/** Letters that come and go between the forms of a word: long vowels, and the sign that carries or is a glottal stop. */
const WEAK_LETTERS = /[اويىءأإآٱؤئ]/g;
const DOUBLED = /(.)\1+/gu;

/** Fewer firm letters say nothing. */
export const MIN_STRONG_LETTERS = 2;

/** The letters of a word that stay in its forms. */
export function strongLetters(word: string): string {
  return word.replace(WEAK_LETTERS, '').replace(DOUBLED, '$1');
}

/** An Arabic word without "the"; as it is where that would leave nothing of it. */
export function withoutArticle(word: string): string {
  const rest = word.replace(ARTICLE, '');
  return strongLetters(rest).length < MIN_STRONG_LETTERS ? word : rest;
}
