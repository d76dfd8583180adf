import { describe, expect, it } from 'vitest';
import { incremental } from '../../page/inspector/incremental.ts';

const summing = (seen: number[] = []) =>
  incremental<{ n: number }, { sum: number }>(
    () => ({ sum: 0 }),
    (result, { n }) => {
      seen.push(n);
      result.sum += n;
    },
  );
const items = [{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }] as const;

describe('incremental', () => {
  it('folds only what is new in a list that grows', () => {
    const seen: number[] = [];
    const sum = summing(seen);
    expect(sum(items.slice(0, 2)).of.sum).toBe(3);
    expect(sum(items).of.sum).toBe(10);
    expect(seen).toEqual([1, 2, 3, 4]);
  });

  it('starts again with another list, a shorter one or a changed one', () => {
    const sum = summing();
    sum(items);
    expect(sum(items.slice(0, 3)).of.sum).toBe(6);
    expect(sum([{ n: 7 }, { n: 2 }, items[2]]).of.sum).toBe(12);
    sum(items);
    expect(sum([...items.slice(0, 3), { n: 9 }, { n: 1 }]).of.sum).toBe(16);
    expect(sum([]).of.sum).toBe(0);
    expect(sum(items).of.sum).toBe(10);
  });

  it('returns the same object until an entry is added', () => {
    const sum = summing();
    const first = sum(items.slice(0, 2));
    expect(sum([...items.slice(0, 2)])).toBe(first);
    expect(sum(items)).not.toBe(first);
  });
});
