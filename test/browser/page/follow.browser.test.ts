import { createEvent } from '@thole/core';
import { streams } from '@thole/testing';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser } from '../describe-in-browser.ts';
import { startHotelServer } from '../hotel-server.ts';
import type { HotelServer } from '../hotel-server.ts';
import { visit } from '../visit.ts';
import { settledBelow } from './settled-below.ts';

const user = { appName: 'hotel', userId: 'user' };

/** A BMP of 600 by 400 pixels, in base64: its height is known only when it is decoded. */
const picture = (() => {
  const bytes = Buffer.alloc(54 + 600 * 400 * 3, 150);
  bytes.fill(0, 0, 54);
  bytes.write('BM');
  bytes.writeUInt32LE(bytes.length, 2);
  bytes.writeUInt32LE(54, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(600, 18);
  bytes.writeInt32LE(400, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  return bytes.toString('base64');
})();

async function fill(hotel: HotelServer, sessionId: string, turns: number, last: object[] = []): Promise<void> {
  const session = await hotel.sessionService.createSession({ ...user, sessionId });
  for (let i = 0; i < turns; i++) {
    const invocationId = `i${i}`;
    for (const [author, role, parts] of [
      ['user', 'user', [{ text: `Question ${i}: which room is free?` }]],
      [
        'concierge',
        'model',
        [{ text: `Answer ${i}.\n\n${'Room **12** is free.\n\n'.repeat(i % 9)}` }, ...(i === turns - 1 ? last : [])],
      ],
    ] as const)
      await hotel.sessionService.appendEvent({
        session,
        event: createEvent({ author, invocationId, content: { role, parts: [...parts] } }),
      });
  }
}

/** Returns the current distance from the end in pixels. */
const leftBelow = (page: Page): Promise<number> =>
  page.evaluate(`(() => {
    const { scrollHeight, scrollTop, clientHeight } = document.querySelector('.entries');
    return Math.abs(scrollHeight - scrollTop - clientHeight);
  })()`);

describeInBrowser('the end of the conversation', (browser) => {
  it('is in view when a session of 2,000 events is opened, also with images that come late', async () => {
    const hotel = await startHotelServer();
    await fill(hotel, 'plain', 1_000);
    await fill(hotel, 'pictures', 40, [
      ...Array.from({ length: 3 }, () => ({ inlineData: { mimeType: 'image/bmp', data: picture } })),
    ]);
    const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel/plain`);
    await page.getByText('Answer 999.').waitFor();
    expect(await settledBelow(page)).toBeLessThanOrEqual(1);
    await page.goto(`${hotel.url}/dev-ui/#/hotel/pictures`);
    await page.locator('article img').first().waitFor();
    expect(await settledBelow(page)).toBeLessThanOrEqual(1);
  });

  it('follows a long stream until the reader scrolls up, and again after a jump to the end', async () => {
    const pieces = Array.from({ length: 400 }, (_, i) => `Line ${i} of a long answer.\n\n`);
    const hotel = await startHotelServer([streams(...pieces), streams('And ', 'more.')]);
    await fill(hotel, 'long', 200);
    const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel/long`);
    await page.getByText('Answer 199.').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('Tell me all.');
    await page.keyboard.press('Enter');
    await page.getByRole('main').getByText('Line 399 of a long answer.').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    expect(await settledBelow(page)).toBeLessThanOrEqual(1);
    await page.locator('.entries').hover();
    await page.mouse.wheel(0, -600);
    const jump = page.getByRole('button', { name: 'Jump to newest' });
    await jump.waitFor();
    await jump.click();
    await expect.poll(() => leftBelow(page)).toBeLessThanOrEqual(1);
    await jump.waitFor({ state: 'detached' });
  });

  it('does not move while a pointer is down on a button, and is in view again after the click', async () => {
    const gate = Promise.withResolvers<void>();
    const pieces = Array.from({ length: 60 }, (_, i) => `Line ${i} of a long answer.\n\n`);
    const hotel = await startHotelServer([streams(...pieces)], { afterPartial: gate.promise });
    await fill(hotel, 'pressed', 20);
    const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel/pressed`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.getByText('Answer 19.').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('Tell me all.');
    await page.keyboard.press('Enter');
    const main = page.getByRole('main');
    await main.getByText('Line 0 of a long answer.').waitFor();
    expect(await settledBelow(page)).toBeLessThanOrEqual(1);
    const copy = main.locator('article', { hasText: 'Answer 19.' }).getByRole('button', { name: 'Copy text' });
    await copy.hover();
    await page.mouse.down();
    const before = await copy.boundingBox();
    gate.resolve();
    await main.getByText('Line 59 of a long answer.').waitFor();
    await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
    await settledBelow(page);
    expect((await copy.boundingBox())!.y).toBe(before!.y);
    await page.mouse.up();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toContain('Answer 19.');
    expect(await settledBelow(page)).toBeLessThanOrEqual(1);
  });
});
