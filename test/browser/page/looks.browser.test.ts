import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { seriousInBothThemes } from '../axe.ts';
import { describeInBrowser } from '../describe-in-browser.ts';
import { startHotelServer } from '../hotel-server.ts';
import { keepScreenshot } from '../keep-screenshot.ts';
import { visit } from '../visit.ts';
import { startHotelWithData } from './hotel-with-data.ts';
import { skippedHeadings } from './skipped-headings.ts';

const tabs = {
  event: /invocationId/,
  request: /You are the concierge/,
  state: /last_room/,
  memory: /Is allergic to feathers/,
  artifacts: /Room 12, 2 nights/,
  trace: /book_room/,
  graph: /^concierge$/,
};
const wide = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };

/** The elements outside the width of the screen, if the page can scroll horizontally. */
const wideElements = `document.documentElement.scrollWidth <= innerWidth ? [] :
  [...document.querySelectorAll('body *')].filter((each) => each.getBoundingClientRect().right > innerWidth)
    .map((each) => each.tagName + ' ' + (each.getAttribute('class') ?? ''))`;

/** The controls with text that is higher than the control. */
const cutTexts = `[...document.querySelectorAll('button, a, input, summary, .bar, .top *, .tab')]
  .filter((each) => each.clientHeight > 4 && each.scrollHeight > each.clientHeight + 2 && getComputedStyle(each).overflowY !== 'auto')
  .filter((each) => !each.closest('.visually-hidden'))
  .map((each) => each.className + ': ' + each.textContent.slice(0, 40))`;

/** Returns a function that checks a view with axe in both themes and saves screenshots, and the list of serious findings. */
function checks(page: Page, prefix: string) {
  const found: string[] = [];
  const check = async (view: string, part?: string): Promise<void> => {
    const keep = (theme: string): Promise<void> => keepScreenshot(page, `${prefix}${theme}-${view}`);
    const problems = [...(await seriousInBothThemes(page, part, keep)), ...(await skippedHeadings(page))];
    found.push(...problems.map((each) => `${view}, ${each}`));
  };
  return { found, check };
}

