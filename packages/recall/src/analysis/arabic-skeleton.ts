import { strongLetters, MIN_STRONG_LETTERS, withoutArticle } from './arabic-article.ts';

const UNWRITTEN = /[\p{M}\u0640]/gu;
/** What is added to the end of a word, the longest first: endings of number and gender, and whose it is. */
const ENDINGS: readonly string[] = (
  'تهما اتهم اتها اتنا اتكم اتي اته اتك تهم تها تنا تكم تين تان هما وها ونه ' +
  'تي ته تك ات ون ين ان هم كم نا ها وا ية يه ة ه ك ي ت'
).split(' ');
/** Whoever does it, as a verb says at its beginning. */
const SUBJECT_PREFIX = /^[تن]/;

/**
 * The firm letters of an Arabic word without article and endings: the same for most of its forms, plurals inside the word (بيت,
 * بيوت) and persons of a verb (أعمل, يعمل) included, and for some other words. Undefined where too few letters are left.
 */
export function arabicSkeleton(word: string): string | undefined {
  const bare = word.replace(UNWRITTEN, '');
  const root = withoutEnding(withoutArticle(bare));
  const firm = strongLetters(root);
  const done = SUBJECT_PREFIX.test(root) && firm.length > MIN_STRONG_LETTERS + 1 ? firm.slice(1) : firm;
  return done.length < MIN_STRONG_LETTERS ? undefined : done;
}

function withoutEnding(word: string): string {
  for (const ending of ENDINGS) {
    if (!word.endsWith(ending)) continue;
    const rest = word.slice(0, -ending.length);
    if (strongLetters(rest).length >= MIN_STRONG_LETTERS) return rest;
  }
  return word;
}
