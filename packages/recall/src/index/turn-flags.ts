/** Flag of a turn (all flags are bits of one number): it has a question mark. */
export const HAS_QUESTION = 1;
/** The turn ends with a question mark. */
export const ENDS_WITH_QUESTION = 2;
/** The turn mentions a time. */
export const HAS_TIME = 4;
/** The turn mentions a number. */
export const HAS_NUMBER = 8;
/** The turn is by the user. */
export const BY_USER = 16;
/** The entry is a fact or note, which is about the user, regardless of its author. */
export const ABOUT_USER = 32;

const [YEAR, CLOCK] = [/^(?:19|20)\d\d$/, /\d[:h]\d\d|\d[年月]/];
const FINAL_QUESTION_MARK = /[?？؟]\s*$/u;
const QUESTION_MARK = /[?？؟]/;
const DIGIT = /\p{Nd}/u;

const TIME_WORDS = `yesterday today tonight tomorrow ago last next week weeks weekend month months year years morning evening night
  sunday monday tuesday wednesday thursday friday saturday january february march april june july august september october november
  december summer winter spring autumn fall since recently`;
const NUMBER_WORDS = `one two three four five six seven eight nine ten eleven twelve dozen hundred thousand once twice couple several
  many`;
const FLAG_OF_WORD: ReadonlyMap<string, number> = new Map([
  ...TIME_WORDS.split(/\s+/).map((word) => [word, HAS_TIME] as const),
  ...NUMBER_WORDS.split(/\s+/).map((word) => [word, HAS_NUMBER] as const),
]);

/** Returns the flags of a text. `tokens` is the result of `latinTokens` for the text. */
export function flagsOf(text: string, tokens: readonly string[]): number {
  let flags = 0;
  if (QUESTION_MARK.test(text))
    flags |= FINAL_QUESTION_MARK.test(text) ? HAS_QUESTION | ENDS_WITH_QUESTION : HAS_QUESTION;
  for (const token of tokens) {
    if (token.charCodeAt(0) > CODE_OF_NINE) flags |= FLAG_OF_WORD.get(token) ?? 0;
    else flags |= YEAR.test(token) ? HAS_TIME | HAS_NUMBER : HAS_NUMBER;
  }
  if (CLOCK.test(text)) flags |= HAS_TIME;
  return (flags & HAS_NUMBER) === 0 && DIGIT.test(text) ? flags | HAS_NUMBER : flags;
}

/** Character code of the digit 9: larger codes are letters. */
const CODE_OF_NINE = 57;
