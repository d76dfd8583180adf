/** What the index knows of a turn's text, one bit each. */
export const HAS_QUESTION = 1;
/** Its last sentence is a question. */
export const ENDS_WITH_QUESTION = 2;
export const HAS_TIME = 4;
export const HAS_NUMBER = 8;
/** Said in the user's name; not a matter of the text. */
export const BY_USER = 16;
/** A fact or note: it is about the user, whoever wrote it. */
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

/** The bits that hold of a text; `tokens` are its plain words and numbers (`plainTokens`). */
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

const CODE_OF_NINE = 57;
