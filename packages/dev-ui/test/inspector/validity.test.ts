import { describe, expect, it } from 'vitest';
import { validity } from '../../page/inspector/memory/validity.ts';
import { formatDay } from '../../page/components/format.ts';

const [may, june] = [1_746_000_000, 1_749_000_000];

describe('validity', () => {
  it('shows the known start and end of a fact', () => {
    const of = (validFrom?: number, validTo?: number): string =>
      validity({ id: 'f', kind: 'fact', content: { parts: [] }, validFrom, validTo });
    expect([of(may), of(undefined, june), of(may, june), of(may, may + 1), of()]).toEqual([
      `since ${formatDay(may)}`,
      `until ${formatDay(june)}`,
      `${formatDay(may)} – ${formatDay(june)}`,
      `on ${formatDay(may)}`,
      '',
    ]);
  });
});
