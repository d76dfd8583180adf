import { readWish, REMEMBERED_PREFIX } from './read-wish.ts';

/** Returns a note as it is stored: word for word, with a prefix if it does not state its purpose. */
export function factToKeep(fact: string): string {
  return readWish(fact) || fact.startsWith(REMEMBERED_PREFIX) ? fact : REMEMBERED_PREFIX + fact;
}
