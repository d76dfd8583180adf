import { createEvent } from '@thole/core';
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
