import { describe, expect, it } from 'vitest';
import { normalizeStatement } from '../../src/kit.ts';

describe('normalizeStatement', () => {
  it('removes case, repeated spaces and final marks', () => {
    expect(normalizeStatement(' Ada likes  T.E.A . ! ')).toBe('ada likes t.e.a');
    expect(normalizeStatement('...')).toBe('');
  });

  it('normalizes a text with many full stops in linear time', () => {
    const text = `${'.'.repeat(50_000)}x`;
    const start = performance.now();
    expect(normalizeStatement(`${text}.`)).toBe(text);
    expect(performance.now() - start).toBeLessThan(500);
  });
});
