import { describe, expect, it } from 'vitest';
import { serveConcierge } from '../../src/web/serve-concierge.ts';
import { folderForTest } from '../folder-for-test.ts';
import { startConcierge } from './start-concierge.ts';

const session = { appName: 'hotel', userId: 'alice', sessionId: 'stay' };

describe('serveConcierge', () => {
  it('prints the address of its page, answers over HTTP and returns 0', async () => {
    const { url, printed, end } = await startConcierge();
    expect(printed()).toContain(`Open ${url}/dev-ui/ in a browser.`);
    const page = await fetch(`${url}/`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const post = (path: string, body: unknown): Promise<Response> =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    await post('/apps/hotel/users/alice/sessions', { sessionId: session.sessionId });
    const newMessage = { role: 'user', parts: [{ text: 'Book me a room with a sea view.' }] };
    const events = (await (await post('/run', { ...session, newMessage })).json()) as object[];
    expect(JSON.stringify(events)).toContain('"name":"book_room"');
    expect(JSON.stringify(events.at(-1))).toMatch(/I have booked room \d+/);
    expect(await end()).toBe(0);
  });

  it('uses a free port if the default port is taken, and fails for a requested port', async () => {
    const [first, second] = [await startConcierge([]), await startConcierge([])];
    expect(first.url).not.toBe(second.url);
    let errors = '';
    const code = await serveConcierge({
      argv: ['--port', new URL(first.url).port],
      env: { THOLE_DATA: folderForTest() },
      print: () => {},
      printError: (text) => (errors += text),
      ended: Promise.resolve(),
    });
    expect([code, errors]).toEqual([1, expect.stringMatching(/^! INVALID_INPUT: Cannot listen on .*EADDRINUSE/)]);
  });

  it('prints its usage for --help and for unknown options', async () => {
    for (const [argv, expected] of [
      [['--help'], 0],
      [['--nothing'], 1],
    ] as const) {
      let printed = '';
      const print = (text: string): void => void (printed += text);
      const code = await serveConcierge({ argv, env: {}, print, printError: print, ended: Promise.resolve() });
      expect([code, printed]).toEqual([expected, expect.stringContaining('Usage: npm start -- [options]')]);
    }
  });
});
