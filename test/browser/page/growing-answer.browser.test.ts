import { streams } from '@thole/testing';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser } from '../describe-in-browser.ts';
import { startHotelServer } from '../hotel-server.ts';
import { visit } from '../visit.ts';
import { countWork } from './count-work.ts';
import type { Work } from './count-work.ts';

/** Pieces that arrive at once. */
const BURST = 150;
const BURSTS = 20;

/** Longer than the delay of an update if drawing takes no time. */
const FRAME_MS = 100;

/** 3,000 pieces of Markdown: 120 paragraphs with seven blocks of code. */
const pieces = Array.from({ length: BURST * BURSTS }, (_, i) =>
  i % 25 === 24 ? '.\n\n' : i % 400 === 7 ? '\n\n```ts\nconst a = 1;\n```\n\n' : ` word **${i}**`,
);
const whole = pieces.join('');

describeInBrowser('an answer that grows', (browser) => {
  it('is drawn once for all pieces of a frame, and only its end is read and drawn again', async () => {
    let sent = 0;
    const bursts = Array.from({ length: BURSTS + 1 }, () => Promise.withResolvers<void>());
    const hotel = await startHotelServer([streams(...pieces)], {
      afterPartial: async () => {
        if (++sent % BURST === 0) await bursts[sent / BURST]!.promise;
      },
    });
    const page = await visit(browser(), `${hotel.url}/dev-ui/`, { prepare });
    const text = page.getByRole('main').locator('.markdown[data-streaming]');
    await page.getByRole('textbox', { name: 'Message' }).fill('Tell me all.');
    await page.keyboard.press('Enter');
    await text.waitFor();
    // From here on the test controls the clock of the page. The first drawing may be slow, and then the page waits longer.
    await page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + 1_000);
    const sendBurst = async (which: number, ms: number): Promise<Work[]> => {
      bursts[which - 1]?.resolve();
      await waitForPieces(page, which * BURST);
      const before = await workOf(page);
      await page.clock.runFor(ms);
      return [before, await workOf(page)];
    };
    await sendBurst(1, 2_000);
    const [, first] = await sendBurst(2, 2_000);

    const drawn: number[][] = [];
    const expected: number[][] = [];
    for (let which = 3; which <= BURSTS; which++) {
      const works = await sendBurst(which, FRAME_MS);
      drawn.push(works.map(({ drawings }) => drawings - first!.drawings));
      expected.push([which - 3, which - 2]);
    }
    expect(drawn).toEqual(expected);
    const last = await workOf(page);
    expect([last.late, last.removed]).toEqual([0, 0]);
    // The last two blocks and the new ones: one burst has six paragraphs of the 120.
    expect(last.longestRead).toBeLessThan(whole.length / 10);
    expect(last.sanitized).toBeLessThan(3 * (await text.innerHTML()).length);
    bursts[BURSTS]!.resolve();
    await page.clock.resume();
    await page.getByRole('main').getByText('2998').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
  });
});

const prepare = (page: Page): Promise<unknown> => Promise.all([countWork(page), page.clock.install()]);

const workOf = (page: Page): Promise<Work> => page.evaluate('globalThis.work()');

/** Waits until the page has received N pieces. */
async function waitForPieces(page: Page, count: number): Promise<void> {
  await expect.poll(async () => (await workOf(page)).pieces, { interval: 10 }).toBe(count);
}
