import type { RoomFilters } from '../src/room-filters.ts';
import { readFeatures } from './read-features.ts';
import type { FeatureMatch } from './read-features.ts';
import { readIntent } from './read-intent.ts';
import { readStayPhrase } from './read-stay.ts';
import { readRemembered, readWish } from './read-wish.ts';
import type { Wish } from './read-wish.ts';
import { splitSentences } from './split-sentences.ts';
import { answerOf, isJsonObject } from './turn.ts';
import type { Memory, Turn } from './turn.ts';

/** A wish, its source and its filters. */
export interface GatheredWish extends Wish {
  source: 'message' | 'conversation' | 'memory';
  filters: RoomFilters;
  /** True if the filters cover only a part of the wish. */
  hasLeftover: boolean;
}

/** The memory query before a booking. */
export const WISHES_QUERY =
  'room wishes and preferences: prefer, want, always, like, love, need, enjoy, favourite, hate, avoid, never, remember for my stays';

/**
 * Returns all current wishes: first those of this message, then of this conversation, then of memory, each newest
 * first.
 */
export function gatherWishes(turn: Turn): GatheredWish[] {
  const wishes = [
    ...wishesIn(turn.message, turn.today).map((wish) => toGatheredWish(wish, 'message')),
    ...turn.earlier.toReversed().flatMap((text) => statedIn(text).map((wish) => toGatheredWish(wish, 'conversation'))),
    ...memoriesOf(turn).flatMap(({ text }) => statedIn(text).map((wish) => toGatheredWish(wish, 'memory'))),
  ];
  const seen = new Set<string>();
  return wishes.filter(({ words, isNegated }) => {
    const key = `${isNegated} ${words.toLowerCase()}`;
    return !seen.has(key) && seen.add(key);
  });
}

/** Returns the guest's memories that this turn received, newest first, without texts of this conversation. */
export function memoriesOf(turn: Turn): Memory[] {
  const answer = answerOf(turn, 'load_memory')?.['memories'];
  const loaded: Memory[] = (Array.isArray(answer) ? answer : []).flatMap((each) => {
    if (!isJsonObject(each) || typeof each['text'] !== 'string') return [];
    const { text, author, time } = each;
    return [{ text, ...(typeof author === 'string' && { author }), ...(typeof time === 'string' && { time }) }];
  });
  const timeOf = ({ time }: Memory): number => (time === undefined ? -Infinity : Date.parse(time));
  const newestFirst = loaded.toSorted((a, b) => (timeOf(b) === timeOf(a) ? 0 : timeOf(b) - timeOf(a)));
  const currentTexts = new Set([turn.message, ...turn.earlier].map((text) => text.trim()));
  const texts = new Set(loaded.map(({ text }) => text));
  return [...newestFirst, ...turn.quoted.toReversed().filter(({ text }) => !texts.has(text))].filter(
    ({ author, text }) => (author === undefined || author === 'user') && !currentTexts.has(text.trim()),
  );
}

/** Returns the lasting wishes in a text. */
export function statedIn(text: string): Wish[] {
  const remembered = readRemembered(text);
  if (remembered) return [remembered];
  const wishes = splitSentences(text).flatMap((sentence) => {
    const wish = readIntent(sentence) === 'wish' ? readWish(sentence) : undefined;
    return wish ? [wish] : [];
  });
  return wishes;
}

/** Returns the wishes in a message: stated wishes, and the words of an order to book or find without verb and dates. */
function wishesIn(message: string, today: string | undefined): Wish[] {
  return splitSentences(message).flatMap((sentence) => {
    const intent = readIntent(sentence);
    if (intent === 'wish') return statedIn(sentence);
    if (intent !== 'book' && intent !== 'search') return [];
    const words = readStayPhrase(sentence, today)
      .rest.replace(/[\s.!?…]+$/u, '')
      .replace(ORDER, '')
      .replace(NO_WISHES, ' ')
      .replace(/\s+/gu, ' ')
      .trim();
    const { filters, hasLeftover } = readFeatures(words);
    return hasLeftover || hasFilters(filters) ? [{ words, isNegated: false }] : [];
  });
}

/** The verb of an order and the words before it. */
const ORDER =
  /^.*?\b(?:book(?: in)?|reserve|find|search(?: for)?|looking for|look for|show|list|suggest|recommend|give|get|take|stay|which|what|any|have|is there|are there|want|like|need)\b(?:\s+to\s+(?:book|reserve|find|see|stay|look for|search for))?(?:\s+(?:me|us))?/iu;
/** Words of an order that are not wishes, or that refer to memory. */
const NO_WISHES = new RegExp(
  [
    /\b(?:(?:like|as|same as)(?: the)? last time|as (?:usual|always|before)|(?:the|my) usual|again|same|another)\b/,
    /\b(?:that|which|the way)?\s*(?:i|we)(?:['’]d)?(?: would| always| usually)? (?:like|love|prefer|want)(?: it| them)?\b/,
    /\b(?:that )?(?:suits?|fits?) (?:me|us)\b|\b(?:according to |based on |with )?(?:my|our) (?:preferences?|wishes|taste)\b/,
    /\b(?:for )?(?:my|our)(?: next)? (?:stay|trip|visit|holiday)\b/,
    /\b(?:please|thanks|thank you|now|available|free|do you have|kinds? of|(?:room|number) \d{3})\b|[?!,]/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'giu',
);

function toGatheredWish(wish: Wish, source: GatheredWish['source']): GatheredWish {
  const { filters, hasLeftover } = readWishFilters(wish.words);
  if (!wish.isNegated) return { ...wish, source, filters, hasLeftover };
  const { features, without, floor, ...others } = filters;
  const opposite: RoomFilters = {
    ...(floor && { floor: floor === 'high' ? 'low' : 'high' }),
    ...(features && { without: features }),
    ...(without && { features: without }),
  };
  return { ...wish, source, filters: opposite, hasLeftover: hasLeftover || Object.keys(others).length > 0 };
}

/**
 * Returns the filters for a wish. A preference "over" or "instead of" something is not a wish for that thing. Words
 * without any filter are left over.
 */
function readWishFilters(words: string): FeatureMatch {
  const [, preferredWords, rejectedWords] =
    /^([^]+?)\b(?:rather than|instead of|over|to|not)\b([^]+)$/iu.exec(words) ?? [];
  // Both must be about the same kind of filter: "a balcony to the garden" does not reject a garden.
  if (preferredWords !== undefined && rejectedWords !== undefined) {
    const preferred = readFeatures(preferredWords);
    const rejected = readFeatures(rejectedWords);
    const isComparison = Object.keys(preferred.filters).some((name) => Object.hasOwn(rejected.filters, name));
    if (isComparison && !rejected.hasLeftover) return preferred;
  }
  const read = readFeatures(words);
  return { ...read, hasLeftover: read.hasLeftover || !hasFilters(read.filters) };
}

const hasFilters = (filters: RoomFilters): boolean => Object.keys(filters).length > 0;
