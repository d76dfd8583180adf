import { expect, it } from 'vitest';
import { isCurrentMemory } from '../../src/kit.ts';

const NOW = 1_000;

it.each([
  ['without an end', {}, true],
  ['that something took the place of', { supersededBy: 'b' }, false],
  ['that ends now', { validTo: NOW }, false],
  ['that ends later', { validTo: NOW + 1 }, true],
  ['that ends later, and it is known what takes its place', { supersededBy: 'b', validTo: NOW + 1 }, true],
  ['that ended before it began', { validFrom: NOW + 9, validTo: NOW + 8 }, false],
])('isCurrentMemory returns if an entry %s is current', (_, entry, isCurrent) => {
  expect(isCurrentMemory(entry, NOW)).toBe(isCurrent);
});
