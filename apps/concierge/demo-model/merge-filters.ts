import type { RoomFilters } from '../src/room-filters.ts';

/** Merges filters. If two filters contradict each other, the earlier one is used. */
export function mergeFilters(all: readonly RoomFilters[]): RoomFilters {
  const merged: RoomFilters = {};
  for (const { floor, view, bed, features = [], without = [], maxPrice } of all) {
    if (floor) merged.floor ??= floor;
    if (view) merged.view ??= view;
    if (bed) merged.bed ??= bed;
    if (maxPrice !== undefined) merged.maxPrice ??= maxPrice;
    const wanted = features.filter((each) => !merged.without?.includes(each));
    const unwanted = without.filter((each) => !merged.features?.includes(each));
    if (wanted.length > 0) merged.features = [...new Set([...(merged.features ?? []), ...wanted])];
    if (unwanted.length > 0) merged.without = [...new Set([...(merged.without ?? []), ...unwanted])];
  }
  return merged;
}
