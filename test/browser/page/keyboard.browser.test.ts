import { says, streams } from '@thole/testing';
import { expect, it } from 'vitest';
import { describeInBrowser } from '../describe-in-browser.ts';
import { startHotelServer } from '../hotel-server.ts';
import { visit } from '../visit.ts';

describeInBrowser('the page with the keyboard only', (browser) => {
  it('starts sessions, sends messages, selects events, opens tabs, and searches', async () => {
    const hotel = await startHotelServer([streams('Good ', 'evening.'), says('At seven.')]);
    const page = await visit(browser(), `${hotel.url}/dev-ui/`);
    const { keyboard } = page;
    const message = page.getByRole('textbox', { name: 'Message' });
    const messageWithFocus = message.and(page.locator(':focus'));
    await messageWithFocus.waitFor();
    await keyboard.type('Hello');
    await keyboard.press('Enter');
    const conversation = page.getByRole('main', { name: 'Conversation' });
    await conversation.getByText('Good evening.').waitFor();

    // Letters are text in a field, and shortcuts outside of fields.
    await keyboard.type('n');
    expect(await message.inputValue()).toBe('n');
    await keyboard.press('Backspace');
    await keyboard.press('Escape');
    await keyboard.press('j');
    await conversation.locator('article[aria-current]', { hasText: 'Good evening.' }).waitFor();
    await keyboard.press('k');
    await conversation.locator('article[aria-current]', { hasText: 'Hello' }).waitFor();
    await keyboard.press('j');
    await keyboard.press('r');
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    expect(await inspector.getByRole('tab', { name: 'Request' }).getAttribute('aria-selected')).toBe('true');
    await inspector.getByText('You are the concierge of a small hotel.').first().waitFor();

    await keyboard.press('n');
    await page.getByRole('list', { name: 'Suggested questions' }).waitFor();
    await messageWithFocus.waitFor();
    await keyboard.type('When is breakfast?');
    await keyboard.press('Enter');
    await conversation.getByText('At seven.').waitFor();

    await keyboard.press('ControlOrMeta+k');
    const palette = page.getByRole('dialog', { name: 'Find anything' });
    await palette.waitFor();
    await keyboard.type('open state');
    // Enter is pressed at once: the typed text counts, also before the list is drawn.
    await keyboard.press('Enter');
    await palette.waitFor({ state: 'hidden' });
    await expect.poll(() => inspector.getByRole('tab', { name: 'State' }).getAttribute('aria-selected')).toBe('true');
    expect(await hotel.client.sessions.list({ appName: 'hotel', userId: 'user' })).toMatchObject({ totalItems: 2 });
  });

  it('shows the focus at every step of Tab, and the list of keys after ?', async () => {
    const hotel = await startHotelServer();
    const page = await visit(browser(), `${hotel.url}/dev-ui/`);
    await page.getByRole('list', { name: 'Suggested questions' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('New session').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    const unseen: string[] = [];
    const seen = new Set<string>();
    for (let i = 0; i < 25; i++) {
      await page.keyboard.press('Tab');
      const focus: Focus | null = await page.evaluate(focusOfPage);
      if (focus === null) continue;
      seen.add(focus.name);
      if (!focus.shown) unseen.push(focus.name);
    }
    expect(seen.size).toBeGreaterThan(12);
    expect(unseen).toEqual([]);
  });

  it('shows the tooltip of a button after a delay and with the focus, until Escape', async () => {
    const hotel = await startHotelServer();
    const page = await visit(browser(), `${hotel.url}/dev-ui/`);
    await page.getByRole('list', { name: 'Suggested questions' }).waitFor();
    const button = page.getByRole('button', { name: 'Hide the inspector' });
    const tooltip = page.getByRole('tooltip');
    const { x, y } = (await button.boundingBox())!;
    await page.mouse.move(x + 5, y + 5);
    const from = Date.now();
    await page.mouse.move(x + 8, y + 8);
    await tooltip.getByText('Hide the inspector').waitFor();
    expect(Date.now() - from).toBeGreaterThan(400);
    expect(await tooltip.locator('kbd').innerText()).toBe('i');

    // The next one replaces it.
    await page.getByRole('button', { name: 'Hide the timeline' }).hover();
    await tooltip.getByText('Hide the timeline').waitFor();
    expect(await tooltip.count()).toBe(1);
    await page.mouse.move(x - 300, y + 300, { steps: 3 });
    await tooltip.waitFor({ state: 'detached' });

    await button.focus();
    await page.keyboard.press('Tab');
    await tooltip.getByText('Dark theme').waitFor();
    await page.keyboard.press('Shift+Tab');
    await tooltip.getByText('Hide the inspector').waitFor();
    // The text follows the button, and moves of the mouse elsewhere do not hide it.
    await page.keyboard.press('Enter');
    await tooltip.getByText('Show the inspector').waitFor();
    await page.mouse.move(x - 300, y + 320, { steps: 3 });
    expect(await tooltip.innerText()).toBe('Show the inspector i');
    await page.keyboard.press('Escape');
    await tooltip.waitFor({ state: 'detached' });
  });
});

interface Focus {
  name: string;
  /** True if the element, or the form around it, is marked and in view. */
  shown: boolean;
}

const focusOfPage = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return null;
  const isMarked = (each) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(each);
    return (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none';
  };
  const { width, height } = element.getBoundingClientRect();
  const around = element.closest('form');
  return {
    name: element.tagName + ' ' + (element.getAttribute('aria-label') ?? element.textContent.slice(0, 30)),
    shown: width > 0 && height > 0 && (isMarked(element) || (around !== null && isMarked(around))),
  };
})()`;
