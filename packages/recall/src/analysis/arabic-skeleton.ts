import { MIN_STRONG_LETTERS, removeArticle, strongLettersOf } from './arabic-article.ts';

/** Vowel marks and the stretching character. */
const OPTIONAL_MARKS = /[\p{M}\u0640]/gu;
/** Endings of number, gender and possession, longest first. */
const ENDINGS: readonly string[] = (
  'تهما اتهم اتها اتنا اتكم اتي اته اتك تهم تها تنا تكم تين تان هما وها ونه ' +
  'تي ته تك ات ون ين ان هم كم نا ها وا ية يه ة ه ك ي ت'
).split(' ');
/** The prefix of a verb that names its subject. */
const SUBJECT_PREFIX = /^[تن]/;

/**
 * Returns the strong letters of an Arabic word without article and endings. Most forms of a word share them, including broken
 * plurals (بيت, بيوت) and persons of a verb (أعمل, يعمل), but so do some other words. Undefined if too few letters are left.
 */
export function arabicSkeletonOf(word: string): string | undefined {
  const unmarked = word.replace(OPTIONAL_MARKS, '');
  const root = removeEnding(removeArticle(unmarked));
  const strong = strongLettersOf(root);
  const skeleton = SUBJECT_PREFIX.test(root) && strong.length > MIN_STRONG_LETTERS + 1 ? strong.slice(1) : strong;
  return skeleton.length < MIN_STRONG_LETTERS ? undefined : skeleton;
}

function removeEnding(word: string): string {
  for (const ending of ENDINGS) {
    if (!word.endsWith(ending)) continue;
    const rest = word.slice(0, -ending.length);
    if (strongLettersOf(rest).length >= MIN_STRONG_LETTERS) return rest;
  }
  return word;
}
