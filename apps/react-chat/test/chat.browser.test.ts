import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { seriousIn } from '../../../test/browser/axe.ts';
import { buildChatPage } from '../../../test/browser/build-page.ts';
import { describeInBrowser } from '../../../test/browser/describe-in-browser.ts';
import { visit } from '../../../test/browser/visit.ts';
import { startServer } from '../server/start-server.ts';
import type { ChatServer } from '../server/start-server.ts';

describeInBrowser('apps/react-chat', (browser) => {
  const data = mkdtempSync(join(tmpdir(), 'thole-react-chat-'));
  let server: ChatServer;

  beforeAll(async () => {
    server = await startServer({ folder: await buildChatPage(), port: 0, env: { THOLE_DATA: data } });
  });
  afterAll(async () => {
    await server?.close();
    rmSync(data, { recursive: true, force: true });
  });

  const send = async (page: Page, text: string): Promise<void> => {
    await page.getByRole('textbox', { name: 'Message' }).fill(text);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Send' }).waitFor();
  };
  const readAnswers = (page: Page): Promise<string[]> =>
    page.getByRole('listitem', { name: 'Concierge' }).allInnerTexts();

  it('books a room after an approval, and keeps the chat after a reload', async () => {
    const page = await visit(browser(), `${server.url}/?userId=ada`);
    await send(page, 'Book me a room with a sea view.');
    await page.getByRole('group', { name: 'Approve book_room?' }).waitFor();
    expect(await seriousIn(page)).toEqual([]);
    await page.reload();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText(/I have booked room \d+/).waitFor();
    await page.getByText('book_room: done').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    const shown = await readAnswers(page);
    expect(shown).toHaveLength(1);
    await page.reload();
    await expect.poll(() => readAnswers(page)).toEqual(shown);
    await expect.poll(() => page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    await page.getByRole('button', { name: 'New chat' }).click();
    await expect.poll(() => page.getByRole('listitem').count()).toBe(0);
  });

  it('allows no other site to show the page in a frame, and no images of other hosts', async () => {
    const { headers } = await fetch(`${server.url}/`);
    expect(headers.get('content-security-policy')).toMatch(/img-src 'self' data:;.* frame-ancestors 'none'/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('follows the buttons back and forward, and shows an error only in its own chat', async () => {
    const page = await visit(browser(), `${server.url}/?userId=eve#one`, { expected: /503/ });
    await send(page, 'Hello');
    await expect.poll(() => page.getByRole('listitem', { name: 'You' }).count()).toBe(1);
    await page.getByRole('button', { name: 'New chat' }).click();
    await expect.poll(() => page.getByRole('listitem').count()).toBe(0);
    await page.goBack();
    await page.getByRole('listitem', { name: 'You' }).getByText('Hello').waitFor();
    await page.route('**/chat/*/messages?*', (route) => route.fulfill({ status: 503 }));
    await page.goForward();
    await page.getByText(/^Cannot load the chat/).waitFor();
    await page.unroute('**/chat/*/messages?*');
    await page.getByRole('button', { name: 'Load the chat again' }).click();
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    await page.goBack();
    await page.getByRole('listitem', { name: 'You' }).getByText('Hello').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('does not book after a rejection', async () => {
    const page = await visit(browser(), `${server.url}/?userId=bob`);
    await send(page, 'Book me a room with a sea view.');
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByText('book_room: rejected').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    await send(page, 'Which bookings do I have?');
    await expect.poll(async () => (await readAnswers(page)).join('\n')).toMatch(/list_bookings: done[^]*no bookings/i);
  });

  it('approves a booking after another message was sent', async () => {
    const page = await visit(browser(), `${server.url}/?userId=ida`);
    await send(page, 'Book me a room with a sea view.');
    await send(page, 'What can you do for me?');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('book_room: done').waitFor();
    // The answer is shown at its own place when it is complete.
    await expect.poll(async () => (await readAnswers(page))[0]).toContain('book_room: done');
    const shown = await readAnswers(page);
    await page.reload();
    await expect.poll(() => readAnswers(page)).toEqual(shown);
  });

  it('shows the booking if another tab has approved it', async () => {
    const address = `${server.url}/?userId=jan#shared`;
    const first = await visit(browser(), address, { expected: /404/ });
    await send(first, 'Book me a room with a sea view.');
    const second = await visit(browser(), address);
    await second.getByRole('button', { name: 'Approve' }).click();
    await second.getByText(/I have booked room \d+/).waitFor();
    await second.getByRole('button', { name: 'Send' }).waitFor();
    await first.getByRole('button', { name: 'Approve' }).click();
    await first.getByText(/I have booked room \d+/).waitFor();
    const alert = first.getByRole('alert');
    expect(await alert.innerText()).toBe('The message contains no answer to an open interrupt of the session.');
  });

  it('regenerates an answer, which replaces the first one', async () => {
    const page = await visit(browser(), `${server.url}/?userId=eve`);
    await send(page, 'What can you do for me?');
    const [first] = await readAnswers(page);
    const regenerate = page.getByRole('button', { name: 'Regenerate' });
    await regenerate.click();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    await expect.poll(() => readAnswers(page)).toEqual([first]);
    await regenerate.and(page.locator(':focus')).waitFor();
    await page.reload();
    await expect.poll(() => readAnswers(page)).toEqual([first]);
  });

  it('resumes a running answer after a reload', async () => {
    const page = await visit(browser(), `${server.url}/?userId=fay`);
    await page.getByRole('textbox', { name: 'Message' }).fill('What can you do for me?');
    await page.keyboard.press('Enter');
    await page.getByRole('listitem', { name: 'Concierge' }).waitFor();
    await page.reload();
    await page.getByRole('listitem', { name: 'Concierge' }).waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    const [complete] = await readAnswers(page);
    expect(complete!.length).toBeGreaterThan(20);
    await page.reload();
    await expect.poll(() => readAnswers(page)).toEqual([complete]);
  });

  it('continues a running answer, and keeps an unsent message, after a lost connection', async () => {
    const page = await visit(browser(), `${server.url}/?userId=kim`, { expected: /ERR_CONNECTION_RESET/ });
    const message = page.getByRole('textbox', { name: 'Message' });
    const loadAgain = page.getByRole('button', { name: 'Load the chat again' });
    const loseConnection = (beforeLoss: (request: Request) => Promise<unknown>): Promise<unknown> =>
      page.route(
        '**/ui/hotel/chat?*',
        async (route) => {
          await beforeLoss(route.request());
          await route.abort('connectionreset');
        },
        { times: 1 },
      );
    // The message arrives, but its response does not.
    await loseConnection((request) =>
      fetch(request.url(), { method: 'POST', headers: request.headers(), body: request.postData() }),
    );
    await send(page, 'What can you do for me?');
    await page.getByRole('alert').getByText('The connection to the server was lost.').waitFor();
    await loadAgain.click();
    await page.getByRole('listitem', { name: 'Concierge' }).waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    expect(await page.getByRole('listitem').count()).toBe(2);
    expect(await message.inputValue()).toBe('');

    await loseConnection(async () => {});
    await send(page, 'Which bookings do I have?');
    await loadAgain.click();
    await expect.poll(() => message.inputValue()).toBe('Which bookings do I have?');
    await message.press('Enter');
    await page.getByText(/no bookings/i).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('ends a running answer on the server with Stop', async () => {
    // The rest of the answer would arrive after the time limit of the test, so only Stop can end the run.
    const env = { THOLE_DATA: join(data, 'stop') };
    const slow = await startServer({ folder: await buildChatPage(), port: 0, env, wordDelayMs: 600_000 });
    onTestFinished(() => slow.close());
    const page = await visit(browser(), `${slow.url}/?userId=gil`);
    const isRunning = async (): Promise<boolean> => {
      const id = new URL(page.url()).hash.slice(1);
      const response = await fetch(`${slow.url}/ui/hotel/chat/${id}/messages?userId=gil`);
      return ((await response.json()) as { isRunning: boolean }).isRunning;
    };
    await page.getByRole('textbox', { name: 'Message' }).fill('What can you do for me?');
    await page.keyboard.press('Enter');
    await expect.poll(isRunning).toBe(true);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    await expect.poll(isRunning).toBe(false);
  });

  it('shows an error if Stop fails, and continues to show the answer', async () => {
    const env = { THOLE_DATA: join(data, 'stop-fails') };
    const slow = await startServer({ folder: await buildChatPage(), port: 0, env, wordDelayMs: 600_000 });
    onTestFinished(() => slow.close());
    const page = await visit(browser(), `${slow.url}/?userId=hal`, { expected: /503/ });
    let isFailing = true;
    await page.route('**/stream?*', (route) =>
      isFailing && route.request().method() === 'DELETE' ? route.fulfill({ status: 503 }) : route.continue(),
    );
    await page.getByRole('textbox', { name: 'Message' }).fill('What can you do for me?');
    await page.keyboard.press('Enter');
    await page.getByRole('listitem', { name: 'Concierge' }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.innerText()).toBe('Cannot stop the answer. Error: The server answered with status 503.');
    isFailing = false;
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    expect(await alert.count()).toBe(0);
  });
});
