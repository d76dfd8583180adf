/** The end of a stem with two consonants, with or without a fleeting "е" or "о" between them (кошка, кошек). */
const ENDING = /([бвгджзйклмнпрстфхцчшщ]ь?)[еёо]?([бвгджзйклмнпрстфхцчшщ]ь?)$/;
const SOFT_SIGN = /ь/g;

/** Returns a Russian stem without its fleeting vowel, which only some forms of the word have. Undefined if the stem cannot have one. */
export function withoutFleetingVowel(stem: string): string | undefined {
  return ENDING.test(stem) ? stem.replace(ENDING, '$1$2').replace(SOFT_SIGN, '') : undefined;
}
