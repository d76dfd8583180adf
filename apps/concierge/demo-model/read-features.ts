import type { Bed, Feature, View } from '../src/inventory.ts';
import type { RoomFilters } from '../src/room-filters.ts';

/** The filters for a guest's words. */
export interface FeatureMatch {
  filters: RoomFilters;
  /** True if some words do not match any filter. */
  hasLeftover: boolean;
}

const FLOORS: readonly (readonly ['high' | 'low', RegExp])[] = [
  ['high', /\b(?:high(?:er|est)?|upper|top)[- ]floors?\b|\b(?:high up|up high)\b|\bfloors? (?:high|far) up\b/gu],
  ['low', /\b(?:low(?:er|est)?|ground|first)[- ]floors?\b/gu],
];
const VIEWS: readonly (readonly [View, RegExp])[] = [
  ['sea', /\b(?:sea|ocean)(?:[- ]?(?:views?|front|side))?\b/gu],
  ['garden', /\bgardens?(?: views?)?\b/gu],
  ['city', /\bcity(?: views?)?\b|\bskyline\b/gu],
  ['courtyard', /\bcourtyard(?: views?)?\b/gu],
];
const BEDS: readonly (readonly [Bed, RegExp])[] = [
  ['king', /\bking(?:[- ]sized?)?(?: beds?)?\b/gu],
  ['queen', /\b(?:queen(?:[- ]sized?)?|double)(?: beds?)\b/gu],
  ['twin', /\btwin(?: beds?)?\b/gu],
  ['single', /\bsingle(?: beds?)?\b/gu],
];
const FEATURES: readonly (readonly [Feature, RegExp])[] = [
  ['bathtub', /\b(?:bath ?)?tubs?\b/gu],
  ['balcony', /\bbalcon(?:y|ies)\b/gu],
  ['quiet side', /\bquiet(?:er|est)?(?: sides?)?\b/gu],
  ['desk', /\b(?:writing )?desks?\b/gu],
  ['fireplace', /\bfireplaces?\b/gu],
  ['kitchenette', /\bkitchenettes?\b/gu],
  ['sofa', /\bsofas?\b/gu],
  ['step-free access', /\bstep[- ]free(?: access)?\b|\bwheelchair[- ]accessible\b/gu],
];
const PRICE =
  /\b(?:under|below|at most|up to|no more than|max(?:imum)?)\s+(?:eur(?:os?)?\s+|€\s*)?(\d+)(?:\s*(?:eur(?:os?)?|€))?(?:\s+(?:a|per)\s+night)?/u;
const NO = /\b(?:no|without)\s+(?:an?\s+|the\s+|any\s+)?/u;

/** Words that are not wishes. */
const FILLERS = new Set(
  `a an the this that some any one ones my our your me us i we it its is are be has have having with and or on in at of to for from by
  room rooms hotel bed view views overlooking facing looking over onto side please which where there also both as well nice good
  floor stay sleep sleeping live be being book reserve more than most best something always never
  favourite favorite preferred cheap cheapest`.split(/\s+/),
);

/** Returns the filters for a guest's words. `hasLeftover` is true if they do not cover all words. */
export function readFeatures(words: string): FeatureMatch {
  const reader = new WordReader(words.toLowerCase());
  const without = FEATURES.flatMap(([feature, pattern]) => (reader.removeNegated(pattern) ? [feature] : []));
  const features = FEATURES.flatMap(([feature, pattern]) => (reader.remove(pattern) ? [feature] : []));
  const floor = FLOORS.find(([, pattern]) => reader.remove(pattern))?.[0];
  const view = VIEWS.find(([, pattern]) => reader.remove(pattern))?.[0];
  const bed = BEDS.find(([, pattern]) => reader.remove(pattern))?.[0];
  const maxPrice = reader.removeNumber(PRICE);
  return {
    filters: {
      ...(floor && { floor }),
      ...(view && { view }),
      ...(bed && { bed }),
      ...(features.length > 0 && { features }),
      ...(without.length > 0 && { without }),
      ...(maxPrice && { maxPrice }),
    },
    hasLeftover: reader.hasWords(),
  };
}

/** Removes the words that it recognizes from a text. */
class WordReader {
  #rest: string;

  constructor(text: string) {
    this.#rest = text;
  }

  remove(pattern: RegExp): boolean {
    const rest = this.#rest.replace(pattern, ' ');
    const found = rest !== this.#rest;
    this.#rest = rest;
    return found;
  }

  removeNegated(pattern: RegExp): boolean {
    return this.remove(new RegExp(`${NO.source}(?:${pattern.source})`, 'gu'));
  }

  removeNumber(pattern: RegExp): number | undefined {
    const found = pattern.exec(this.#rest)?.[1];
    this.#rest = this.#rest.replace(pattern, ' ');
    return found === undefined ? undefined : Number(found);
  }

  hasWords(): boolean {
    return (this.#rest.match(/[\p{L}\p{N}\p{S}]+/gu) ?? []).some((word) => !FILLERS.has(word));
  }
}
