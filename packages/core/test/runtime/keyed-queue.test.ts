import { KeyedQueue } from '@thole/core/kit';
import { describe, expect, it } from 'vitest';

describe('KeyedQueue', () => {
  /** A task that logs its start and its end, and ends when `finish` is called. */
  function task(log: string[], name: string): { work: () => Promise<string>; finish: () => void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const work = async (): Promise<string> => {
      log.push(`${name} starts`);
      await promise;
      log.push(`${name} ends`);
      return name;
    };
    return { work, finish: resolve };
  }

  it('runs tasks of one key one at a time, in the order of the calls', async () => {
    const [queue, log] = [new KeyedQueue(), [] as string[]];
    const [first, second] = [task(log, 'first'), task(log, 'second')];
    const results = [queue.run('key', first.work), queue.run('key', second.work)];
    second.finish();
    first.finish();
    expect(await Promise.all(results)).toEqual(['first', 'second']);
    expect(log).toEqual(['first starts', 'first ends', 'second starts', 'second ends']);
  });

  it('runs tasks of different keys at the same time', async () => {
    const [queue, log] = [new KeyedQueue(), [] as string[]];
    const [first, other] = [task(log, 'first'), task(log, 'other')];
    const results = [queue.run('key', first.work), queue.run('other', other.work)];
    expect(log).toEqual(['first starts', 'other starts']);
    other.finish();
    expect(await results[1]).toBe('other');
    first.finish();
    expect(await results[0]).toBe('first');
  });

  it('runs the next task after a task that failed', async () => {
    const queue = new KeyedQueue();
    const thrown = queue.run('key', () => {
      throw new Error('thrown');
    });
    const rejected = queue.run('key', () => Promise.reject(new Error('rejected')));
    const last = queue.run('key', async () => 'done');
    await expect(thrown).rejects.toThrow('thrown');
    await expect(rejected).rejects.toThrow('rejected');
    expect(await last).toBe('done');
  });

  it('starts a task immediately if no earlier task of the key is pending', async () => {
    const queue = new KeyedQueue();
    await queue.run('key', async () => {});
    let isStarted = false;
    const result = queue.run('key', async () => void (isStarted = true));
    expect(isStarted).toBe(true);
    await result;
  });
});
