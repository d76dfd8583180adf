import { describe, expect, it } from 'vitest';
import { suggestionsFor } from '../src/suggestions.ts';
import { startConcierge } from './web/start-concierge.ts';

const TOOLS: { readonly [suggestion: string]: string } = {
  'Find a quiet room for two nights.': 'find_rooms',
  'Book me a room with a sea view from tomorrow.': 'book_room',
  'Which bookings do I have?': 'list_bookings',
  'What do you know about me?': 'load_memory',
};

describe('suggestionsFor', () => {
  it.each([true, false])('suggests what the demo model answers, memory: %s', async (memory) => {
    const { url } = await startConcierge(['--port', '0', ...(memory ? [] : ['--no-memory'])]);
    const info = (await (await fetch(`${url}/apps/hotel/app-info`)).json()) as { suggestions: string[] };
    expect(info.suggestions).toEqual(suggestionsFor({ memory }));
    const post = (path: string, body: unknown): Promise<Response> =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    for (const [i, text] of info.suggestions.entries()) {
      const session = { appName: 'hotel', userId: 'user', sessionId: `s${i}` };
      await post('/apps/hotel/users/user/sessions', { sessionId: session.sessionId });
      const said = await (await post('/run', { ...session, newMessage: { role: 'user', parts: [{ text }] } })).text();
      expect(said).not.toMatch(/did not understand|could not/);
      if (TOOLS[text]) expect(said).toContain(`"name":"${TOOLS[text]}"`);
    }
  });
});
