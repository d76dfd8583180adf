/** What the index knows of a turn's text, one bit each. */
export const ASKS = 1;
/** Its last sentence is a question. */
export const ENDS_ASKING = 2;
export const TELLS_TIME = 4;
export const TELLS_NUMBER = 8;
/** Said in the user's name; not a matter of the text. */
export const BY_USER = 16;
/** A fact or note: it is about the user, whoever wrote it. */
export const ABOUT_USER = 32;

const [YEAR, CLOCK] = [/^(?:19|20)\d\d$/, /\d[:h]\d\d|\d[年月]/];
const QUESTION = /[?？؟]\s*$/u;
const ASKING = /[?？؟]/;
const DIGIT = /\p{Nd}/u;

const TIME_WORDS = `yesterday today tonight tomorrow ago last next week weeks weekend month months year years morning evening night
  sunday monday tuesday wednesday thursday friday saturday january february march april june july august september october november
  december summer winter spring autumn fall since recently`;
const NUMBER_WORDS = `one two three four five six seven eight nine ten eleven twelve dozen hundred thousand once twice couple several
  many`;
const TELLING: ReadonlyMap<string, number> = new Map([
  ...TIME_WORDS.split(/\s+/).map((word) => [word, TELLS_TIME] as const),
  ...NUMBER_WORDS.split(/\s+/).map((word) => [word, TELLS_NUMBER] as const),
]);

/** The bits that hold of a text; `tokens` are its plain words and numbers (`plainTokens`). */
export function flagsOf(text: string, tokens: readonly string[]): number {
  let flags = 0;
  if (ASKING.test(text)) flags |= QUESTION.test(text) ? ASKS | ENDS_ASKING : ASKS;
  for (const token of tokens) {
    if (token.charCodeAt(0) > DIGITS_END) flags |= TELLING.get(token) ?? 0;
    else flags |= YEAR.test(token) ? TELLS_TIME | TELLS_NUMBER : TELLS_NUMBER;
  }
  if (CLOCK.test(text)) flags |= TELLS_TIME;
  return (flags & TELLS_NUMBER) === 0 && DIGIT.test(text) ? flags | TELLS_NUMBER : flags;
}

const DIGITS_END = 57;
