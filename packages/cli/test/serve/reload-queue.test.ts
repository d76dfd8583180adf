import { describe, expect, it } from 'vitest';
import { ReloadQueue } from '../../src/serve/reload-queue.ts';

describe('ReloadQueue', () => {
  it('keeps a request until start is called', async () => {
    const queue = new ReloadQueue();
    let reloads = 0;
    queue.request();
    await queue.idle();
    expect(reloads).toBe(0);
    queue.start(async () => void reloads++);
    await queue.idle();
    expect(reloads).toBe(1);
  });

  it('runs one reload at a time, and one more for all requests during a reload', async () => {
    const queue = new ReloadQueue();
    const steps: string[] = [];
    const first = Promise.withResolvers<void>();
    queue.start(async () => {
      steps.push('begins');
      if (steps.length === 1) await first.promise;
      steps.push('ends');
    });
    queue.request();
    await Promise.resolve();
    for (let i = 0; i < 3; i++) queue.request();
    first.resolve();
    await queue.idle();
    expect(steps).toEqual(['begins', 'ends', 'begins', 'ends']);
  });

  it('does nothing without a request', async () => {
    const queue = new ReloadQueue();
    let reloads = 0;
    queue.start(async () => void reloads++);
    await queue.idle();
    expect(reloads).toBe(0);
  });
});
