/** A stem that ends with two consonants, or with "е" or "о" between them: the vowel comes and goes (кошка, кошек). */
const ENDING = /([бвгджзйклмнпрстфхцчшщ]ь?)[еёо]?([бвгджзйклмнпрстфхцчшщ]ь?)$/;
const SOFT_SIGN = /ь/g;

/** A Russian stem without the vowel that some of its word's forms lack; undefined for stems that cannot have one. */
export function withoutFleetingVowel(stem: string): string | undefined {
  return ENDING.test(stem) ? stem.replace(ENDING, '$1$2').replace(SOFT_SIGN, '') : undefined;
}
