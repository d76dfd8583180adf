import { describe, expect, it } from 'vitest';
import { normalizeStatement } from '../../src/kit.ts';

describe('normalizeStatement', () => {
  it('removes case, repeated spaces and final marks', () => {
    expect(normalizeStatement(' Ada likes  T.E.A . ! ')).toBe('ada likes t.e.a');
    expect(normalizeStatement('...')).toBe('');
  });

  // Quadratic time would exceed the time limit of the test.
  it('normalizes a text with many full stops in linear time', () => {
    const text = `${'.'.repeat(200_000)}x`;
    expect(normalizeStatement(`${text}.`)).toBe(text);
  });
});
