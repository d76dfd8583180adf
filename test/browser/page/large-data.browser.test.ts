import { createEvent } from '@thole/core';
import type { Event, Part } from '@thole/core';
import { InMemoryArtifactService } from '@thole/mem-services';
import { expect, it } from 'vitest';
import { describeInBrowser } from '../describe-in-browser.ts';
import { startHotelServer } from '../hotel-server.ts';
import { visit } from '../visit.ts';

const user = { appName: 'hotel', userId: 'user' };

/** Counts work that must not depend on the size of the data, or only once. */
const countCalls = `(() => {
  const counts = { lines: 0, lowered: 0, mapped: 0 };
  globalThis.counts = counts;
  const { startsWith, toLocaleLowerCase } = String.prototype;
  String.prototype.startsWith = function (...args) {
    if (args[0] === '/actions/stateDelta/') counts.lines++;
    return startsWith.apply(this, args);
  };
  String.prototype.toLocaleLowerCase = function (...args) {
    counts.lowered += this.length;
    return toLocaleLowerCase.apply(this, args);
  };
  const { from } = Uint8Array;
  Uint8Array.from = (items, ...args) => {
    if (typeof items === 'string') counts.mapped += items.length;
    return from.call(Uint8Array, items, ...args);
  };
})()`;

describeInBrowser('the page with large data', (browser) => {
  it('draws only a part of long texts, states and trees, until the user requests more', async () => {
    const hotel = await startHotelServer();
    const ref = { ...user, sessionId: 'large' };
    const state = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`key${1_000 + i}`, i]));
    const session = await hotel.sessionService.createSession({ ...ref, state });
    const lines = (name: string): string => Array.from({ length: 9_000 }, (_, i) => `${name} ${i}.`).join('\n');
    const rows = Array.from({ length: 40 }, (_, i) => Array.from({ length: 250 }, (_, j) => i * j));
    const image = { mimeType: 'image/png', data: 'A'.repeat(400_000), displayName: 'plan.png' };
    for (const [author, role, parts] of [
      ['user', 'user', [{ text: lines('Question') }]],
      ['concierge', 'model', [{ text: lines('Answer') }, { inlineData: image }]],
      ['concierge', 'model', [{ functionCall: { id: 'c', name: 'look', args: { rows } } }]],
    ] as const)
      await hotel.sessionService.appendEvent({
        session,
        event: createEvent({ author, invocationId: 'i', content: { role, parts: structuredClone(parts) as never } }),
      });
    const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel/large?tab=state`, {
      prepare: (each) => each.addInitScript(countCalls),
      expected: /blob:/,
    });
    const main = page.getByRole('main');
    const count = (name: string): Promise<number> => page.evaluate(`globalThis.counts.${name}`);
    const answer = main.locator('article', { hasText: 'concierge' });
    const showAll = answer.getByRole('button', { name: 'Show all' });
    await showAll.waitFor();
    const lengthOf = (): Promise<number> =>
      answer.locator('.markdown').evaluate(({ textContent }) => textContent.length);
    expect(await lengthOf()).toBeLessThan(95_000);
    await showAll.click();
    await answer.getByRole('button', { name: 'Show only the start' }).and(page.locator(':focus')).waitFor();
    expect(await lengthOf()).toBeGreaterThan(105_000);
    await page.keyboard.press('Enter');
    await showAll.waitFor();
    expect(await count('mapped')).toBe(0);

    const keys = page.locator('.state-key');
    expect(await keys.count()).toBe(200);
    await page.getByRole('button', { name: 'Show more keys' }).click();
    await expect.poll(() => keys.count()).toBe(400);
    await page.getByRole('searchbox', { name: 'Search keys and values' }).fill('key1999');
    await expect.poll(() => keys.count()).toBe(1);

    await main.locator('article').last().getByRole('button', { name: 'Event as JSON' }).click();
    await page.getByRole('button', { name: 'Open all' }).click();
    await page.getByRole('treeitem').nth(20).waitFor();
    expect(await count('lines')).toBeLessThan(2_000);
  });

  it('draws short neighbours in the timeline as one bar until the user zooms in', async () => {
    const hotel = await startHotelServer();
    const session = await hotel.sessionService.createSession({ ...user, sessionId: 'long' });
    let timestamp = 1_700_000_000;
    const append = (author: string, part: Part, change: Partial<Event> = {}): Promise<Event> => {
      timestamp += 0.01;
      const content = { role: author === 'user' ? ('user' as const) : ('model' as const), parts: [part] };
      const event = createEvent({ author, invocationId: 'i', timestamp, content, ...change });
      return hotel.sessionService.appendEvent({ session, event });
    };
    await append('user', { text: 'Count all keys.' });
    for (let i = 0; i < 2_500; i++) {
      await append('concierge', { functionCall: { id: `c${i}`, name: 'count', args: {} } });
      const part = { functionResponse: { id: `c${i}`, name: 'count', response: { i } } };
      await append('concierge', part, i === 1_234 ? { errorCode: 'KEY_LOST' } : {});
    }
    const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel/long`);
    const bars = page.getByRole('region', { name: 'Timeline' }).locator('.bar');
    const labels = (): Promise<string[]> =>
      bars.evaluateAll((all) => all.map((each) => each.getAttribute('aria-label') ?? ''));
    const steps = async (): Promise<number> =>
      (await labels()).reduce((sum, label) => sum + Number(/^Zoom in to (\d+) steps, /.exec(label)?.[1] ?? 1), 0);
    // The first drawing does not know the width yet.
    await bars.nth(50).waitFor();
    expect(await steps()).toBe(5_000);
    expect(await bars.count()).toBeLessThan(500);
    expect((await labels()).filter((label) => label.endsWith(', KEY_LOST'))).toHaveLength(1);

    const focused = page.locator('.bar:focus');
    const label = async (): Promise<string> => (await focused.getAttribute('aria-label')) ?? '';
    await bars.first().focus();
    for (let i = 0; i < 30; i++) await page.keyboard.press('ArrowRight');
    await focused.and(bars.nth(30)).waitFor();
    const joined = await label();
    expect(joined).toMatch(/^Zoom in to \d+ steps, /);
    await page.keyboard.press('Enter');
    await page.locator('.lanes[data-zoomed]').waitFor();
    await expect.poll(label).toMatch(/^(model|tool) .*, 10 ms, at /);
    const single = await label();
    expect(await bars.count()).toBeLessThan(500);
    // The next bars come into view.
    for (let i = 0; i < 100; i++) await page.keyboard.press('ArrowRight');
    await expect.poll(label).not.toBe(single);
    const [bar, lane] = await Promise.all([focused.boundingBox(), page.locator('.lane-bars').boundingBox()]);
    expect(bar!.x).toBeGreaterThanOrEqual(lane!.x - 1);
    expect(bar!.x).toBeLessThan(lane!.x + lane!.width);
    await page.keyboard.press('0');
    await expect.poll(label).toMatch(/^Zoom in to \d+ steps, /);
    expect(await label()).not.toBe(joined);
    // A click on a joined bar also zooms in, and a click on a single one selects its event.
    await focused.click();
    await expect.poll(label).toMatch(/^(model|tool) /);
    await focused.click();
    await expect.poll(() => focused.getAttribute('aria-pressed')).toBe('true');
  });

  it('loads a large file only when the user requests it', async () => {
    const artifactService = new InMemoryArtifactService();
    const hotel = await startHotelServer([], { artifactService });
    const ref = { ...user, sessionId: 'files' };
    await hotel.client.sessions.create(ref);
    const save = (filename: string, mimeType: string, size: number): Promise<number> => {
      const data = Buffer.alloc(size, 'a').toString('base64');
      return artifactService.saveArtifact({ ...ref, filename, artifact: { inlineData: { mimeType, data } } });
    };
    await save('film.zip', 'application/zip', 8_000_000);
    await save('film.zip', 'text/plain', 9_000_000);
    await save('menu.txt', 'text/plain', 5);
    const loaded: string[] = [];
    const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel/files?tab=artifacts`, {
      prepare: async (each) => {
        each.on('requestfinished', (request) => {
          const [found] = /[^/]+\/versions\/\d$/.exec(request.url()) ?? [];
          if (found !== undefined) loaded.push(found);
        });
      },
    });
    const film = page.getByRole('region', { name: 'film.zip' });
    const load = film.getByRole('button', { name: 'Load version 1 (12.0 MB)' });
    await load.waitFor();
    await film.getByText('Version 1 · text/plain').waitFor();
    expect(await film.getByRole('button', { name: 'Download' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'menu.txt' }).click();
    await page.getByText('aaaaa', { exact: true }).waitFor();
    expect(loaded).toEqual(['menu.txt/versions/0']);

    await page.getByRole('button', { name: 'film.zip' }).click();
    await load.press('Enter');
    await film.getByText('Version 1 · text/plain · 9.0 MB').waitFor();
    expect(await film.getByRole('combobox', { name: 'Version', exact: true }).and(page.locator(':focus')).count()).toBe(
      1,
    );
    expect(await film.getByRole('button', { name: 'Download' }).isEnabled()).toBe(true);
    await film.getByLabel('Compare with').selectOption('0');
    await film.getByRole('button', { name: 'Load version 0 (10.7 MB)' }).press('Enter');
    await film.getByText('Version 0 · application/zip · 8.0 MB').waitFor();
    await expect.poll(() => loaded.slice(1)).toEqual(['film.zip/versions/1', 'film.zip/versions/0']);
  });

  it('reads the texts of sessions once for a search', async () => {
    const hotel = await startHotelServer();
    const text = 'A long text. '.repeat(800);
    const sessions = 60;
    for (let i = 0; i < sessions; i++) {
      const session = await hotel.sessionService.createSession({ ...user, sessionId: `s${i}` });
      const content = { role: 'user' as const, parts: [{ text: `${text} ${i === 7 ? 'elephant' : ''}` }] };
      const event = createEvent({ author: 'user', invocationId: 'i', content });
      await hotel.sessionService.appendEvent({ session, event });
    }
    const page = await visit(browser(), `${hotel.url}/dev-ui/`, { prepare: (each) => each.addInitScript(countCalls) });
    const list = page.getByRole('navigation', { name: 'Sessions' });
    await list.getByRole('link').first().waitFor();
    await list.getByRole('searchbox', { name: 'Search sessions' }).fill('elephant');
    await list.getByText('Searching …').waitFor();
    await list.getByRole('link', { name: /^s7/ }).waitFor();
    await list.getByRole('searchbox', { name: 'Search sessions' }).fill('elephants');
    await list.getByText('Nothing found.').waitFor();
    const lowered: number = await page.evaluate('globalThis.counts.lowered');
    expect(lowered).toBeLessThan(2 * sessions * text.length);
  });
});
