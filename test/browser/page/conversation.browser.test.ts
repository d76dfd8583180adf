import { says, streams, thinks } from '@thole/testing';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser } from '../describe-in-browser.ts';
import { startHotelServer } from '../hotel-server.ts';
import { visit } from '../visit.ts';
import { pixel } from './pixel.ts';

/** Drops or pastes a file into the message box. */
async function insertFile(
  page: Page,
  action: 'drop' | 'paste',
  { name, type, base64 }: { name: string; type: string; base64: string },
): Promise<void> {
  await page.evaluate(`(() => {
    const bytes = Uint8Array.from(atob(${JSON.stringify(base64)}), (one) => one.charCodeAt(0));
    const data = new DataTransfer();
    data.items.add(new File([bytes], ${JSON.stringify(name)}, { type: ${JSON.stringify(type)} }));
    const options = { bubbles: true, cancelable: true };
    const event =
      ${JSON.stringify(action)} === 'drop'
        ? new DragEvent('drop', { ...options, dataTransfer: data })
        : new ClipboardEvent('paste', { ...options, clipboardData: data });
    document.querySelector('#message').dispatchEvent(event);
  })()`);
}

describeInBrowser('the page, in its conversation', (browser) => {
  it('accepts chosen, dropped and pasted files and shows them before and after sending', async () => {
    const hotel = await startHotelServer([says('A fine view.')]);
    const page = await visit(browser(), `${hotel.url}/dev-ui/`);
    const attached = page.getByRole('list', { name: 'Attached files' });
    const choosing = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Attach files' }).click();
    const menu = { name: 'menu.txt', mimeType: 'text/plain', buffer: Buffer.from('Figs with honey.') };
    await (await choosing).setFiles(menu);
    await attached.getByRole('link', { name: 'menu.txt' }).waitFor();
    await insertFile(page, 'drop', { name: 'view.png', type: 'image/png', base64: pixel });
    await attached.getByRole('img', { name: 'view.png' }).waitFor();
    await insertFile(page, 'paste', { name: 'bill.csv', type: 'text/csv', base64: btoa('room,12') });
    await attached.getByRole('link', { name: 'bill.csv' }).waitFor();
    await attached.getByRole('button', { name: 'Remove bill.csv' }).click();
    await attached.getByRole('link', { name: 'bill.csv' }).waitFor({ state: 'detached' });

    await page.getByRole('textbox', { name: 'Message' }).fill('What do you say to these?');
    await page.getByRole('button', { name: 'Send' }).click();
    const conversation = page.getByRole('main', { name: 'Conversation' });
    await conversation.getByText('A fine view.').waitFor();
    await expect.poll(() => attached.count()).toBe(0);
    const message = conversation.getByRole('article', { name: /^You/ });
    await message.getByRole('link', { name: 'menu.txt' }).waitFor();
    await message.getByRole('img', { name: 'view.png' }).waitFor();
    await expect.poll(() => page.evaluate(`document.querySelector('article img').naturalWidth`)).toBe(1);
    const sent = hotel.model.requests[0]!.contents.at(-1)!.parts!;
    expect(sent.map(({ text, inlineData }) => text ?? inlineData?.data)).toEqual([
      'What do you say to these?',
      menu.buffer.toString('base64'),
      pixel,
    ]);
  });

  it('hides thoughts until they are opened', async () => {
    const hotel = await startHotelServer([thinks('The guest is tired.', 'Sleep well.')]);
    const page = await visit(browser(), `${hotel.url}/dev-ui/`);
    const conversation = page.getByRole('main', { name: 'Conversation' });
    await page.getByRole('textbox', { name: 'Message' }).fill('Good night.');
    await page.keyboard.press('Enter');
    await conversation.getByText('Sleep well.').waitFor();
    const thought = conversation.getByText('The guest is tired.');
    expect(await thought.isVisible()).toBe(false);
    await conversation.locator('summary', { hasText: 'Thoughts' }).click();
    await thought.waitFor();
  });

  it('keeps the reading position while an answer is written and jumps to the newest on request', async () => {
    const rest = Promise.withResolvers<void>();
    const lines = (from: number) => Array.from({ length: 60 }, (_, i) => `Line ${from + i}.\n\n`).join('');
    const hotel = await startHotelServer([streams(lines(0), lines(60), 'The end.')], { afterPartial: rest.promise });
    const page = await visit(browser(), `${hotel.url}/dev-ui/`);
    const conversation = page.getByRole('main', { name: 'Conversation' });
    await page.getByRole('textbox', { name: 'Message' }).fill('Tell me all.');
    await page.keyboard.press('Enter');
    await conversation.getByText('Line 59.').waitFor();
    const top = (): Promise<number> => page.evaluate(`document.querySelector('.entries').scrollTop`);
    await page.locator('.entries').hover();
    await page.mouse.wheel(0, -400);
    const newest = page.getByRole('button', { name: 'Jump to newest' });
    await newest.waitFor();
    const read = await top();
    rest.resolve();
    await conversation.getByText('The end.').waitFor({ state: 'attached' });
    expect(await top()).toBe(read);
    await newest.click();
    await expect.poll(top).toBeGreaterThan(1_000);
    await newest.waitFor({ state: 'detached' });
  });
});
