import { buffer } from 'node:stream/consumers';
import { calls, streams } from '@thole/testing';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser } from '../describe-in-browser.ts';
import { openAdkWeb } from './adk-web.ts';

const answers = [
  calls('book_room', { room: 12, nights: 2 }),
  streams('Room **12** ', 'is yours.'),
  streams('Breakfast is ', 'at seven.'),
];

describeInBrowser('ADK’s web UI, on our server', (browser) => {
  it('lists the apps, creates a session, and chats with a tool call, streaming or not', async () => {
    const { page, hotel, requests } = await openAdkWeb(browser(), ...answers);
    await page.locator('.selector-button', { hasText: 'hotel' }).waitFor();
    expect(requests).toContain('GET /list-apps');
    await ask(page, 'Book me a room');
    await page.getByText('is yours.').waitFor();
    expect(await page.getByRole('button', { name: 'book_room' }).count()).toBe(2);
    expect(requests).toContain('POST /apps/hotel/users/user/sessions');
    await page.getByRole('button', { name: 'More options' }).click();
    await page.getByRole('menuitem', { name: 'Streaming' }).click();
    await page.keyboard.press('Escape');
    await ask(page, 'When is breakfast?');
    await page.getByText('Breakfast is at seven.', { exact: true }).waitFor();
    // The streamed text is shown once.
    expect(await page.getByText('Breakfast is').count()).toBe(1);
    expect(requests.filter((each) => each === 'POST /run_sse')).toHaveLength(2);
    hotel.model.assertDone();
  });

  it('shows state, an artifact, spans, the model’s request, and the graph of agent and tools', async () => {
    const { page, requests } = await openAdkWeb(browser(), ...answers);
    await ask(page, 'Book me a room');
    await page.getByText('is yours.').waitFor();
    await page.getByRole('tab', { name: 'State' }).click();
    await page.getByRole('tabpanel', { name: 'State' }).getByText('last_room').waitFor();
    await page.getByRole('tab', { name: 'Artifacts' }).click();
    await page.getByRole('tabpanel', { name: 'Artifacts' }).getByText('Room 12, 2 nights.').waitFor();
    expect(requests.some((each) => each.endsWith('/artifacts/booking.txt/versions/0'))).toBe(true);
    await page.getByText('Traces', { exact: true }).click();
    await page.getByText('generate_content').first().waitFor();
    expect(requests.some((each) => each.startsWith('GET /dev/apps/hotel/debug/trace/session/'))).toBe(true);
    await page.getByText('Events', { exact: true }).click();
    await page.getByText('is yours.').click();
    await page.getByRole('tab', { name: 'Info' }).click();
    await detail(page, 'input');
    const info = page.getByRole('tabpanel', { name: 'Info' });
    await info.getByText('You are the concierge of a small hotel.').first().waitFor();
    expect(await info.getByText('functionResponse').count()).toBeGreaterThan(0);
    await detail(page, 'account_tree');
    const drawing = info.locator('svg', { hasText: 'concierge' });
    await drawing.waitFor();
    expect((await drawing.locator('g.node').count()) >= 5).toBe(true);
  });

  it('renames a session, exports it, and imports the exported file', async () => {
    const { page, hotel } = await openAdkWeb(browser(), ...answers);
    await ask(page, 'Book me a room');
    await page.getByText('is yours.').waitFor();
    await page.locator('.selector-button', { hasText: 'Book me a room' }).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    const name = page.getByRole('textbox').first();
    await name.fill('A room for Alice');
    await name.press('Enter');
    await page.locator('.selector-button', { hasText: 'A room for Alice' }).waitFor();
    const user = { appName: 'hotel', userId: 'user' };
    const list = async () => (await hotel.client.sessions.list(user)).sessions;
    const read = async () =>
      Promise.all((await list()).map(({ id: sessionId }) => hotel.client.sessions.get({ ...user, sessionId })));
    // The UI shows the name before the server has stored it.
    const displayName = 'A room for Alice';
    await expect.poll(async () => (await read())[0]!.state['__session_metadata__']).toEqual({ displayName });
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const file = await buffer(await (await downloading).createReadStream());
    expect(JSON.parse(file.toString())).toMatchObject({ appName: 'hotel' });
    const choosing = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Import' }).click();
    await (await choosing).setFiles({ name: 'session.json', mimeType: 'application/json', buffer: file });
    await expect.poll(async () => (await list()).length).toBe(2);
    const [first, second] = await read();
    expect(second!.events.map(({ content }) => content)).toEqual(first!.events.map(({ content }) => content));
    expect(first!.state['__session_metadata__']).toEqual({ displayName });
    await page.getByText('is yours.').waitFor();
  });
});

async function ask(page: Page, text: string): Promise<void> {
  const box = page.getByRole('textbox', { name: 'Type a message...' });
  await box.fill(text);
  await box.press('Enter');
}

/** Clicks a button of the tab "Info". The name of an icon is the only name of these buttons. */
async function detail(page: Page, icon: string): Promise<void> {
  await page.getByRole('tabpanel', { name: 'Info' }).locator('button', { hasText: icon }).first().click();
}
