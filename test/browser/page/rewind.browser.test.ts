import { createEvent, systemRuntime } from '@thole/core';
import { calls, says, streams } from '@thole/testing';
import type { Browser, Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { seriousInBothThemes } from '../axe.ts';
import { describeInBrowser } from '../describe-in-browser.ts';
import { lastUserText, startHotelServer } from '../hotel-server.ts';
import type { HotelServer } from '../hotel-server.ts';
import { keepScreenshot } from '../keep-screenshot.ts';
import { visit } from '../visit.ts';
import type { VisitOptions } from '../visit.ts';

const ref = { appName: 'hotel', userId: 'user', sessionId: 'stay' };
const phone = { width: 390, height: 844 };

describeInBrowser('Rewinds on the page', (browser) => {
  it('removes a message with everything after it, after a confirmation', async () => {
    const hotel = await startHotelServer([...twoTurns, says('Lunch is at noon.')]);
    const page = await openStay(browser(), hotel);
    const answer = await rowOf(page, 'Breakfast is at seven.');
    await answer.getByRole('button', { name: 'Rewind here' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rewind the session?' });
    await dialog.getByText('Removes “When is breakfast?” and everything after it: 2 messages.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await rows(page).count()).toBe(5);

    await answer.getByRole('button', { name: 'Rewind here' }).click();
    await dialog.getByRole('button', { name: 'Rewind', exact: true }).click();
    await page.getByText('The session is rewound.').waitFor();
    await answer.waitFor({ state: 'detached' });
    expect(await rows(page).count()).toBe(3);
    await page.reload();
    await rowOf(page, 'Room 12 is yours.');
    expect(await rows(page).count()).toBe(3);
    await page.getByText('Turn 1 of 1').waitFor();
    await page.getByRole('tab', { name: 'Request' }).click();
    const request = page.getByRole('complementary', { name: 'Inspector' });
    await request.getByText('answer of book_room').waitFor();
    expect(await request.getByText('When is breakfast?').count()).toBe(0);

    await page.getByRole('textbox', { name: 'Message' }).fill('When is lunch?');
    await page.getByRole('button', { name: 'Send' }).click();
    await rowOf(page, 'Lunch is at noon.');
    expect(JSON.stringify(hotel.model.requests.at(-1)!.contents)).not.toContain('breakfast');
  });

  it('rewinds with the keyboard and continues at the message box', async () => {
    const hotel = await startHotelServer(twoTurns);
    const page = await openStay(browser(), hotel);
    const question = await rowOf(page, 'Book me a room.');
    await question.getByRole('button', { name: 'Rewind here' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Rewind the session?' });
    await dialog.getByText(/and everything after it: 4 messages/).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await expect.poll(() => focused(page)).toBe('Rewind here');
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Cancel' }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await question.waitFor({ state: 'detached' });
    await page.getByRole('list', { name: 'Suggested questions' }).waitFor();
    await expect.poll(() => focused(page)).toBe('Message');
  });

  it('shows the reason at the message if the server refuses a rewind', async () => {
    const hotel = await startHotelServer([calls('ask_manager', { question: 'Free?' }), says('I am still waiting.')]);
    await hotel.client.sessions.create(ref);
    await hotel.client.runToCompletion({ ...ref, newMessage: 'Is a room free?' });
    await hotel.client.runToCompletion({ ...ref, newMessage: 'Any news?' });
    const asking = (await hotel.client.sessions.get(ref)).events.find(({ longRunningToolIds }) => longRunningToolIds)!;
    // An answer that another client stored later.
    const functionResponse = { id: asking.longRunningToolIds![0]!, name: 'ask_manager', response: { free: true } };
    await hotel.sessionService.appendEvent({
      session: ref,
      event: createEvent(
        { invocationId: 'late', author: 'user', content: { role: 'user', parts: [{ functionResponse }] } },
        systemRuntime(),
      ),
    });
    const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel/stay`, { expected: /4\d\d/ });
    const answer = await rowOf(page, 'I am still waiting.');
    await answer.getByRole('button', { name: 'Rewind here' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rewind', exact: true }).click();
    const alert = answer.getByRole('alert');
    await alert.getByText('REWIND_SPLITS_CALL', { exact: true }).waitFor();
    await alert.getByText(`Rewind before invocation "${asking.invocationId}", which contains the call.`).waitFor();
    await expect.poll(() => focused(page)).toBe('Rewind here');
  });

  it('answers the last message again without a question', async () => {
    const hotel = await startHotelServer([...twoTurns, says('Breakfast is at eight.')]);
    const page = await openStay(browser(), hotel);
    const answer = await rowOf(page, 'Breakfast is at seven.');
    await answer.getByRole('button', { name: 'Answer again' }).click();
    await rowOf(page, 'Breakfast is at eight.');
    await answer.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Send' }).waitFor();
    expect(await rows(page).count()).toBe(5);
    expect(lastUserText(hotel.model.requests.at(-1)!)).toBe('When is breakfast?');
    const { events } = await hotel.client.sessions.get(ref);
    expect(events.filter(({ actions }) => actions.rewindBeforeInvocationId !== undefined)).toHaveLength(1);
  });

  it('hides the earlier answer while the new one is written and read', async () => {
    const rest = Promise.withResolvers<void>();
    const script = [...twoTurns, streams('Breakfast is ', 'at eight.')];
    const hotel = await startHotelServer(script, { afterPartial: rest.promise });
    const page = await openStay(browser(), hotel);
    const answer = await rowOf(page, 'Breakfast is at seven.');
    const reading = Promise.withResolvers<void>();
    await page.route('**/sessions/stay', async (route) => {
      const response = await route.fetch();
      await reading.promise;
      await route.fulfill({ response });
    });
    await answer.getByRole('button', { name: 'Answer again' }).click();
    await page.getByRole('main').getByText('Breakfast is', { exact: true }).waitFor();
    await expect.poll(() => answer.count()).toBe(0);
    expect(await rows(page).filter({ hasText: 'When is breakfast?' }).count()).toBe(1);
    expect(await page.getByRole('button', { name: 'Rewind here' }).first().isDisabled()).toBe(true);
    rest.resolve();
    await rowOf(page, 'Breakfast is at eight.');
    await page.getByRole('button', { name: 'Send' }).waitFor();
    expect(await answer.count()).toBe(0);
    reading.resolve();
    await page.getByRole('button', { name: 'Rewind here' }).last().and(page.locator(':enabled')).waitFor();
    expect(await answer.count()).toBe(0);
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('asks before it answers an earlier message again', async () => {
    const hotel = await startHotelServer([...twoTurns, says('No room is free.')]);
    const page = await openStay(browser(), hotel);
    const question = await rowOf(page, 'Book me a room.');
    await question.getByRole('button', { name: 'Answer again' }).click();
    const dialog = page.getByRole('dialog', { name: 'Answer this message again?' });
    await dialog.getByText('Removes “Book me a room.” and everything after it: 4 messages.').waitFor();
    await dialog.getByRole('button', { name: 'Answer again' }).click();
    await rowOf(page, 'No room is free.');
    expect(await rows(page).count()).toBe(2);
    expect(lastUserText(hotel.model.requests.at(-1)!)).toBe('Book me a room.');
  });

  it('copies the session up to a message and lists where the copy comes from', async () => {
    const functionCall = { id: 'b1', name: 'book_room', args: { room: 12, nights: 2 } };
    const parts = [{ text: 'One moment.' }, { functionCall }];
    const hotel = await startHotelServer([{ content: { role: 'model', parts } }, ...twoTurns.slice(1)]);
    const page = await openStay(browser(), hotel);
    const answer = await rowOf(page, 'One moment.');
    await answer.getByRole('button', { name: 'Copy the session up to here' }).click();
    const list = page.getByRole('navigation', { name: 'Sessions' });
    await list
      .getByRole('link', { name: /Copy of Alice/ })
      .and(list.locator('[aria-current="page"]'))
      .waitFor();
    await rowOf(page, 'Book me a room.');
    await expect.poll(() => rows(page).count()).toBe(2);
    // The result of the call is in the copy too.
    await page.getByRole('main').locator('summary', { hasText: 'book_room' }).filter({ hasText: 'done' }).waitFor();
    const { sessions } = await hotel.client.sessions.list({ appName: 'hotel', userId: 'user' });
    expect(sessions.map(({ forkedFrom }) => forkedFrom?.sessionId).filter((id) => id !== undefined)).toEqual(['stay']);
    expect((await hotel.client.sessions.get(ref)).events).toHaveLength(6);
  });

  it('passes axe and fits a phone in both themes', async () => {
    const hotel = await startHotelServer(twoTurns);
    const page = await openStay(browser(), hotel, { viewport: phone, hasTouch: true, isMobile: true });
    const answer = await rowOf(page, 'Breakfast is at seven.');
    await answer.getByRole('button', { name: 'Answer again' }).waitFor();
    const keep = (view: string) => (theme: string) => keepScreenshot(page, `rewind-${theme}-${view}`);
    const found = await seriousInBothThemes(page, undefined, keep('rows'));
    await answer.getByRole('button', { name: 'Rewind here' }).click();
    await page.getByRole('dialog', { name: 'Rewind the session?' }).waitFor();
    found.push(...(await seriousInBothThemes(page, '.dialog', keep('dialog'))));
    expect(found).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(phone.width);
  });
});

const twoTurns = [
  calls('book_room', { room: 12, nights: 2 }),
  says('Room 12 is yours.'),
  says('Breakfast is at seven.'),
];

/** Opens a session with two turns, named after a guest. */
async function openStay(browser: Browser, hotel: HotelServer, options?: VisitOptions): Promise<Page> {
  await hotel.client.sessions.create({ ...ref, state: { __session_metadata__: { displayName: 'Alice' } } });
  await hotel.client.runToCompletion({ ...ref, newMessage: 'Book me a room.' });
  await hotel.client.runToCompletion({ ...ref, newMessage: 'When is breakfast?' });
  return visit(browser, `${hotel.url}/dev-ui/#/hotel/stay`, options);
}

/** Returns the rows that are messages or calls, without notes. */
const rows = (page: Page): Locator => page.locator('main article:not([data-noted])');

/** Waits for the row with this text and moves the mouse to it. */
async function rowOf(page: Page, text: string): Promise<Locator> {
  const row = rows(page).filter({ hasText: text });
  await row.waitFor();
  await row.hover();
  return row;
}

function focused(page: Page): Promise<string | null> {
  return page.evaluate('document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.tagName ?? null');
}
