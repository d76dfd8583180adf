import type { RoomFilters } from '../src/room-filters.ts';

/** Merges filters. If two contradict each other, the earlier one counts. */
export function mergeFilters(all: readonly RoomFilters[]): RoomFilters {
  const merged: RoomFilters = {};
  for (const { floor, view, bed, features = [], without = [], maxPrice } of all) {
    if (floor) merged.floor ??= floor;
    if (view) merged.view ??= view;
    if (bed) merged.bed ??= bed;
    if (maxPrice !== undefined) merged.maxPrice ??= maxPrice;
    const asked = features.filter((each) => !merged.without?.includes(each));
    const refused = without.filter((each) => !merged.features?.includes(each));
    if (asked.length > 0) merged.features = [...new Set([...(merged.features ?? []), ...asked])];
    if (refused.length > 0) merged.without = [...new Set([...(merged.without ?? []), ...refused])];
  }
  return merged;
}
