import type { Bed, Feature, Room, View } from './inventory.ts';

/** Conditions for a room. */
export interface RoomFilters {
  floor?: 'high' | 'low' | undefined;
  view?: View | undefined;
  bed?: Bed | undefined;
  features?: readonly Feature[] | undefined;
  /** Features that the room must not have. */
  without?: readonly Feature[] | undefined;
  /** In EUR per night. */
  maxPrice?: number | undefined;
}

/** One condition of a filter. Its phrase follows the words "a room". */
export interface Condition {
  phrase: string;
  isMet(room: Room): boolean;
}

/** The lowest floor that counts as high. */
const HIGH_FLOOR = 4;
/** The highest floor that counts as low. */
const LOW_FLOOR = 1;

/** Returns the conditions of a filter. */
export function conditionsOf({ floor, view, bed, features, without, maxPrice }: RoomFilters): Condition[] {
  const conditions: Condition[] = [];
  if (floor === 'high') conditions.push({ phrase: 'on a high floor', isMet: (room) => room.floor >= HIGH_FLOOR });
  if (floor === 'low') conditions.push({ phrase: 'on a low floor', isMet: (room) => room.floor <= LOW_FLOOR });
  if (view) conditions.push({ phrase: `with a view of the ${view}`, isMet: (room) => room.view === view });
  if (bed) conditions.push({ phrase: bedPhrase(bed), isMet: (room) => room.bed === bed });
  for (const feature of features ?? [])
    conditions.push({ phrase: featurePhrase(feature), isMet: (room) => room.features.includes(feature) });
  for (const feature of without ?? [])
    conditions.push({ phrase: withoutPhrase(feature), isMet: (room) => !room.features.includes(feature) });
  if (maxPrice !== undefined)
    conditions.push({ phrase: `for at most ${maxPrice} EUR a night`, isMet: (room) => room.price <= maxPrice });
  return conditions;
}

/** Returns the rooms that meet all conditions, cheapest first. */
export function matchingRooms(rooms: readonly Room[], filters: RoomFilters): Room[] {
  const conditions = conditionsOf(filters);
  return rooms
    .filter((room) => conditions.every((condition) => condition.isMet(room)))
    .toSorted((a, b) => a.price - b.price);
}

/** Returns rooms with their unmet conditions, fewest first, then cheapest. */
export function nearestRooms(rooms: readonly Room[], filters: RoomFilters): (Room & { lacks: string[] })[] {
  const conditions = conditionsOf(filters);
  const lacksOf = (room: Room): string[] => conditions.filter((each) => !each.isMet(room)).map((each) => each.phrase);
  return rooms
    .map((room) => ({ ...room, lacks: lacksOf(room) }))
    .toSorted((a, b) => a.lacks.length - b.lacks.length || a.price - b.price);
}

function bedPhrase(bed: Bed): string {
  return bed === 'twin' ? 'with twin beds' : `with a ${bed} bed`;
}

function featurePhrase(feature: Feature): string {
  if (feature === 'quiet side') return 'on the quiet side';
  return feature === 'step-free access' ? 'with step-free access' : `with a ${feature}`;
}

function withoutPhrase(feature: Feature): string {
  if (feature === 'quiet side') return 'not on the quiet side';
  return feature === 'step-free access' ? 'without step-free access' : `without a ${feature}`;
}