describeInBrowser('the appearance of the page', (browser) => {
  it('passes axe in every view and in both themes', async () => {
    const hotel = await startHotelWithData();
    const at = `${hotel.url}/dev-ui/#/hotel/${hotel.sessionId}/${encodeURIComponent(hotel.eventId)}`;
    const page = await visit(browser(), at, { viewport: wide });
    const main = page.getByRole('main');
    await main.getByText('is booked, on a high floor').waitFor();
    // Open requests are loaded after the conversation, and their cards move the rows.
    await main.getByText('May Alice stay until two?').first().waitFor();
    await main.locator('summary', { hasText: 'book_room' }).click();
    await main.getByRole('tree').first().waitFor();
    const { found, check } = checks(page, '');
    for (const [tab, text] of Object.entries(tabs)) {
      await page.goto(`${at}?tab=${tab}`);
      await page.getByRole('complementary', { name: 'Inspector' }).getByText(text).first().waitFor();
      await check(tab, tab === 'event' ? undefined : 'aside');
    }
    await page.keyboard.press('Escape');
    await page.keyboard.press('ControlOrMeta+k');
    await page.keyboard.type('room');
    const palette = page.getByRole('dialog', { name: 'Find anything' });
    await palette.getByRole('option', { name: /last_room/ }).waitFor();
    await palette.locator('[data-active-item]').waitFor();
    await check('palette');
    await page.keyboard.press('Escape');
    await page.goto(`${hotel.url}/dev-ui/#/hotel`);
    await page.getByRole('list', { name: 'Suggested questions' }).waitFor();
    await check('empty');
    expect(found).toEqual([]);
  });

  it('fits a phone without horizontal scrolling and passes axe in both themes', async () => {
    const hotel = await startHotelWithData();
    const at = `${hotel.url}/dev-ui/#/hotel/${hotel.sessionId}/${encodeURIComponent(hotel.eventId)}`;
    const page = await visit(browser(), at, { viewport: phone, hasTouch: true, isMobile: true });
    await page.getByRole('main').getByText('is booked, on a high floor').waitFor();
    const { found, check } = checks(page, 'phone-');
    await check('conversation');
    const overflowing: string[] = [];
    const measure = async (view: string): Promise<void> => {
      const width: number = await page.evaluate('document.documentElement.scrollWidth');
      if (width > phone.width) overflowing.push(`${view}: ${width}`);
    };
    await measure('conversation');
    await page.getByRole('button', { name: 'Sessions', exact: true }).click();
    const drawer = page.getByRole('dialog', { name: 'Sessions' });
    await drawer.getByRole('link', { name: /^Alice/ }).waitFor();
    await check('sessions');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Show the inspector' }).click();
    for (const [tab, text] of Object.entries(tabs)) {
      await page.goto(`${at}?tab=${tab}`);
      await page.getByRole('dialog', { name: 'Inspector' }).getByText(text).first().waitFor();
      await measure(tab);
      await check(tab, '.drawer');
    }
    // The timeline has its own scroll box.
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 320, height: 800 });
    await page.keyboard.press('l');
    const timeline = page.locator('.timeline');
    await timeline.waitFor();
    for (const size of ['100%', '200%']) {
      await page.evaluate(`document.documentElement.style.fontSize = '${size}'`);
      await check(`timeline-${size}`, '.timeline');
      expect(await timeline.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
    }
    expect(overflowing).toEqual([]);
    expect(found).toEqual([]);
  });

  it('follows the text size of the browser, and then also fits the screen', async () => {
    const hotel = await startHotelWithData();
    const at = `${hotel.url}/dev-ui/#/hotel/${hotel.sessionId}/${encodeURIComponent(hotel.eventId)}`;
    for (const viewport of [wide, phone]) {
      const page = await visit(browser(), at, { viewport });
      const heightOf = (selector: string): Promise<number> =>
        page.evaluate(`document.querySelector('${selector}').getBoundingClientRect().height`);
      await page.getByRole('main').getByText('is booked, on a high floor').waitFor();
      const before = await heightOf('.entry-author');
      for (const size of [20, 24]) {
        await page.evaluate(`document.documentElement.style.fontSize = '${size}px'`);
        expect(await heightOf('.entry-author')).toBeCloseTo((before * size) / 16, 0);
        await keepScreenshot(page, `${viewport.width}-${size}px`);
        for (const tab of Object.keys(tabs)) {
          await page.goto(`${at}?tab=${tab}`);
          expect([tab, await page.evaluate(wideElements)]).toEqual([tab, []]);
          const cut: string[] = await page.evaluate(cutTexts);
          expect([tab, cut]).toEqual([tab, []]);
          if (viewport === wide) await keepScreenshot(page, `${viewport.width}-${size}px-${tab}`);
        }
      }
    }
  });

  it('shows bars and what is selected also with the colours of the system', async () => {
    const hotel = await startHotelWithData();
    const at = `${hotel.url}/dev-ui/#/hotel/${hotel.sessionId}/${encodeURIComponent(hotel.eventId)}?tab=trace`;
    const page = await visit(browser(), at, { viewport: wide, forcedColors: 'active' });
    const styleOf = (selector: string, property: string): Promise<string> =>
      page.evaluate(`getComputedStyle(document.querySelector("${selector}")).${property}`);
    await page.locator('.span-track').first().waitFor();
    const canvas = await styleOf('body', 'backgroundColor');
    for (const bar of ['.bar', '.span-track > span', '.connection-dot'])
      expect([bar, await styleOf(bar, 'backgroundColor')]).not.toEqual([bar, canvas]);
    for (const row of ['.entry', '.session-row'])
      expect([row, await styleOf(`${row}[aria-current='true']`, 'outlineStyle')]).toEqual([row, 'solid']);
    expect(await styleOf(`.tab[aria-selected='true']`, 'borderBottomColor')).not.toBe(canvas);
    expect(await styleOf(`.tab[aria-selected='false']`, 'borderBottomColor')).toBe(canvas);
  });

  it('follows the system theme until another is chosen, and keeps the choice', async () => {
    const hotel = await startHotelServer();
    const page = await visit(browser(), `${hotel.url}/dev-ui/`, { colorScheme: 'light' });
    const brightness = async (): Promise<number> => {
      const color: string = await page.evaluate('getComputedStyle(document.body).backgroundColor');
      const [red = 0, green = 0, blue = 0] = color.match(/\d+/g)!.map(Number);
      return (red + green + blue) / 3;
    };
    await page.getByRole('list', { name: 'Suggested questions' }).waitFor();
    expect(await brightness()).toBeGreaterThan(200);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(brightness).toBeLessThan(60);
    await page.getByRole('button', { name: 'Light theme' }).click();
    await expect.poll(brightness).toBeGreaterThan(200);
    await page.reload();
    await page.getByRole('button', { name: 'Dark theme' }).waitFor();
    expect(await brightness()).toBeGreaterThan(200);
  });
});
