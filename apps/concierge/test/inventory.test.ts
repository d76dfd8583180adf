import { describe, expect, it } from 'vitest';
import { BEDS, FEATURES, FLOORS, rooms, VIEWS } from '../src/inventory.ts';
import { conditionsOf, matchingRooms } from '../src/room-filters.ts';
import { readFeatures } from '../demo-model/read-features.ts';

describe('rooms of the hotel', () => {
  it('has unique room numbers that begin with the floor', () => {
    expect(new Set(rooms.map(({ number }) => number)).size).toBe(rooms.length);
    for (const { number, floor } of rooms) expect(number.startsWith(String(floor))).toBe(true);
  });

  it('has a room with and a room without each feature', () => {
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

  it('describes each condition in words that readFeatures reads as the same condition', () => {
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
    expect(readFeatures(words)).toEqual({ filters, hasLeftover: false });
  });
});
