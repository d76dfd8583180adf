import { expect, it } from 'vitest';
import { says } from '@thole/testing';
import { describeInBrowser } from '../describe-in-browser.ts';
import { startHotelServer } from '../hotel-server.ts';
import { visit } from '../visit.ts';
import { startHotelWithData } from './hotel-with-data.ts';

const phone = { width: 390, height: 844 };

/** Expression for the texts of rows that buttons of a row cover. */
const coveredText = `(() => {
  const texts = [];
  const walker = document.createTreeWalker(document.querySelector('.entries'), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { parentElement } = walker.currentNode;
    if (walker.currentNode.data.trim() === '' || parentElement.closest('.entry-actions, .visually-hidden')) continue;
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    for (const rect of range.getClientRects()) texts.push({ rect, text: walker.currentNode.data });
  }
  const covered = [];
  for (const button of document.querySelectorAll('.entry-actions button')) {
    const a = button.getBoundingClientRect();
    if (a.width === 0) continue;
    for (const { rect: b, text } of texts)
      if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 4 && b.top < a.bottom - 4) covered.push(text);
  }
  return covered;
})()`;

describeInBrowser('the conversation on different screens', (browser) => {
  it('opens the inspector when an answer is tapped on a narrow screen, and shows no keys', async () => {
    const hotel = await startHotelWithData();
    const options = { viewport: phone, hasTouch: true, isMobile: true };
    const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel/${hotel.sessionId}`, options);
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('button', { name: 'Dark theme' }).tap();
    await page.getByRole('button', { name: 'Light theme' }).waitFor();
    // A tooltip would appear after 500 ms.
    await page.waitForTimeout(700);
    expect(await page.getByRole('tooltip').count()).toBe(0);
    await page.getByText('is booked, on a high floor').tap();
    await page.getByRole('dialog', { name: 'Inspector' }).waitFor();
    await expect.poll(() => page.locator('kbd').count()).toBe(0);
  });

  for (const [name, options] of [
    ['wide', {}],
    ['narrow', { viewport: { width: 800, height: 900 } }],
    ['touch', { viewport: phone, hasTouch: true, isMobile: true }],
  ] as const)
    it(`covers no text with the actions of a row: ${name}`, async () => {
      const hotel = await startHotelWithData();
      const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel/${hotel.sessionId}`, options);
      await page.getByText('is booked, on a high floor').waitFor();
      await page.locator('summary', { hasText: 'ask_manager' }).waitFor();
      expect(await page.evaluate(coveredText)).toEqual([]);
    });

  it('selects rows with j and k in an empty message box, and types words with these letters', async () => {
    const hotel = await startHotelServer([says('Good evening.')]);
    const page = await visit(browser(), `${hotel.url}/dev-ui/`, { prepare: ({ clock }) => clock.install() });
    const message = page.getByRole('textbox', { name: 'Message' });
    await message.and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Hello');
    await page.keyboard.press('Enter');
    const main = page.getByRole('main');
    await main.getByText('Good evening.').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    // The message can be selected when the page has read its event.
    await main.getByRole('article', { name: /^You, \d/ }).waitFor();
    await page.keyboard.press('j');
    await main.locator('article[aria-current]', { hasText: 'Good evening.' }).waitFor();
    await page.keyboard.press('k');
    await main.locator('article[aria-current]', { hasText: 'Hello' }).waitFor();
    expect(await message.inputValue()).toBe('');
    expect(await message.and(page.locator(':focus')).count()).toBe(1);
    await page.clock.fastForward(1_600);
    await page.keyboard.type('just a kettle');
    expect(await message.inputValue()).toBe('just a kettle');
    await main.locator('article[aria-current]', { hasText: 'Hello' }).waitFor();
  });

  it('zooms the timeline by keys and by the wheel, and shows the whole turn again', async () => {
    const hotel = await startHotelWithData();
    const page = await visit(
      browser(),
      `${hotel.url}/dev-ui/#/hotel/${hotel.sessionId}/${encodeURIComponent(hotel.eventId)}`,
    );
    const timeline = page.getByRole('region', { name: 'Timeline' });
    const bar = timeline.getByRole('button', { name: /^model/ }).last();
    await bar.waitFor();
    const width = async (): Promise<number> => (await bar.boundingBox())?.width ?? 0;
    const isLabelled = async (): Promise<boolean> => {
      const boxes = await timeline.locator('.tick').all();
      const rects = await Promise.all(boxes.map((each) => each.boundingBox()));
      return rects.length > 2 && rects.every((rect, i) => i === 0 || rects[i - 1]!.x + rects[i - 1]!.width <= rect!.x);
    };
    // The spans replace the events.
    await page.getByRole('tab', { name: 'Trace' }).click();
    await page
      .getByRole('treeitem', { name: /book_room/ })
      .first()
      .waitFor();
    await expect.poll(width).toBeGreaterThan(50);
    const first = await width();
    expect(await isLabelled()).toBe(true);
    await bar.focus();
    await page.keyboard.press('+');
    await expect.poll(width).toBeGreaterThan(first * 1.5);
    expect(await isLabelled()).toBe(true);
    await page.keyboard.press('0');
    await expect.poll(width).toBeCloseTo(first, 0);
    await bar.hover();
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -200);
    await page.keyboard.up('Control');
    await expect.poll(width).toBeGreaterThan(first * 1.2);
    await timeline.getByRole('button', { name: 'Show the whole turn' }).click();
    await expect.poll(width).toBeCloseTo(first, 0);
    const height = (await timeline.boundingBox())!.height;
    expect((await bar.boundingBox())!.height).toBeGreaterThan(height / 5);
  });
});
