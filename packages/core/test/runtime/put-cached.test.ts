import { putCached } from '@thole/core/kit';
import { expect, it } from 'vitest';

it('putCached keeps the newest entries, and moves a repeated entry to the end', () => {
  const map = new Map<string, number>();
  for (const key of ['a', 'b', 'a', 'c']) putCached(map, key, 1, 2);
  expect([...map.keys()]).toEqual(['a', 'c']);
});
