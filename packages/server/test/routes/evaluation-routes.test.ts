import { describe, expect, it } from 'vitest';
import { ask } from '../ask.ts';
import { demo } from '../demo.ts';

describe('GET /dev/apps/{app}/eval_sets', () => {
  it.each([
    ...['eval_sets', 'eval-sets', 'eval_results', 'eval-results'].map((name) => [name, []] as const),
    ['metrics-info', { metricsInfo: [] }] as const,
  ])('returns an empty list: %s', async (name, empty) => {
    const { handler } = await demo();
    for (const prefix of ['/dev/apps', '/apps']) {
      expect((await ask(handler, 'GET', `${prefix}/demo/${name}`)).body).toEqual(empty);
      expect((await ask(handler, 'GET', `${prefix}/other/${name}`)).status).toBe(404);
    }
  });
});
