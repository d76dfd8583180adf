import { createEvent, systemRuntime } from '@thole/core';
import { says } from '@thole/testing';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser } from '../describe-in-browser.ts';
import { startHotelServer } from '../hotel-server.ts';
import { visit } from '../visit.ts';

const user = { appName: 'hotel', userId: 'user' };
const message = (page: Page) => page.getByRole('textbox', { name: 'Message' });

/** Makes requests wait until `answer` resolves. They then fail with status 500. */
async function failLater(page: Page, path: string, answer: Promise<void>): Promise<void> {
  await page.route(path, async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    await answer;
    await route.fulfill({ status: 500, json: { detail: 'The disk is full.', code: 'INTERNAL' } });
  });
}

describeInBrowser('text that is written on the page', (browser) => {
  it('returns to its own session when it was not sent, before newer text', async () => {
    const hotel = await startHotelServer();
    for (const sessionId of ['first', 'second']) await hotel.client.sessions.create({ ...user, sessionId });
    const address = `${hotel.url}/dev-ui/#/hotel`;
    const page = await visit(browser(), `${address}/first`, { expected: /500/ });
    const failing = Promise.withResolvers<void>();
    await failLater(page, '**/run_sse', failing.promise);
    await page.getByRole('list', { name: 'Suggested questions' }).waitFor();
    await message(page).fill('Is a room free?');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await message(page).fill('With a balcony, please.');
    await page.goto(`${address}/second`);
    await page.getByRole('list', { name: 'Suggested questions' }).waitFor();
    failing.resolve();
    await page.goto(`${address}/first`);
    await page.getByText('The disk is full.').waitFor();
    expect(await message(page).inputValue()).toBe('Is a room free?\n\nWith a balcony, please.');
    await page.goto(`${address}/second`);
    await expect.poll(() => message(page).inputValue()).toBe('');
  });

  it('is sent when the page knows the apps, if Enter was pressed before', async () => {
    const hotel = await startHotelServer([says('At your service.')]);
    const reading = Promise.withResolvers<void>();
    const prepare = (page: Page): Promise<unknown> =>
      page.route('**/list-apps?*', (route) => reading.promise.then(() => route.continue()));
    const page = await visit(browser(), `${hotel.url}/dev-ui/`, { prepare });
    await message(page).fill('Hello');
    await page.keyboard.press('Enter');
    reading.resolve();
    await page.getByRole('main').getByText('At your service.').waitFor();
    expect(await message(page).inputValue()).toBe('');
  });

  it('moves to the session of the first message, and starts no second session', async () => {
    const hotel = await startHotelServer([says('At your service.')]);
    const page = await visit(browser(), `${hotel.url}/dev-ui/`);
    const creating = Promise.withResolvers<void>();
    await page.route('**/sessions', async (route) => {
      if (route.request().method() === 'POST') await creating.promise;
      await route.continue();
    });
    await page.getByRole('list', { name: 'Suggested questions' }).waitFor();
    await message(page).fill('Hello');
    await page.keyboard.press('Enter');
    await expect.poll(() => message(page).inputValue()).toBe('');
    await page.keyboard.type('Is a room free?');
    await page.keyboard.press('Enter');
    creating.resolve();
    await page.getByRole('main').getByText('At your service.').waitFor();
    expect(await message(page).inputValue()).toBe('Is a room free?');
    expect((await hotel.client.sessions.list(user)).totalItems).toBe(1);
  });

  it('is sent in a new session without leaving a session that was opened meanwhile', async () => {
    const hotel = await startHotelServer([says('At your service.'), says('The pool is closed.')]);
    await hotel.client.sessions.create({ ...user, sessionId: 'first' });
    const newMessage = { role: 'user' as const, parts: [{ text: 'Hello?' }] };
    await hotel.client.runToCompletion({ ...user, sessionId: 'first', newMessage });
    const page = await visit(browser(), `${hotel.url}/dev-ui/`);
    const creating = Promise.withResolvers<void>();
    await page.route('**/sessions', async (route) => {
      if (route.request().method() === 'POST') await creating.promise;
      await route.continue();
    });
    await page.getByRole('list', { name: 'Suggested questions' }).waitFor();
    await message(page).fill('Is the pool open?');
    await page.keyboard.press('Enter');
    await expect.poll(() => message(page).inputValue()).toBe('');
    await page.getByRole('link', { name: /^first/ }).click();
    const main = page.getByRole('main');
    await main.getByText('At your service.').waitFor();
    creating.resolve();
    await page.getByRole('link', { name: /^Is the pool open/ }).waitFor();
    await expect.poll(async () => (await hotel.client.sessions.list(user)).sessions[0]?.lastSeq).toBe(2);
    expect(await page.evaluate('location.hash')).toContain('first');
    await main.getByText('At your service.').waitFor();
    await page.getByRole('link', { name: /^Is the pool open/ }).click();
    await main.getByText('The pool is closed.').waitFor();
    expect(await main.getByText('Is the pool open?').count()).toBe(1);
  });

  it('is not sent by the Enter that ends the input of an input method, also in Safari', async () => {
    const hotel = await startHotelServer([says('Welcome.')]);
    const page = await visit(browser(), `${hotel.url}/dev-ui/`);
    await page.getByRole('list', { name: 'Suggested questions' }).waitFor();
    await message(page).fill('日本語');
    const key = { key: 'Enter', bubbles: true, cancelable: true };
    // Safari ends the composition before the key, so its `isComposing` is false.
    for (const init of [{ isComposing: true }, { keyCode: 229 }])
      await message(page).dispatchEvent('keydown', { ...key, ...init });
    expect(await message(page).inputValue()).toBe('日本語');
    await message(page).press('Enter');
    await page.getByRole('main').getByText('Welcome.').waitFor();
  });

  it('returns with the reason when the server creates no session', async () => {
    const hotel = await startHotelServer();
    const page = await visit(browser(), `${hotel.url}/dev-ui/`, { expected: /500/ });
    await failLater(page, '**/sessions', Promise.resolve());
    await page.getByRole('list', { name: 'Suggested questions' }).waitFor();
    await message(page).fill('Hello');
    await page.keyboard.press('Enter');
    await page.getByText('Not sent: the session could not be created. The disk is full.').waitFor();
    await expect.poll(() => message(page).inputValue()).toBe('Hello');
  });

  it('stays in the form of an edited message that is scrolled out of view', async () => {
    const hotel = await startHotelServer();
    const said = (author: string, turn: number, text: string) =>
      createEvent({ author, invocationId: `${turn}`, content: { parts: [{ text }] } }, systemRuntime());
    const events = Array.from({ length: 60 }, (_, i) => [
      said('user', i, `Question ${i}`),
      said('concierge', i, `Answer ${i}. ${'Long. '.repeat(99)}`),
    ]).flat();
    await hotel.client.sessions.create({ ...user, sessionId: 'long', events });
    const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel/long`);
    await page.getByText('Answer 59.').waitFor();
    const question = page.getByRole('article').filter({ hasText: 'Question 59' });
    await question.getByRole('button', { name: 'Edit and run again' }).click();
    const field = page.getByRole('textbox', { name: 'Edit message' });
    await field.fill('Another question');
    const scroll = (top: string) => page.evaluate(`document.querySelector('.entries').scrollTop = ${top}`);
    await scroll('0');
    await field.waitFor({ state: 'detached' });
    await scroll('1e6');
    await field.waitFor();
    expect(await field.inputValue()).toBe('Another question');
    expect(await field.and(page.locator(':focus')).count()).toBe(0);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await question.getByText('Question 59').waitFor();
    await question.getByRole('button', { name: 'Edit and run again' }).and(page.locator(':focus')).waitFor();
  });
});
