import { plainWords } from '../analyzer/split-words.ts';
import type { Authors } from './authors.ts';

const TOKEN = /[\p{L}\p{M}\p{N}]+/gu;
// "Can you tell me what I …" is not about the one who is to tell.
const PRELUDE =
  /^\W*(?:please,? )?(?:can|could|would|will|do|did) you (?:please )?(?:tell|remind|remember|recall|know|find|show|say)\b(?: me)?|^\W*(?:please,? )?(?:tell|remind|show) me\b/i;
const PRONOUNS: ReadonlyMap<string, 'user' | 'other'> = new Map([
  ...['i', 'my', 'me', 'mine', 'myself', 'we', 'our', 'us'].map((word) => [word, 'user'] as const),
  ...['you', 'your', 'yours', 'yourself'].map((word) => [word, 'other'] as const),
]);

/**
 * Who a question is about: the author it names first, which mostly is its subject; for "I" and "my" the user, for "you" and
 * "your" anybody else. Undefined where it says nothing of the kind. `plain` are its `plainWords`.
 */
export function whoIsAskedAbout(
  text: string,
  plain: readonly string[] | undefined,
  authors: Authors,
): ((author: number) => boolean) | undefined {
  for (const token of wordsAsked(text, plain)) {
    const named = authors.calledBy(token);
    if (named !== undefined) return (author) => author === named;
    const pronoun = PRONOUNS.get(token);
    if (pronoun === 'user') return (author) => authors.isUser(author);
    if (pronoun === 'other') return (author) => author >= 0 && !authors.isUser(author);
  }
  return undefined;
}

function wordsAsked(text: string, plain: readonly string[] | undefined): readonly string[] {
  if (plain && !plain.includes('you') && !plain.includes('me')) return plain;
  const asked = text.replace(PRELUDE, ' ');
  return plainWords(asked) ?? asked.toLowerCase().match(TOKEN) ?? [];
}
