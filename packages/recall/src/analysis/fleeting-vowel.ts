/** The end of a stem with two consonants, with or without a fleeting "е" or "о" between them (кошка, кошек). */
const ENDING = /([бвгджзйклмнпрстфхцчшщ]ь?)[еёо]?([бвгджзйклмнпрстфхцчшщ]ь?)$/;
const SOFT_SIGN = /ь/g;

/** Removes the fleeting vowel of a Russian stem, which only some forms of the word have. Undefined if the stem cannot have such a vowel. */
export function removeFleetingVowel(stem: string): string | undefined {
  return ENDING.test(stem) ? stem.replace(ENDING, '$1$2').replace(SOFT_SIGN, '') : undefined;
}
