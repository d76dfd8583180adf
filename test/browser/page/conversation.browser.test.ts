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
    await message.getByText('text/plain, 16 B').waitFor();
    await message.getByRole('img', { name: 'view.png' }).waitFor();
    await expect.poll(() => page.evaluate(`document.querySelector('article img').naturalWidth`)).toBe(1);
    const sent = hotel.model.requests[0]!.contents.at(-1)!.parts!;
    expect(sent.map(({ text, inlineData }) => text ?? inlineData?.data)).toEqual([
      'What do you say to these?',
      menu.buffer.toString('base64'),
      pixel,
    ]);
  });

  it('ignores files that are dropped next to the message box, and other dragged data', async () => {
    const hotel = await startHotelServer();
    const page = await visit(browser(), `${hotel.url}/dev-ui/`);
    await page.getByRole('list', { name: 'Suggested questions' }).waitFor();
    // Without `preventDefault`, the browser opens the dropped file instead of the page.
    const isPrevented = (name: string, data: string): Promise<boolean> =>
      page.evaluate(`{
        const dataTransfer = new DataTransfer();
        dataTransfer.${data};
        const drag = new DragEvent('${name}', { dataTransfer, bubbles: true, cancelable: true });
        !document.querySelector('main').dispatchEvent(drag);
      }`);
    for (const name of ['dragover', 'drop']) {
      expect(await isPrevented(name, `items.add(new File(['a'], 'a.txt'))`)).toBe(true);
      expect(await isPrevented(name, `setData('text/plain', 'a')`)).toBe(false);
    }
    expect(await page.getByRole('list', { name: 'Attached files' }).count()).toBe(0);
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

  it('writes code from left to right in an answer from right to left', async () => {
    const hotel = await startHotelServer([says('مرحبا `a = 1`\n\n- واحد\n\n> اقتباس\n\n```\nlet a = "مرحبا";\n```')]);
    const page = await visit(browser(), `${hotel.url}/dev-ui/`);
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
    await page.keyboard.press('Enter');
    await page.locator('.code-block').waitFor();
    const style = (selector: string, name: string): Promise<string> =>
      page.evaluate(`getComputedStyle(document.querySelector('.markdown ${selector}')).${name}`);
    expect(await style('p', 'direction')).toBe('rtl');
    expect(await style('p code', 'direction')).toBe('ltr');
    expect(await style('pre code', 'direction')).toBe('ltr');
    expect(await style('ul', 'paddingLeft')).toBe('0px');
    expect(await style('blockquote', 'borderRightWidth')).toBe('3px');
  });

  it('shows a call without arguments, which a session may contain', async () => {
    const hotel = await startHotelServer();
    const call = { role: 'model', parts: [{ functionCall: { name: 'call_taxi' } }] };
    const events = [
      { author: 'user', invocationId: 'i', content: { role: 'user', parts: [{ text: 'A taxi, please.' }] } },
      { author: 'concierge', invocationId: 'i', content: call },
    ];
    const created = await fetch(`${hotel.url}/apps/hotel/users/user/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sessionId: 'taxi', events }),
    });
    expect(created.status).toBe(200);
    const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel/taxi`);
    await page.locator('summary', { hasText: 'call_taxi' }).click();
    await page.getByRole('tree', { name: 'arguments' }).waitFor();
  });

  it('shows an error instead of content that it cannot draw, and continues to work', async () => {
    const inlineData = { data: 'AAAA' } as { data: string; mimeType: string };
    const hotel = await startHotelServer([
      { content: { role: 'model', parts: [{ text: 'A file:' }, { inlineData }] } },
      says('Better now.'),
    ]);
    const page = await visit(browser(), `${hotel.url}/dev-ui/`, { expected: /threw|startsWith/ });
    const conversation = page.getByRole('main', { name: 'Conversation' });
    for (const text of ['Show me the file.', 'Again, please.']) {
      await page.getByRole('textbox', { name: 'Message' }).fill(text);
      await page.keyboard.press('Enter');
      await conversation.getByText('The page cannot show this part').first().waitFor();
    }
    await conversation.getByText('A file:').waitFor();
    await conversation.getByText('Better now.').waitFor();
  });
});
