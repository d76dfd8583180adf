import { calls, says, streams } from '@thole/testing';
import type { Page, Route } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser } from '../describe-in-browser.ts';
import { startHotelServer } from '../hotel-server.ts';
import { visit } from '../visit.ts';

const sessionOne = /\/sessions\/one(\?|$)/;
const sessionList = /\/sessions(\?|$)/;
const user = { appName: 'hotel', userId: 'user' };

const say = async (page: Page, text: string): Promise<void> => {
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.keyboard.press('Enter');
};

/** Returns the texts of the rows, each up to a length. */
const rowsOf = async (page: Page, length: number): Promise<string[]> =>
  (await page.getByRole('main').locator('article .entry-blocks').allInnerTexts()).map((text) => text.slice(0, length));

/** A response that the server has given and the page has not received. */
interface HeldResponse {
  /** Resolves when the server has answered. */
  answered: Promise<void>;
  /** Delivers the response. Resolves when the page has read it. */
  deliver: () => Promise<void>;
}

/** Holds the response to the next request with this method and address. */
async function holdNext(page: Page, method: string, url: RegExp): Promise<HeldResponse> {
  const answered = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const delivered = Promise.withResolvers<void>();
  let isHeld = false;
  const hold = async (route: Route): Promise<void> => {
    if (isHeld || route.request().method() !== method) return route.fallback();
    isHeld = true;
    const response = await route.fetch();
    answered.resolve();
    await released.promise;
    await route.fulfill({ response });
    await route.request().response();
    delivered.resolve();
  };
  await page.route(url, hold);
  return {
    answered: answered.promise,
    async deliver() {
      released.resolve();
      await delivered.promise;
      await page.unroute(url, hold);
      // The page has handled the response after two frames.
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    },
  };
}

/** Makes the page read the session and the list again, as a return to its tab does. */
const returnToTab = (page: Page): Promise<unknown> => page.evaluate(`dispatchEvent(new Event('focus'))`);

