import { readWish, REMEMBERED_PREFIX } from './read-wish.ts';

/** Returns the text that is stored for a note: word for word, with a prefix if it is not a wish. */
export function toStoredFact(fact: string): string {
  return readWish(fact) || fact.startsWith(REMEMBERED_PREFIX) ? fact : REMEMBERED_PREFIX + fact;
}
