import type { Room } from '../src/inventory.ts';
import { conditionsOf } from '../src/room-filters.ts';
import type { Condition } from '../src/room-filters.ts';
import type { GatheredWish } from './gather-wishes.ts';
import { mergeFilters } from './merge-filters.ts';

/** Describes for each wish whether the booked room meets it. Quotes the guest's words. */
export function describeWishes(wishes: readonly GatheredWish[], room: Room): string[] {
  const effective = new Set(
    conditionsOf(mergeFilters(wishes.map(({ filters }) => filters))).map(({ phrase }) => phrase),
  );
  return wishes.flatMap((wish) => {
    const conditions = conditionsOf(wish.filters);
    const met = phrasesOf(conditions.filter((each) => each.isMet(room)));
    const unmet = phrasesOf(conditions.filter((each) => !each.isMet(room) && effective.has(each.phrase)));
    const overruled = conditions.some((each) => !each.isMet(room) && !effective.has(each.phrase));
    return [
      ...(met.length > 0
        ? [`It is a room ${joinPhrases(met)}, ${describeSource(wish)}${wish.hasLeftover ? `; ${UNLISTED}` : ''}.`]
        : []),
      ...(unmet.length > 0 ? [`It is not a room ${joinPhrases(unmet)}, although ${describeWish(wish)}.`] : []),
      ...(overruled ? [`${describeEarlierWish(wish)}, but what you said later counts more.`] : []),
      ...(wish.hasLeftover && met.length === 0 ? [`${describeEarlierWish(wish)}; ${UNLISTED}.`] : []),
    ];
  });
}

const UNLISTED =
  'our inventory does not list all of that, so I passed it on with the booking, word for word, and cannot promise it';

const phrasesOf = (conditions: readonly Condition[]): string[] => conditions.map(({ phrase }) => phrase);

function describeSource({ words, isNegated, source }: GatheredWish): string {
  const quote = isNegated ? `not “${words}”` : `“${words}”`;
  if (source === 'message') return `as you asked (${quote})`;
  return source === 'conversation' ? `as you said in this conversation (${quote})` : `as you prefer (${quote})`;
}

function describeEarlierWish(wish: GatheredWish): string {
  return capitalize(`${wish.source === 'memory' ? 'as I remember, ' : ''}${describeWish(wish)}`);
}

function describeWish({ words, isNegated, isFact, source }: GatheredWish): string {
  const verb = isFact ? 'told me' : isNegated ? 'do not want' : source === 'message' ? 'asked for' : 'prefer';
  return `you ${verb} “${words}”`;
}

function joinPhrases(phrases: readonly string[]): string {
  return phrases.length < 2 ? phrases.join('') : `${phrases.slice(0, -1).join(', ')} and ${phrases.at(-1)}`;
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