describeInBrowser('the page with late responses', (browser) => {
  it('keeps newer events, state and sessions', async () => {
    const hotel = await startHotelServer([calls('call_taxi'), says('It comes.')]);
    for (const sessionId of ['one', 'two']) await hotel.client.sessions.create({ ...user, sessionId });
    const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel/one?tab=state`);
    const list = page.getByRole('navigation', { name: 'Sessions' });
    await list.getByRole('link', { name: /^two/ }).waitFor();

    // The session is left and opened again while its run starts.
    await page.goto(`${hotel.url}/dev-ui/#/hotel/two?tab=state`);
    await page.getByRole('list', { name: 'Suggested questions' }).waitFor();
    const early = await holdNext(page, 'GET', sessionOne);
    await page.goto(`${hotel.url}/dev-ui/#/hotel/one?tab=state`);
    await early.answered;
    await say(page, 'A taxi, please.');
    await expect.poll(async () => (await hotel.client.sessions.get({ ...user, sessionId: 'one' })).lastSeq).toBe(2);
    await expect.poll(() => page.locator('.session-row .run-dot').count()).toBe(1);
    await early.deliver();
    await page.getByRole('main').locator('.tool-state', { hasText: 'running' }).waitFor();
    hotel.taxiComes();
    await page.getByRole('main').getByText('It comes.').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();

    // An older state and an older list arrive after newer ones.
    const state = page.getByRole('region', { name: 'Session state' });
    const oldSession = await holdNext(page, 'GET', sessionOne);
    const oldList = await holdNext(page, 'GET', sessionList);
    await returnToTab(page);
    await Promise.all([oldSession.answered, oldList.answered]);
    await state.getByRole('button', { name: /^Add key/ }).click();
    await page.getByRole('textbox', { name: 'Name of the new key' }).fill('mood');
    await page.getByRole('textbox', { name: 'Value of the new key, as JSON' }).fill('"calm"');
    await page.keyboard.press('ControlOrMeta+Enter');
    await state.getByText('"calm"').waitFor();
    await list.getByRole('button', { name: 'More about two' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Name of the session' }).fill('Second');
    await page.keyboard.press('Enter');
    await list.getByRole('link', { name: /^Second/ }).waitFor();
    await Promise.all([oldSession.deliver(), oldList.deliver()]);
    expect(await state.getByText('"calm"').count()).toBe(1);
    expect((await list.getByRole('link').allInnerTexts()).sort()).toEqual(['Second', 'one']);
  });

  it('sends messages in other sessions while the first session of a user is created', async () => {
    const hotel = await startHotelServer([says('Answer in one.'), says('Answer to the first.')]);
    await hotel.client.sessions.create({ ...user, sessionId: 'one' });
    const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel`);
    const main = page.getByRole('main');
    await page.getByRole('list', { name: 'Suggested questions' }).waitFor();
    const creating = await holdNext(page, 'POST', sessionList);
    await say(page, 'First message');
    await creating.answered;
    // A second message would create a second session.
    await say(page, 'Written early');
    const message = page.getByRole('textbox', { name: 'Message' });
    expect(await message.inputValue()).toBe('Written early');
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);

    await page.getByRole('navigation', { name: 'Sessions' }).getByRole('link', { name: /^one/ }).click();
    await page.waitForURL(/#\/hotel\/one/);
    await expect.poll(() => message.inputValue()).toBe('');
    await say(page, 'In one');
    await main.getByText('Answer in one.').waitFor();
    await creating.deliver();
    await page
      .getByRole('navigation', { name: 'Sessions' })
      .getByRole('link', { name: /^First message/ })
      .click();
    await main.getByText('Answer to the first.').waitFor();
    await expect.poll(() => message.inputValue()).toBe('Written early');
    expect((await hotel.client.sessions.list(user)).sessions).toHaveLength(2);

    await page.goto(`${hotel.url}/dev-ui/#/hotel`);
    await page.getByRole('list', { name: 'Suggested questions' }).waitFor();
    await message.fill('Another session');
    expect(await page.getByRole('button', { name: 'Send' }).isEnabled()).toBe(true);
  });

  it('shows no memories of another user, and leaves the focus and the text of another field', async () => {
    const hotel = await startHotelServer([says('Hello.')]);
    const note = (text: string) => ({ kind: 'note' as const, content: { role: 'user' as const, parts: [{ text }] } });
    await hotel.client.memory.add({ ...user, userId: 'ada', memories: [note('Ada likes tea.')] });
    await hotel.client.memory.add({ ...user, userId: 'bob', memories: [note('Bob likes coffee.')] });
    const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel?tab=memory&user=ada`);
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    await inspector.getByText('Ada likes tea.').waitFor();
    const adding = await holdNext(page, 'POST', /\/memory/);
    await inspector.getByRole('button', { name: 'Add memory' }).click();
    const newMemory = inspector.getByRole('textbox', { name: 'New memory' });
    await newMemory.fill('Ada likes cake.');
    await inspector.getByRole('button', { name: 'Remember' }).click();
    await adding.answered;
    // Text that is added now would be lost when the form closes.
    expect(await newMemory.isEditable()).toBe(false);
    await page.goto(`${hotel.url}/dev-ui/#/hotel?tab=memory&user=bob`);
    await inspector.getByText('Bob likes coffee.').waitFor();
    // The message is shown for a short time only.
    const remembered = page.getByText('Remembered.').waitFor();
    await Promise.all([remembered, adding.deliver()]);
    expect(await inspector.locator('.memory-text').allInnerTexts()).toEqual(['Bob likes coffee.']);

    // A new session opens while the user writes in another field.
    const creating = await holdNext(page, 'POST', sessionList);
    await say(page, 'Hello?');
    await creating.answered;
    const search = page.getByRole('searchbox', { name: 'Search sessions' });
    await search.fill('hel');
    await creating.deliver();
    await page.getByRole('main').getByText('Hello.').waitFor();
    await page.keyboard.type('lo');
    expect(await search.inputValue()).toBe('hello');
  });
});

describeInBrowser('the page with failed responses', (browser) => {
  it('keeps the message, the run, the name and the deletion, and offers another attempt', async () => {
    const hotel = await startHotelServer([says('Hello.'), streams('Half of ', 'an answer.')], {
      afterPartial: new Promise(() => {}),
    });
    for (const sessionId of ['one', 'two']) await hotel.client.sessions.create({ ...user, sessionId });
    const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel/one`, { expected: /503/ });
    const main = page.getByRole('main');
    const list = page.getByRole('navigation', { name: 'Sessions' });
    const fail = async (method: string, url: RegExp): Promise<() => Promise<void>> => {
      const answer = (route: Route): Promise<void> =>
        route.request().method() === method ? route.fulfill({ status: 503 }) : route.fallback();
      await page.route(url, answer);
      return () => page.unroute(url, answer);
    };
    await page.getByRole('list', { name: 'Suggested questions' }).waitFor();

    // The session cannot be read after the run.
    const readAgain = await fail('GET', sessionOne);
    const tracesAgain = await fail('GET', /\/debug\/trace\//);
    await say(page, 'Hello?');
    await main.getByText('Hello.').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    await page.getByRole('tab', { name: 'Trace' }).click();
    const tryAgain = page.getByRole('complementary').getByRole('button', { name: 'Try again' });
    await tryAgain.waitFor();
    expect(await rowsOf(page, 6)).toEqual(['Hello?', 'Hello.']);
    await Promise.all([readAgain(), tracesAgain()]);
    await tryAgain.click();
    await page.locator('.span-row').first().waitFor();
    expect(await rowsOf(page, 6)).toEqual(['Hello?', 'Hello.']);

    const stopAgain = await fail('POST', /\/cancel$/);
    await say(page, 'Tell me all.');
    await main.getByText('Half of').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText(/^Not stopped\. .* Try again\.$/).waitFor();
    await main.getByText('Writing …').waitFor();
    await stopAgain();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Send' }).waitFor();

    const renameAgain = await fail('PATCH', /\/sessions\/two/);
    await list.getByRole('button', { name: 'More about two' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    const name = page.getByRole('textbox', { name: 'Name of the session' });
    await name.fill('Second');
    await page.keyboard.press('Enter');
    await page.getByText(/^Not renamed\./).waitFor();
    await renameAgain();
    expect(await name.inputValue()).toBe('Second');
    await name.press('Enter');
    const second = list.getByRole('link', { name: /^Second/ });
    await second.waitFor();

    // The list cannot be read after a deletion, which ends when the page is left.
    const listAgain = await fail('GET', sessionList);
    await list.getByRole('button', { name: 'More about Second' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await second.waitFor({ state: 'detached' });
    const reading = page.waitForResponse((each) => each.status() === 503 && sessionList.test(each.url()));
    await page.evaluate(`dispatchEvent(new Event('pagehide'))`);
    await reading;
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    expect(await second.count()).toBe(0);
    await listAgain();
  });
});
