import { textOf } from '@thole/core';
import { LlmAgent } from '@thole/runner';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { FunctionTool } from '@thole/tools';
import type { Browser, BrowserContextOptions, Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser } from '../describe-in-browser.ts';
import { startHotelServer } from '../hotel-server.ts';
import type { HotelServer } from '../hotel-server.ts';
import { visit } from '../visit.ts';
import { startHotelWithData } from './hotel-with-data.ts';
import type { HotelWithData } from './hotel-with-data.ts';
import { pixel } from './pixel.ts';

const user = { appName: 'hotel', userId: 'user' };

/** Opens a tab of the inspector for the answer of a hotel with data. */
async function look(browser: Browser, hotel: HotelWithData, tab: string, options?: BrowserContextOptions) {
  const at = `#/hotel/${hotel.sessionId}/${encodeURIComponent(hotel.eventId)}?tab=${tab}`;
  const page = await visit(browser, `${hotel.url}/dev-ui/${at}`, options);
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  const conversation = page.getByRole('main', { name: 'Conversation' });
  await conversation.getByText('is booked, on a high floor').waitFor();
  return { page, inspector, conversation };
}

const sessionOf = (hotel: HotelWithData) => hotel.client.sessions.get({ ...user, sessionId: hotel.sessionId });

async function sayHello(hotel: HotelServer, sessionId: string): Promise<void> {
  await hotel.client.sessions.create({ ...user, sessionId });
  await hotel.client.runToCompletion({ ...user, sessionId, newMessage: 'Do you like figs?' });
}

