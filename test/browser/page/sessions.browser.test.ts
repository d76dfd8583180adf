import { buffer } from 'node:stream/consumers';
import { calls, says } from '@thole/testing';
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
