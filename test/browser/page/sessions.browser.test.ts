import { buffer } from 'node:stream/consumers';
import { createEvent } from '@thole/core';
import { LlmAgent } from '@thole/runner';
import { calls, says, ScriptedLlm } from '@thole/testing';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser } from '../describe-in-browser.ts';
import { startHotelServer } from '../hotel-server.ts';
import { visit } from '../visit.ts';

const user = { appName: 'hotel', userId: 'user' };

describeInBrowser('the list of sessions', (browser) => {
  it('renames and exports a session, imports the file as a new one, and undoes a deletion', async () => {
    const hotel = await startHotelServer([calls('book_room', { room: 12, nights: 2 }), says('Room 12 is yours.')]);
    const { client } = hotel;
    const ref = { ...user, sessionId: 'first' };
    await client.sessions.create(ref);
    await client.runToCompletion({ ...ref, newMessage: { role: 'user', parts: [{ text: 'A room, please.' }] } });
    await client.sessions.rename({ ...ref, displayName: 'Bob' });
    const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel/first`);
    const list = page.getByRole('navigation', { name: 'Sessions' });

    await list.getByRole('button', { name: 'More about Bob' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('Alice');
    await page.keyboard.press('Enter');
    await list.getByRole('link', { name: /^Alice/ }).waitFor();
    await expect
      .poll(async () => (await client.sessions.get(ref)).state['__session_metadata__'])
      .toEqual({ displayName: 'Alice' });

    await list.getByRole('button', { name: 'More about Alice' }).click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Export as a file' }).click();
    const file = await buffer(await (await downloading).createReadStream());

    const choosing = page.waitForEvent('filechooser');
    await list.getByRole('button', { name: 'Import a session from a file' }).click();
    const json = { name: 'alice.session.json', mimeType: 'application/json', buffer: file };
    await (await choosing).setFiles(json);
    await page.getByText(/^Imported with \d events/).waitFor();
    await page.getByRole('main').getByText('Room 12 is yours.').waitFor();
    expect((await client.sessions.list(user)).totalItems).toBe(2);

    await list.getByRole('button', { name: 'More about Alice' }).first().click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await list
      .getByRole('link', { name: /^Alice/ })
      .first()
      .waitFor();
    expect((await client.sessions.list(user)).totalItems).toBe(2);
  });

  it('offers to undo a deletion while the pointer or the focus is on the button', async () => {
    const hotel = await startHotelServer();
    for (const sessionId of ['one', 'two']) await hotel.client.sessions.create({ ...user, sessionId });
    const page = await visit(browser(), `${hotel.url}/dev-ui/`, { prepare: (each) => each.clock.install() });
    const undo = page.getByRole('button', { name: 'Undo' });
    await page.getByRole('button', { name: 'More about one' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await undo.hover();
    await page.clock.runFor(60_000);
    await undo.focus();
    await page.mouse.move(700, 100);
    await page.clock.runFor(60_000);
    expect(await undo.count()).toBe(1);
    expect((await hotel.client.sessions.list(user)).totalItems).toBe(2);
    await page.getByRole('textbox', { name: 'Message' }).focus();
    await page.clock.runFor(9_000);
    expect(await undo.count()).toBe(1);
    await page.clock.runFor(2_000);
    await expect.poll(async () => (await hotel.client.sessions.list(user)).totalItems).toBe(1);
    expect(await undo.count()).toBe(0);
  });

  it('deletes no session of another app, and undoes a deletion also while another app is open', async () => {
    const agent = (name: string) => ({ name, rootAgent: new LlmAgent({ name, model: new ScriptedLlm() }) });
    const hotel = await startHotelServer([], { apps: [agent('hotel'), agent('museum')] });
    for (const appName of ['hotel', 'museum'])
      await hotel.client.sessions.create({ ...user, appName, sessionId: 'first' });
    const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel/first`);
    const list = page.getByRole('navigation', { name: 'Sessions' });
    const link = list.getByRole('link', { name: /^first/ });
    await list.getByRole('button', { name: 'More about first' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await link.waitFor({ state: 'detached' });
    await page.goto(`${hotel.url}/dev-ui/#/museum`);
    await link.waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => page.evaluate('location.hash')).toBe('#/hotel/first');
    await link.waitFor();
  });

  it('leaves no unsent text of a deleted session in the browser', async () => {
    const hotel = await startHotelServer();
    await hotel.client.sessions.create({ ...user, sessionId: 'first' });
    const prepare = ({ clock }: Page): Promise<void> => clock.install();
    const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel/first`, { prepare });
    const stored = (): Promise<boolean> => page.evaluate(`JSON.stringify(localStorage).includes('My secret')`);
    await page.getByRole('list', { name: 'Suggested questions' }).waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('My secret');
    await expect.poll(stored).toBe(true);
    await page.getByRole('button', { name: 'More about first' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.clock.fastForward(60_000);
    await expect.poll(stored).toBe(false);
    expect(await hotel.sessionService.getSession({ ...user, sessionId: 'first' })).toBeUndefined();
  });

  it('is read again with the open session when the user returns to the page', async () => {
    const hotel = await startHotelServer([says('The pool is closed.')]);
    const ref = { ...user, sessionId: 'first' };
    await hotel.client.sessions.create(ref);
    const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel/first`);
    await page.getByRole('list', { name: 'Suggested questions' }).waitFor();
    await hotel.client.runToCompletion({ ...ref, newMessage: { role: 'user', parts: [{ text: 'Tell me.' }] } });
    await hotel.client.sessions.create({ ...user, sessionId: 'second' });
    await page.evaluate(`dispatchEvent(new Event('focus'))`);
    await page.getByRole('main').getByText('The pool is closed.').waitFor();
    await page
      .getByRole('navigation', { name: 'Sessions' })
      .getByRole('link', { name: /^second/ })
      .waitFor();
  });

  it('keeps the keyboard focus near a session that is renamed or deleted', async () => {
    const hotel = await startHotelServer();
    for (const sessionId of ['one', 'two', 'three']) await hotel.client.sessions.create({ ...user, sessionId });
    const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel/one`);
    const { keyboard } = page;
    const button = (name: string) => page.getByRole('button', { name: `More about ${name}`, exact: true });
    // An item gets the focus some time after it became active, and only then other keys have an effect.
    const focusedItem = (name: string) => page.getByRole('menuitem', { name }).and(page.locator(':focus'));
    const openMenu = async (name: string): Promise<void> => {
      await button(name).focus();
      await keyboard.press('Enter');
      await focusedItem('Rename').waitFor();
    };
    for (const [key, name] of [
      ['Escape', 'two'],
      ['Enter', 'second'],
    ] as const) {
      await openMenu('two');
      await keyboard.press('Enter');
      await page.getByRole('textbox', { name: 'Name of the session' }).and(page.locator(':focus')).waitFor();
      await keyboard.type('second');
      await keyboard.press(key);
      await button(name).and(page.locator(':focus')).waitFor();
    }
    await openMenu('second');
    await keyboard.press('End');
    await focusedItem('Delete').waitFor();
    await keyboard.press('Enter');
    await button('second').waitFor({ state: 'detached' });
    await page.locator('.session-more:focus').waitFor();
  });

  it('shows only the new events of a session that was deleted and created again', async () => {
    const hotel = await startHotelServer();
    const ref = { ...user, sessionId: 'first' };
    const create = async (texts: readonly string[]): Promise<void> => {
      const events = texts.map((text) => createEvent({ author: 'user', content: { parts: [{ text }] } }));
      await hotel.client.sessions.create({ ...ref, events });
    };
    await create(['Old question 1', 'Old question 2', 'Old question 3']);
    const prepare = (each: Page): Promise<void> => each.clock.install();
    const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel/first`, { prepare, expected: /404/ });
    const articles = page.getByRole('main').getByRole('article');
    await articles.getByText('Old question 3').waitFor();
    for (const texts of [['New question'], []]) {
      await hotel.client.sessions.delete(ref);
      await create(texts);
      await page.clock.runFor(1_000);
      await page.evaluate(`dispatchEvent(new Event('focus'))`);
      await expect.poll(() => articles.getByText(/question/).allInnerTexts()).toEqual(texts);
    }
    // Text that was written for a deleted session moves to a new session.
    const message = page.getByRole('textbox', { name: 'Message' });
    await message.fill('Is a room free?');
    await hotel.client.sessions.delete(ref);
    await page.clock.runFor(1_000);
    await page.evaluate(`dispatchEvent(new Event('focus'))`);
    await page.getByRole('main').getByRole('button', { name: 'New session' }).click();
    await page.getByRole('list', { name: 'Suggested questions' }).waitFor();
    expect(await message.inputValue()).toBe('Is a room free?');
  });

  it('is empty for an unknown app, and the page explains this', async () => {
    const hotel = await startHotelServer();
    for (const path of ['motel', 'motel/first']) {
      const page = await visit(browser(), `${hotel.url}/dev-ui/#/${path}`, { expected: /404/ });
      await page.getByText('The server has no app “motel”. Open another app in the menu.').waitFor();
      await page.getByRole('button', { name: 'App: motel' }).click();
      await page.getByRole('menuitem', { name: 'hotel' }).click();
      await page.getByRole('list', { name: 'Suggested questions' }).waitFor();
    }

    // The server is restarted without an app while one of its sessions is open.
    const ref = { ...user, sessionId: 'first' };
    await hotel.client.sessions.create(ref);
    const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel/first`, { expected: /404/ });
    await page.getByRole('list', { name: 'Suggested questions' }).waitFor();
    const [app] = await hotel.client.apps.listDetailed();
    await page.route('**/list-apps?*', (route) => route.fulfill({ json: { apps: [{ ...app, name: 'inn' }] } }));
    await hotel.client.sessions.delete(ref);
    await page.evaluate(`dispatchEvent(new Event('focus'))`);
    await page.getByText('The server has no app “hotel”.').waitFor();
  });

  it('finds a session by its texts', async () => {
    const hotel = await startHotelServer([says('Breakfast is at seven.'), says('The pool is closed.')]);
    for (const sessionId of ['one', 'two']) {
      await hotel.client.sessions.create({ ...user, sessionId });
      const newMessage = { role: 'user' as const, parts: [{ text: 'Tell me.' }] };
      await hotel.client.runToCompletion({ ...user, sessionId, newMessage });
    }
    const page = await visit(browser(), `${hotel.url}/dev-ui/`);
    const list = page.getByRole('navigation', { name: 'Sessions' });
    await list.getByRole('searchbox', { name: 'Search sessions' }).fill('pool');
    await list.getByRole('link', { name: /^one/ }).waitFor({ state: 'detached' });
    await list.getByRole('link', { name: /^two/ }).waitFor();
  });
});
