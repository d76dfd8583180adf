import { createEvent } from '@thole/core';
import { expect, it } from 'vitest';
import { describeInBrowser } from '../describe-in-browser.ts';
import { startHotelServer } from '../hotel-server.ts';
import { visit } from '../visit.ts';

describeInBrowser('the page with 10,000 events', (browser) => {
  it('draws only the events in view at every scroll position', async () => {
    const hotel = await startHotelServer();
    const ref = { appName: 'hotel', userId: 'user', sessionId: 'long' };
    const session = await hotel.sessionService.createSession(ref);
    for (let i = 0; i < 5_000; i++) {
      const invocationId = `i${i}`;
      for (const [author, role, text] of [
        ['user', 'user', `Question ${i}: which room is free?`],
        ['concierge', 'model', `Answer ${i}. ${'Room **12** is free. '.repeat(1 + (i % 9))}`],
      ] as const) {
        const event = createEvent({ author, invocationId, content: { role, parts: [{ text }] } });
        await hotel.sessionService.appendEvent({ session, event });
      }
    }
    const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel/long`);
    await page.getByText('Answer 4999.').waitFor();
    const nodes = (): Promise<number> => page.locator('*').count();
    const counts = [await nodes()];
    // The view follows the end until the reader scrolls. Right after opening, it ignores scrolling by scripts.
    await page.getByText('Answer 4999.').hover();
    await page.mouse.wheel(0, -400);
    await page.getByRole('button', { name: 'Jump to newest' }).waitFor();
    for (const part of [0.75, 0.5, 0.25, 0]) {
      await page.evaluate(`${box}.scrollTop = ${box}.scrollHeight * ${part}`);
      await expect.poll(() => page.locator('main article').count()).toBeGreaterThan(2);
      counts.push(await nodes());
    }
    await page.getByText('Question 0: which room is free?').waitFor();
    expect(Math.max(...counts)).toBeLessThan(2_500);
    // The keyboard selects events as in a short session.
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.locator('article[aria-current]').waitFor();
  });
});

const box = `[...document.querySelectorAll('main *')].find((each) => each.scrollHeight > 20_000)`;
