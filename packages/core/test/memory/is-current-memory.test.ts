import { describe, expect, it } from 'vitest';
import { isCurrentMemory } from '../../src/kit.ts';

const NOW = 1_000;

describe('isCurrentMemory', () => {
  it.each([
    ['without an end', {}, true],
    ['with a replacement', { supersededBy: 'b' }, false],
    ['that ends now', { validTo: NOW }, false],
    ['that ends later', { validTo: NOW + 1 }, true],
    ['that ends later and has a replacement', { supersededBy: 'b', validTo: NOW + 1 }, true],
    ['that ended before it began', { validFrom: NOW + 9, validTo: NOW + 8 }, false],
  ])('returns if an entry %s is current', (_, entry, isCurrent) => {
    expect(isCurrentMemory(entry, NOW)).toBe(isCurrent);
  });
});
