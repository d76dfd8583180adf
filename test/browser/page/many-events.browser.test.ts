import { createEvent } from '@thole/core';
import type { Event, Part } from '@thole/core';
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

describeInBrowser('a conversation longer than the view', (browser) => {
  it('keeps a tool call open that was outside the view', async () => {
    const hotel = await startHotelServer();
    const ref = { appName: 'hotel', userId: 'user', sessionId: 'long' };
    const session = await hotel.sessionService.createSession(ref);
    const append = (author: string, part: Part): Promise<Event> => {
      const role = author === 'user' ? 'user' : 'model';
      const event = createEvent({ author, invocationId: 'i', content: { role, parts: [part] } });
      return hotel.sessionService.appendEvent({ session, event });
    };
    await append('user', { text: 'Question' });
    await append('concierge', { functionCall: { id: 'c1', name: 'find_room', args: { floor: 'the highest' } } });
    await append('concierge', { functionResponse: { id: 'c1', name: 'find_room', response: { room: 12 } } });
    for (let i = 0; i < 150; i++) await append('concierge', { text: `Answer ${i}` });
    const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel/long`);
    await page.getByText('Answer 149').hover();
    const call = page.locator('summary', { hasText: 'find_room' });
    await page.mouse.wheel(0, -100_000);
    await call.click();
    const inside = page.getByRole('tree', { name: 'arguments' });
    await inside.getByText('the highest').waitFor();
    await page.getByRole('button', { name: 'Jump to newest' }).click();
    await page.getByText('Answer 149').waitFor();
    await expect.poll(() => call.count()).toBe(0);
    await page.getByText('Answer 149').hover();
    await page.mouse.wheel(0, -100_000);
    await inside.getByText('the highest').waitFor();
    await call.click();
    await expect.poll(() => inside.count()).toBe(0);
  });
});

const box = `[...document.querySelectorAll('main *')].find((each) => each.scrollHeight > 20_000)`;
