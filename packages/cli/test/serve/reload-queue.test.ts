import { expect, it } from 'vitest';
import { ReloadQueue } from '../../src/serve/reload-queue.ts';

it('keeps what changed before it may begin', async () => {
  const queue = new ReloadQueue();
  let reloads = 0;
  queue.ask();
  await queue.idle();
  expect(reloads).toBe(0);
  queue.begin(async () => void reloads++);
  await queue.idle();
  expect(reloads).toBe(1);
});

it('reloads one time after the other, and once for all that changed meanwhile', async () => {
  const queue = new ReloadQueue();
  const steps: string[] = [];
  const first = Promise.withResolvers<void>();
  queue.begin(async () => {
    steps.push('begins');
    if (steps.length === 1) await first.promise;
    steps.push('ends');
  });
  queue.ask();
  await Promise.resolve();
  for (let i = 0; i < 3; i++) queue.ask();
  first.resolve();
  await queue.idle();
  expect(steps).toEqual(['begins', 'ends', 'begins', 'ends']);
});

it('does nothing where nothing has changed', async () => {
  const queue = new ReloadQueue();
  let reloads = 0;
  queue.begin(async () => void reloads++);
  await queue.idle();
  expect(reloads).toBe(0);
});
