import { describe, expect, it } from 'vitest';
import { createIncrementalFold } from '../../page/inspector/create-incremental-fold.ts';

const createSum = (seen: number[] = []) =>
  createIncrementalFold<{ n: number }, { sum: number }>(
    () => ({ sum: 0 }),
    (result, { n }) => {
      seen.push(n);
      result.sum += n;
    },
  );
const items = [{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }] as const;

describe('createIncrementalFold', () => {
  it('folds only new items of a growing list', () => {
    const seen: number[] = [];
    const sum = createSum(seen);
    expect(sum(items.slice(0, 2)).result.sum).toBe(3);
    expect(sum(items).result.sum).toBe(10);
    expect(seen).toEqual([1, 2, 3, 4]);
  });

  it('starts again with another list, a shorter one or a changed one', () => {
    const sum = createSum();
    sum(items);
    expect(sum(items.slice(0, 3)).result.sum).toBe(6);
    expect(sum([{ n: 7 }, { n: 2 }, items[2]]).result.sum).toBe(12);
    sum(items);
    expect(sum([...items.slice(0, 3), { n: 9 }, { n: 1 }]).result.sum).toBe(16);
    expect(sum([]).result.sum).toBe(0);
    expect(sum(items).result.sum).toBe(10);
  });

  it('returns the same object until an entry is added', () => {
    const sum = createSum();
    const first = sum(items.slice(0, 2));
    expect(sum([...items.slice(0, 2)])).toBe(first);
    expect(sum(items)).not.toBe(first);
  });
});