describeInBrowser('the page, in its inspector', (browser) => {
  it('shows an event’s stored JSON with search, folding, copying and marked changes', async () => {
    const hotel = await startHotelWithData();
    const permissions = ['clipboard-read', 'clipboard-write'];
    const { page, inspector, conversation } = await look(browser(), hotel, 'event', { permissions });
    await conversation.locator('summary', { hasText: 'book_room' }).click();
    await conversation.getByRole('button', { name: 'event of the answer' }).click();
    const tree = inspector.getByRole('tree', { name: 'Event as JSON' });
    await tree.locator('[data-marked]', { hasText: 'last_room' }).waitFor();
    const stored = (await sessionOf(hotel)).events.find(({ actions }) => 'last_room' in actions.stateDelta)!;

    await inspector.getByRole('button', { name: 'Copy as JSON' }).click();
    const copied = async (): Promise<string> => page.evaluate('navigator.clipboard.readText()');
    await expect.poll(copied).toContain(stored.id);
    expect(JSON.parse(await copied())).toEqual(JSON.parse(JSON.stringify(stored)));

    const lines = tree.getByRole('treeitem');
    await inspector.getByRole('button', { name: 'Open all' }).click();
    const all = await lines.count();
    await inspector.getByRole('button', { name: 'Close all' }).click();
    await expect.poll(() => lines.count()).toBeLessThan(all);
    await inspector.getByRole('searchbox', { name: 'Search in this event' }).fill('high floor');
    await tree.locator('mark', { hasText: 'high floor' }).first().waitFor();
  });

  it('shows the exact request of an answer and its new parts', async () => {
    const hotel = await startHotelWithData();
    const { inspector } = await look(browser(), hotel, 'request');
    const list = inspector.getByRole('list', { name: 'Parts of the request' });
    const heads = list.locator('.part-head[aria-expanded="false"]');
    await heads.first().waitFor();
    // An opened part stays open, and a group contains more parts.
    while ((await heads.count()) > 0) await heads.first().click();
    const shown = (await list.locator('.part-text pre').allTextContents()).join('\n');
    const request = hotel.model.requests.at(-2)!;
    const sent = request.contents.map(textOf).filter((text) => text !== '');
    expect(sent.length).toBeGreaterThan(1);
    for (const text of ['You are the concierge of a small hotel.\nThe guest likes: ', ...sent])
      expect(shown).toContain(text.trim());
    for (const name of ['book_room', 'call_taxi', 'ask_manager'])
      await list.getByText(`Tool ${name}`).first().waitFor();

    await inspector.getByRole('button', { name: /^Changes since the previous request \(\d+\)$/ }).click();
    const changes = inspector.getByRole('list', { name: 'Changes in the request' });
    await changes
      .getByText(/book_room/)
      .first()
      .waitFor();
    await expect.poll(() => changes.getByText('Book me a room on a high floor').count()).toBe(0);
  });

  it('shows the state by scope, changes keys, and undoes a deletion', async () => {
    const hotel = await startHotelWithData();
    const { page, inspector } = await look(browser(), hotel, 'state');
    const scope = (name: string) => inspector.getByRole('region', { name: `${name} state` });
    await scope('Session').getByRole('button', { name: 'Edit mood, now "calm"' }).waitFor();
    await scope('User').getByRole('tree', { name: 'Value of likes' }).getByText('"high floor"').waitFor();
    await expect.poll(() => inspector.getByText('__session_metadata__').count()).toBe(0);
    expect(
      await scope('User')
        .getByRole('button', { name: /^Edit mood/ })
        .count(),
    ).toBe(0);
    await scope('User')
      .getByRole('button', { name: /^Edit likes/ })
      .click();
    await page.getByRole('textbox', { name: 'Value of likes, as JSON' }).fill('["low flo');
    await page.getByRole('button', { name: 'Save', exact: true }).and(page.locator(':disabled')).waitFor();
    await page.getByRole('textbox', { name: 'Value of likes, as JSON' }).fill('["low floor"]');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await scope('User').getByRole('button', { name: 'Edit likes, now ["low floor"]' }).waitFor();
    expect((await sessionOf(hotel)).state['user:likes']).toEqual(['low floor']);

    await scope('Session').getByRole('button', { name: 'History of last_room' }).click();
    const history = scope('Session').getByRole('list', { name: 'History of last_room, newest first' });
    await history.getByText('12', { exact: true }).waitFor();
    await scope('Session').getByRole('button', { name: 'Delete guests' }).click();
    await expect.poll(async () => 'guests' in (await sessionOf(hotel)).state).toBe(false);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => (await sessionOf(hotel)).state['guests']).toBe(2);

    const search = inspector.getByRole('searchbox', { name: 'Search keys and values' });
    await search.fill('likes');
    await inspector.getByText('1 found').waitFor({ state: 'attached' });
    await search.fill(' balcony ');
    await inspector.getByText('The state does not contain “balcony”.').waitFor();
    expect(await scope('Session').count()).toBe(0);
    await search.fill('');
    await scope('Session').waitFor();
  });

  it('keeps unsaved changes of the state while another tab or session is open', async () => {
    const hotel = await startHotelServer();
    for (const sessionId of ['one', 'two'])
      await hotel.client.sessions.create({ appName: 'hotel', userId: 'user', sessionId, state: { mood: 'calm' } });
    const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel/one?tab=state`);
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    const value = inspector.getByLabel('Value of mood, as JSON');
    await inspector.getByRole('button', { name: 'Edit mood' }).click();
    await value.fill('"not yet sav');
    await inspector.getByRole('button', { name: 'Add key to app state' }).click();
    await inspector.getByText('By default, a server refuses changes of app state.').waitFor();
    await inspector.getByLabel('Name of the new key').fill('rate');
    await page.getByRole('tab', { name: 'Event' }).click();
    await value.waitFor({ state: 'detached' });
    await page.goto(`${hotel.url}/dev-ui/#/hotel/two?tab=state`);
    await inspector.getByRole('button', { name: 'Edit mood' }).waitFor();
    await page.goto(`${hotel.url}/dev-ui/#/hotel/one?tab=event`);
    await page.getByRole('tab', { name: 'Event' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tab', { name: 'Request' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('ArrowRight');
    expect(await value.inputValue()).toBe('"not yet sav');
    expect(await inspector.getByLabel('Name of the new key').inputValue()).toBe('rate');
    await page.locator('[role=tab]:focus').waitFor();
    await value.fill('"saved"');
    await inspector.getByRole('button', { name: 'Save' }).click();
    await inspector.getByText('"saved"', { exact: true }).waitFor();
    await value.waitFor({ state: 'detached' });
    // The focus stays near a removed form and a removed last key.
    const withFocus = (each: Locator) => each.and(page.locator(':focus'));
    await inspector.getByLabel('Name of the new key').press('Escape');
    await withFocus(inspector.getByRole('button', { name: 'Add key to app state' })).waitFor();
    await inspector.getByRole('button', { name: 'Delete mood' }).press('Enter');
    await withFocus(inspector.getByRole('searchbox', { name: 'Search keys and values' })).waitFor();
  });

  it('undoes the deletion of a key in its own session while another session is open', async () => {
    const hotel = await startHotelServer();
    for (const sessionId of ['first', 'second'])
      await hotel.client.sessions.create({ ...user, sessionId, state: { guest: sessionId } });
    const guestOf = async (sessionId: string) =>
      (await hotel.client.sessions.get({ ...user, sessionId })).state['guest'];
    const address = (sessionId: string): string => `${hotel.url}/dev-ui/#/hotel/${sessionId}?tab=state`;
    const page = await visit(browser(), address('first'));
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    await inspector.getByRole('button', { name: 'Delete guest' }).click();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    expect(await guestOf('first')).toBeUndefined();
    await page.goto(address('second'));
    await inspector.getByText('"second"').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => guestOf('first')).toBe('first');
    expect(await guestOf('second')).toBe('second');
    await inspector.getByText('"second"').waitFor();
  });

  it('previews files, and shows two versions of a file next to each other', async () => {
    const hotel = await startHotelWithData();
    const ref = { ...user, sessionId: hotel.sessionId };
    await hotel.client.artifacts.save({ ...ref, filename: 'booking.txt', artifact: { text: 'Room 14, 2 nights.' } });
    const inlineData = { mimeType: 'image/png', data: pixel };
    for (const filename of ['constructor', 'view.png'])
      await hotel.client.artifacts.save({ ...ref, filename, artifact: { inlineData } });
    for (const name of ['Old', 'New']) {
      const text = Array.from({ length: 1_500 }, (_, i) => `${name} line ${i}`).join('\n');
      await hotel.client.artifacts.save({ ...ref, filename: 'long.txt', artifact: { text } });
    }
    const { page, inspector } = await look(browser(), hotel, 'artifacts');
    const files = inspector.getByRole('list', { name: 'Files' });
    // The first file, unless the selected event saved another one.
    await files.locator('[aria-current="true"]', { hasText: 'booking.txt' }).waitFor();
    await inspector.getByText('Room 14, 2 nights.').waitFor();
    await inspector.getByLabel('Compare with').selectOption('0');
    const changed = inspector.getByLabel('Changes from version 0 to 1');
    await changed.getByText('Room 12, 2 nights.').waitFor();
    await changed.getByText('Room 14, 2 nights.').waitFor();
    expect(await inspector.locator('.beside figure').count()).toBe(2);
    await files.getByRole('button', { name: 'long.txt' }).click();
    await inspector.getByLabel('Compare with').selectOption('0');
    await changed.getByText('⋯ 1000 more lines').waitFor();
    expect(await changed.locator('.diff-line').count()).toBe(2_000);
    await files.getByRole('button', { name: 'view.png' }).click();
    await inspector.getByRole('img').waitFor();
    await expect.poll(() => page.evaluate(`document.querySelector('.preview img').naturalWidth`)).toBe(1);
  });

  it('keeps the preview in view if there are many files, and explains files without a preview', async () => {
    const hotel = await startHotelServer();
    const ref = { ...user, sessionId: 'one' };
    await hotel.client.sessions.create(ref);
    const save = (filename: string, mimeType: string, text: string) =>
      hotel.client.artifacts.save({
        ...{ ...ref, filename },
        artifact: { inlineData: { mimeType, data: Buffer.from(text).toString('base64') } },
      });
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="top.hacked = 1"><script>top.hacked = 1</script></svg>';
    await save('broken.png', 'image/png', 'not an image');
    await save('drawing.svg', 'image/svg+xml', svg);
    await save('page.html', 'text/html', '<script>top.hacked = 1</script>');
    await save('nothing.txt', 'text/plain', '');
    for (let i = 0; i < 30; i++) await save(`report ${i}.txt`, 'text/plain', `Report ${i}`);
    const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel/one?tab=artifacts`);
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    const isInView = (text: string): Promise<void> =>
      expect
        .poll(async () => (await inspector.getByText(text, { exact: true }).last().boundingBox())?.y ?? Infinity)
        .toBeLessThan(500);
    await inspector.getByText('This browser cannot show the file.').waitFor();
    for (const [name, text] of [
      ['drawing.svg', 'Version 0 · image/svg+xml · '],
      ['page.html', '<script>top.hacked = 1</script>'],
      ['nothing.txt', 'The file is empty.'],
      ['report 7.txt', 'Report 7'],
    ] as const) {
      await inspector.getByRole('button', { name }).click();
      if (name === 'drawing.svg') await inspector.getByRole('img').waitFor();
      else await isInView(text);
    }
    expect(await page.evaluate('top.hacked')).toBeUndefined();
  });

  it('shows times in timeline and trace, and marks an event’s agents and tools in the graph', async () => {
    const hotel = await startHotelWithData();
    const { page, inspector, conversation } = await look(browser(), hotel, 'trace');
    const tool = page
      .getByRole('group', { name: 'concierge' })
      .getByRole('button', { name: /^tool book_room, \S+ ms/ });
    const tip = page.getByRole('tooltip').getByText(/tool of concierge, at /);
    // A tooltip does not open if the line moved under a resting pointer, so the pointer leaves and returns.
    const isTipShown = async (): Promise<boolean> => {
      await page.mouse.move(0, 0);
      await tool.hover({ timeout: 2_000, force: true });
      return tip.waitFor({ timeout: 2_000 }).then(
        () => true,
        () => false,
      );
    };
    await expect.poll(isTipShown, { timeout: 20_000 }).toBe(true);
    await inspector
      .getByRole('treeitem', { name: /book_room/ })
      .first()
      .waitFor();
    await tool.click();
    expect(await tool.getAttribute('aria-pressed')).toBe('true');
    await conversation
      .locator('summary', { hasText: 'book_room' })
      .getByText(/\d m?s$/)
      .waitFor();
    await inspector.getByRole('tab', { name: 'Graph' }).click();
    await inspector.locator('.graph-node[data-marked]', { hasText: 'book_room' }).first().waitFor();
    await expect.poll(() => inspector.locator('.graph-node[data-marked]', { hasText: 'call_taxi' }).count()).toBe(0);
    // The selected event calls the tool; its agent and model ran in the same turn.
    for (const label of ['LLM agent', 'Model', 'Tool'])
      await inspector.locator('.graph-node[data-marked]', { hasText: label }).first().waitFor();
  });

  it('shows the stack of a tool’s error line by line in its span', async () => {
    const openSafe = (): never => {
      throw new RangeError('The safe has no such number.');
    };
    const tool = new FunctionTool({ name: 'open_safe', description: 'Opens the safe.', execute: openSafe });
    const model = new ScriptedLlm(calls('open_safe'), says('It stays closed.'));
    const rootAgent = new LlmAgent({ name: 'concierge', model, tools: [tool] });
    const hotel = await startHotelServer([], { apps: [{ name: 'hotel', rootAgent }] });
    const ref = { ...user, sessionId: 'safe' };
    await hotel.client.sessions.create(ref);
    await hotel.client.runToCompletion({ ...ref, newMessage: { role: 'user', parts: [{ text: 'Open it.' }] } });
    const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel/safe?tab=trace`);
    await page.getByRole('treeitem', { name: /open_safe/ }).click();
    const lines = (await page.getByLabel('Stack').innerText()).split('\n');
    expect(lines[0]).toBe('RangeError: The safe has no such number.');
    expect(lines[1]).toMatch(/^ +at .*openSafe/);
    await page.getByRole('tree', { name: 'Attributes of execute_tool open_safe' }).getByText('"RangeError"').waitFor();
  });

  it('saves a session to memory and finds its turns with relevance and a link', async () => {
    const hotel = await startHotelServer([says('Above all.')]);
    await sayHello(hotel, 'figs');
    const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel/figs?tab=memory`);
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    await inspector.getByText('There are no memories yet').waitFor();
    const save = inspector.getByRole('button', { name: 'Save this session' });
    await save.press('Enter');
    await inspector.getByText('Do you like figs?').waitFor();
    expect(await save.and(page.locator(':focus')).count()).toBe(1);
    await inspector.getByRole('searchbox', { name: 'Search memory' }).fill('figs');
    await inspector.getByRole('button', { name: 'Search', exact: true }).click();
    const [first] = await hotel.client.memory.search({ ...user, query: 'figs' });
    const found = inspector.getByRole('list', { name: 'Search results, best first' }).getByRole('listitem').first();
    await found.getByText(`${Math.round(first!.relevance! * 100)} %`).waitFor();
    await found.getByRole('button', { name: 'from this session' }).click();
    await page.getByRole('main').locator('article[aria-current]', { hasText: 'Do you like figs?' }).waitFor();
  });
});
