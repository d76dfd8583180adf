import { describe, expect, it } from 'vitest';
import { ask } from '../ask.ts';
import { demo } from '../demo.ts';

describe('GET /list-apps', () => {
  it.each(['', '?detailed=false', '?detailed=False', '?detailed=0'])(
    'returns the names of the apps: %s',
    async (query) => {
      const { handler } = await demo();
      expect((await ask(handler, 'GET', `/list-apps${query}`)).body).toEqual(['demo']);
    },
  );

  it.each(['?detailed=true', '?detailed=True', '?detailed=1'])('describes the apps: %s', async (query) => {
    const { handler } = await demo();
    const { body } = await ask(handler, 'GET', `/list-apps${query}`);
    expect(body).toEqual({ apps: [expect.objectContaining({ name: 'demo', rootAgentName: 'concierge' })] });
  });

  it.each(['?detailed', '?detailed=', '?detailed=2'])('rejects %s with 400, as ADK does', async (query) => {
    const { handler } = await demo();
    const { body, status } = await ask(handler, 'GET', `/list-apps${query}`);
    expect(status).toBe(400);
    expect(body.detail).toBe('query.detailed must be true or false.');
  });
});
