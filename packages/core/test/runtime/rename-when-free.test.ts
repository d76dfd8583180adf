import { describe, expect, it } from 'vitest';
import { renameWhenFree } from '../../src/runtime/rename-when-free.ts';

function failing(code: string, times: number) {
  const pauses: number[] = [];
  let attempts = 0;
  let isPausing = false;
  const rename = (): Promise<void> => {
    if (isPausing) throw new Error('The pause has not ended.');
    return attempts++ < times ? Promise.reject(Object.assign(new Error(code), { code })) : Promise.resolve();
  };
  const sleep = async (ms: number): Promise<void> => {
    isPausing = true;
    await Promise.resolve();
    isPausing = false;
    pauses.push(ms);
  };
  return { pauses, rename, sleep };
}

describe('renameWhenFree', () => {
  it.each(['EPERM', 'EACCES', 'EBUSY'])('tries again on Windows while a file is open: %s', async (code) => {
    const { pauses, rename, sleep } = failing(code, 3);
    await renameWhenFree(rename, { from: 'a', to: 'b', platform: 'win32' }, sleep);
    expect(pauses).toEqual([10, 20, 50]);
  });

  it('throws the error of the last attempt on Windows', async () => {
    const { pauses, rename, sleep } = failing('EPERM', 100);
    const work = renameWhenFree(rename, { from: 'a', to: 'b', platform: 'win32' }, sleep);
    await expect(work).rejects.toThrow('EPERM');
    expect(pauses).toHaveLength(7);
  });

  it.each([
    ['win32', 'ENOENT'],
    ['linux', 'EPERM'],
  ])('throws at once on %s: %s', async (platform, code) => {
    const { pauses, rename, sleep } = failing(code, 1);
    await expect(renameWhenFree(rename, { from: 'a', to: 'b', platform }, sleep)).rejects.toThrow(code);
    expect(pauses).toEqual([]);
  });
});
