import { readWish, REMEMBERED_PREFIX } from './read-wish.ts';

/** A fact as it is kept: word for word, with words before it that say what it is for where it does not say so itself. */
export function factToKeep(fact: string): string {
  return readWish(fact) || fact.startsWith(REMEMBERED_PREFIX) ? fact : REMEMBERED_PREFIX + fact;
}
