import type { Room } from '../src/inventory.ts';
import { conditionsOf } from '../src/room-filters.ts';
import type { Condition } from '../src/room-filters.ts';
import type { GatheredWish } from './gather-wishes.ts';
import { mergeFilters } from './merge-filters.ts';

/** Describes how the booked room meets each wish, quoted in the guest's words. */
export function describeWishes(wishes: readonly GatheredWish[], room: Room): string[] {
  const counted = new Set(conditionsOf(mergeFilters(wishes.map(({ filters }) => filters))).map(({ phrase }) => phrase));
  return wishes.flatMap((wish) => {
    const conditions = conditionsOf(wish.filters);
    const met = phrasesOf(conditions.filter((each) => each.holds(room)));
    const unmet = phrasesOf(conditions.filter((each) => !each.holds(room) && counted.has(each.phrase)));
    const overruled = conditions.some((each) => !each.holds(room) && !counted.has(each.phrase));
    return [
      ...(met.length > 0
        ? [`It is a room ${listed(met)}, ${asSaid(wish)}${wish.leftover ? `; ${UNLISTED}` : ''}.`]
        : []),
      ...(unmet.length > 0 ? [`It is not a room ${listed(unmet)}, although ${wanted(wish)}.`] : []),
      ...(overruled ? [`${saidBefore(wish)}, but what you said later counts more.`] : []),
      ...(wish.leftover && met.length === 0 ? [`${saidBefore(wish)}; ${UNLISTED}.`] : []),
    ];
  });
}

const UNLISTED =
  'our inventory does not list all of that, so I passed it on with the booking, word for word, and cannot promise it';

const phrasesOf = (conditions: readonly Condition[]): string[] => conditions.map(({ phrase }) => phrase);

function asSaid({ words, negated, source }: GatheredWish): string {
  const quote = negated ? `not “${words}”` : `“${words}”`;
  if (source === 'message') return `as you asked (${quote})`;
  return source === 'conversation' ? `as you said in this conversation (${quote})` : `as you prefer (${quote})`;
}

function saidBefore(wish: GatheredWish): string {
  return capital(`${wish.source === 'memory' ? 'as I remember, ' : ''}${wanted(wish)}`);
}

function wanted({ words, negated, isFact, source }: GatheredWish): string {
  const verb = isFact ? 'told me' : negated ? 'do not want' : source === 'message' ? 'asked for' : 'prefer';
  return `you ${verb} “${words}”`;
}

function listed(phrases: readonly string[]): string {
  return phrases.length < 2 ? phrases.join('') : `${phrases.slice(0, -1).join(', ')} and ${phrases.at(-1)}`;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
