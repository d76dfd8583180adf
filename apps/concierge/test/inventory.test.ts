import { expect, it } from 'vitest';
import { BEDS, FEATURES, FLOORS, rooms, VIEWS } from '../src/inventory.ts';
import { conditionsOf, matchingRooms } from '../src/room-filters.ts';
import { readFeatures } from '../demo-model/read-features.ts';

it('has no two rooms of one number, and each number begins with its floor', () => {
  expect(new Set(rooms.map(({ number }) => number)).size).toBe(rooms.length);
  for (const { number, floor } of rooms) expect(number.startsWith(String(floor))).toBe(true);
});

it('has a room for everything that can be asked for, and one without it', () => {
  const all = [
    ...FLOORS.map((floor) => ({ floor })),
    ...VIEWS.map((view) => ({ view })),
    ...BEDS.map((bed) => ({ bed })),
    ...FEATURES.map((feature) => ({ features: [feature] })),
    ...FEATURES.map((feature) => ({ without: [feature] })),
  ];
  for (const filters of all) {
    const found = matchingRooms(rooms, filters).length;
    expect([found > 0, found < rooms.length], JSON.stringify(filters)).toEqual([true, true]);
  }
});

it('describes every condition in words that are read as the same condition again', () => {
  const filters = {
    floor: 'high',
    view: 'sea',
    bed: 'king',
    features: ['bathtub', 'quiet side', 'step-free access'],
    without: ['sofa'],
    maxPrice: 200,
  } as const;
  const words = conditionsOf(filters)
    .map(({ phrase }) => phrase)
    .join(' and ');
  expect(readFeatures(words)).toEqual({ filters, leftover: false });
});
