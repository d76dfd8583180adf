import { expect, it } from 'vitest';
import { ask } from '../ask.ts';
import { demo } from '../demo.ts';

it.each([
  ...['eval_sets', 'eval-sets', 'eval_results', 'eval-results'].map((name) => [name, []] as const),
  ['metrics-info', { metricsInfo: [] }] as const,
])('has nothing of evaluation: %s, with and without /dev', async (name, nothing) => {
  const { handler } = await demo();
  for (const prefix of ['/dev/apps', '/apps']) {
    expect((await ask(handler, 'GET', `${prefix}/demo/${name}`)).body).toEqual(nothing);
    expect((await ask(handler, 'GET', `${prefix}/other/${name}`)).status).toBe(404);
  }
});
