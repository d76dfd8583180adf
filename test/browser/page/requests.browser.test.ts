import { calls, callsAll, says } from '@thole/testing';
import type { Browser, Locator, Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { OidcServer, SECRET } from '../../../packages/auth/test/server/oidc-server.ts';
import { seriousInBothThemes } from '../axe.ts';
import { describeInBrowser } from '../describe-in-browser.ts';
import { keepScreenshot } from '../keep-screenshot.ts';
import { visit } from '../visit.ts';
import type { VisitOptions } from '../visit.ts';
import { startHotelWithRequests } from './hotel-with-requests.ts';
import { settledBelow } from './settled-below.ts';
import { skippedHeadings } from './skipped-headings.ts';

const room = { room: 12, nights: 2 };

describeInBrowser('Requests on the page', (browser) => {
  it('shows a confirmation with its arguments instead of its call, and approves it', async () => {
    const hotel = await startHotelWithRequests([calls('book_room', room), says('Booked.')], { ttlMs: 3_600_000 });
    const page = await begin(browser(), hotel.url);
    const card = cardOf(page, 'Confirmation for book_room');
    await card.getByText('Approve or reject the call of book_room.').waitFor();
    await card.getByText('waits for an answer').waitFor();
    await card.getByRole('tree', { name: 'arguments' }).getByText('12').waitFor();
    await card.getByText(/Expires .* in (59 min|1 h 0 min)/).waitFor();
    await expect.poll(() => page.getByText('adk_request_confirmation').count()).toBe(0);
    await tool(page, 'book_room', 'waits for an answer').waitFor();
    await card.getByRole('button', { name: 'Approve' }).click();
    await said(page, 'Booked.').waitFor();
    await card.getByText('approved', { exact: true }).waitFor();
    await tool(page, 'book_room', 'done').waitFor();
    await expect.poll(() => card.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    expect(hotel.booked).toEqual([room]);
  });

  it('rejects a call with the keyboard', async () => {
    const hotel = await startHotelWithRequests([calls('pay', { amount: 90 }), says('Not paid.')]);
    const page = await begin(browser(), hotel.url);
    const card = cardOf(page, 'Confirmation for pay');
    const approve = card.getByRole('button', { name: 'Approve' });
    await approve.focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await said(page, 'Not paid.').waitFor();
    await card.getByText('rejected', { exact: true }).waitFor();
    expect(hotel.booked).toEqual([]);
    // The buttons had the focus, and are removed.
    await page.getByRole('textbox', { name: 'Message' }).and(page.locator(':focus')).waitFor();
  });

  it('edits arguments only if the tool allows it, and shows invalid ones at the field', async () => {
    const hotel = await startHotelWithRequests([callsAll(['pay', { amount: 90 }], ['book_room', room]), says('Done.')]);
    const page = await begin(browser(), hotel.url, { expected: /422/ });
    const pay = cardOf(page, 'Confirmation for pay');
    const book = cardOf(page, 'Confirmation for book_room');
    await pay.getByRole('button', { name: 'Approve' }).waitFor();
    await expect.poll(() => pay.getByRole('button', { name: 'Edit arguments' }).count()).toBe(0);
    await pay.getByRole('button', { name: 'Approve' }).click();
    await pay.getByRole('button', { name: 'Change' }).and(page.locator(':focus')).waitFor();
    await book.getByRole('button', { name: 'Edit arguments' }).click();
    const field = book.getByRole('textbox', { name: 'Arguments' });
    await expect.poll(() => page.evaluate('document.activeElement?.tagName')).toBe('TEXTAREA');
    // The keyboard instead of the mouse: the field changes its height with its text, and the button moves.
    await field.fill('{"room": ');
    await book.getByRole('button', { name: 'Approve' }).press('Enter');
    await book.getByText('Enter a JSON object.').waitFor();
    await field.fill('{"nights": 3}');
    await book.getByRole('button', { name: 'Approve' }).press('Enter');
    await page.getByRole('button', { name: 'Send 2 answers' }).click();
    await book.getByText(/room: is required/).waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(hotel.booked).toEqual([]);
    await field.fill('{"room": 14, "nights": 3}');
    await book.getByRole('button', { name: 'Approve' }).press('Enter');
    await page.getByRole('button', { name: 'Send 2 answers' }).click();
    await said(page, 'Done.').waitFor();
    expect(hotel.booked).toHaveLength(2);
    expect(hotel.booked).toEqual(expect.arrayContaining([{ amount: 90 }, { room: 14, nights: 3 }]));
  });

  it('edits the data that a tool added to its request', async () => {
    const hotel = await startHotelWithRequests([calls('lend_car'), says('Here are the keys.')]);
    const page = await begin(browser(), hotel.url);
    const card = cardOf(page, 'Confirmation for lend_car');
    await card.getByText('How many days?').waitFor();
    await card.getByRole('button', { name: 'Edit data' }).click();
    await card.getByRole('textbox', { name: 'Data' }).fill('{"days": 3');
    await card.getByRole('button', { name: 'Approve' }).press('Enter');
    await card.getByText('Enter valid JSON.').waitFor();
    await card.getByRole('textbox', { name: 'Data' }).fill('{"days": 3}');
    await card.getByRole('button', { name: 'Approve' }).press('Enter');
    await said(page, 'Here are the keys.').waitFor();
    expect(hotel.answers).toEqual([{ days: 3 }]);
  });

  it('answers several requests in one request to the server', async () => {
    const script = [
      callsAll(['book_room', room], ['ask_guest'], ['ask_manager', { question: 'Free?' }]),
      says('Done.'),
    ];
    const hotel = await startHotelWithRequests(script, { schema: { type: 'string', enum: ['sea', 'garden'] } });
    const page = await begin(browser(), hotel.url);
    const runs: string[] = [];
    page.on('request', (request) => void (request.url().endsWith('/run_sse') && runs.push(request.postData() ?? '')));
    const bar = page.getByRole('region', { name: 'Open requests' });
    await bar.getByText('0 of 3 answers ready').waitFor();
    await cardOf(page, 'Confirmation for book_room').getByRole('button', { name: 'Reject' }).click();
    const input = cardOf(page, 'Input for ask_guest');
    await input.getByText('Which room would you like?').waitFor();
    await input.getByRole('combobox', { name: 'Answer' }).selectOption('garden');
    await input.getByRole('button', { name: 'Answer' }).click();
    await bar.getByText('2 of 3 answers ready').waitFor();
    const result = page.getByRole('textbox', { name: 'Result of ask_manager' });
    await result.fill('{"free": true}');
    // The keyboard instead of the mouse: the second answer has changed the height of its card, and the page may still scroll.
    await result.press('Enter');
    await bar.getByText('3 of 3 answers ready').waitFor();
    const reject = cardOf(page, 'Confirmation for book_room');
    await reject.getByText('Will be rejected.').waitFor();
    await reject.getByRole('button', { name: 'Change' }).click();
    await reject.getByRole('button', { name: 'Approve' }).click();
    expect(runs).toEqual([]);
    await keepScreenshot(page, 'light-several-requests');
    await bar.getByRole('button', { name: 'Send 3 answers' }).click();
    await said(page, 'Done.').waitFor();
    expect(runs).toHaveLength(1);
    expect(hotel.booked).toEqual([room]);
    expect(hotel.answers).toEqual(['garden']);
    await expect.poll(() => bar.count()).toBe(0);
  });

  it('approves all confirmations with one button', async () => {
    const hotel = await startHotelWithRequests([
      callsAll(['pay', { amount: 1 }], ['pay', { amount: 2 }]),
      says('Paid.'),
    ]);
    const page = await begin(browser(), hotel.url);
    await page.getByRole('button', { name: 'Approve all' }).click();
    await said(page, 'Paid.').waitFor();
    expect(hotel.booked).toHaveLength(2);
  });

  it('creates a form from a schema and shows problems at their fields', async () => {
    const hotel = await startHotelWithRequests([calls('ask_guest'), says('Thank you.')], {
      schema: {
        type: 'object',
        properties: {
          name: { type: 'string', title: 'Name', description: 'As in the passport' },
          view: { type: 'string', enum: ['sea', 'garden'] },
          nights: { type: 'integer', minimum: 1, maximum: 30 },
          breakfast: { type: 'boolean', default: true },
          address: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
          wishes: { type: 'array', items: { type: 'string' } },
        },
        required: ['name', 'view', 'nights', 'breakfast', 'address'],
      },
    });
    const page = await begin(browser(), hotel.url, { expected: /422/ });
    const card = cardOf(page, 'Input for ask_guest');
    const answer = card.getByRole('button', { name: 'Answer' });
    await answer.click();
    await expect.poll(() => card.getByText('Enter a value.').count()).toBe(3);
    await card.getByText('Choose a value.').waitFor();
    await card.getByLabel('Name').fill('Ada');
    await card.getByText('As in the passport').waitFor();
    await card.getByLabel('view').selectOption('sea');
    await card.getByLabel('nights').fill('many');
    await card.getByRole('group', { name: 'address' }).getByLabel('city').fill('Lisbon');
    await card.getByLabel('wishes (optional)').fill('["late breakfast"]');
    await answer.click();
    await card.getByText('Enter a number.').waitFor();
    await card.getByLabel('nights').fill('99');
    await answer.click();
    await card.getByText('Must be at most 30.').waitFor();
    expect(await card.getByLabel('nights').getAttribute('aria-invalid')).toBe('true');
    expect(await card.getByLabel('breakfast').isChecked()).toBe(true);
    await card.getByLabel('nights').fill('3');
    await answer.click();
    await said(page, 'Thank you.').waitFor();
    const address = { city: 'Lisbon' };
    expect(hotel.answers).toEqual([
      { name: 'Ada', view: 'sea', nights: 3, breakfast: true, address, wishes: ['late breakfast'] },
    ]);
    await card.getByText('answered', { exact: true }).waitFor();
  });

  it('signs the user in at the authorization server and continues by itself', async () => {
    let url = '';
    const authConfig = () => ({
      authScheme: {
        type: 'openIdConnect' as const,
        openIdConnectUrl: `${url}/.well-known/openid-configuration`,
        scopes: ['openid'],
      },
      rawAuthCredential: {
        authType: 'openIdConnect' as const,
        oauth2: { clientId: 'web', clientSecret: SECRET },
      },
    });
    const hotel = await startHotelWithRequests([calls('read_mail'), says('Three mails.')], { authConfig });
    const server = await OidcServer.start([`${hotel.url}/dev-ui/`]);
    onTestFinished(() => server.close());
    ({ url } = server);
    const page = await begin(browser(), hotel.url);
    const card = cardOf(page, 'Sign-in for read_mail');
    await card.getByRole('button', { name: 'Finish sign-in' }).click();
    await card.getByText('Enter a value.').waitFor();
    const opened = page.waitForEvent('popup');
    await card.getByRole('link', { name: 'Open sign-in' }).click();
    const popup = await opened;
    await popup.locator('input[name="login"]').fill('ada');
    await popup.locator('input[name="password"]').fill('any');
    await popup.locator('button[type="submit"]').click();
    await popup.getByRole('button', { name: 'Continue' }).click();
    await popup.getByText('The sign-in has ended').waitFor();
    await said(page, 'Three mails.').waitFor();
    await card.getByText('answered', { exact: true }).waitFor();
    expect(hotel.answers).toEqual(['openIdConnect']);
  });

  it('accepts a refusal, and an API key', async () => {
    const authConfig = () => ({ authScheme: { type: 'apiKey' as const, in: 'header' as const, name: 'x-key' } });
    const script = [calls('read_mail'), says('No mails.'), calls('read_mail'), says('Three mails.')];
    const hotel = await startHotelWithRequests(script, { authConfig });
    const page = await begin(browser(), hotel.url);
    const card = cardOf(page, 'Sign-in for read_mail');
    await card.getByRole('button', { name: 'Reject' }).click();
    await said(page, 'No mails.').waitFor();
    await card.getByText('rejected', { exact: true }).waitFor();
    expect(hotel.answers).toEqual([]);
    await page.getByRole('button', { name: 'New session' }).click();
    await card.waitFor({ state: 'detached' });
    await ask(page);
    await card.getByLabel('API key').fill('k-123');
    await card.getByRole('button', { name: 'Sign in' }).click();
    await said(page, 'Three mails.').waitFor();
    expect(hotel.answers).toEqual(['apiKey']);
  });

  it('shows the time of a timer, without a form', async () => {
    const hotel = await startHotelWithRequests([]);
    const page = await begin(browser(), hotel.url, {}, 'alarm');
    const card = cardOf(page, 'Timer');
    await card.getByText(/^Due .* in (59 min|1 h 0 min)$/).waitFor();
    await expect.poll(() => card.getByRole('button').count()).toBe(0);
    await expect.poll(() => page.locator('.session-waits').count()).toBe(0);
  });

  it('shows that a request has expired, without a form', async () => {
    const hotel = await startHotelWithRequests([calls('book_room', room)], { ttlMs: 3_600_000 });
    const page = await begin(browser(), hotel.url, { prepare: ({ clock }) => clock.install() });
    const card = cardOf(page, 'Confirmation for book_room');
    await card.getByRole('button', { name: 'Approve' }).waitFor();
    await page.clock.fastForward(3_600_000);
    await card.getByText('expired', { exact: true }).waitFor();
    await expect.poll(() => card.getByRole('button').count()).toBe(0);
  });

  it('shows an open request with its form if the clock of the browser is wrong', async () => {
    const hotel = await startHotelWithRequests([calls('book_room', room), says('Booked.')], { ttlMs: 3_600_000 });
    const time = Date.now() + 365 * 86_400_000;
    const page = await begin(browser(), hotel.url, { prepare: ({ clock }) => clock.install({ time }) });
    const card = cardOf(page, 'Confirmation for book_room');
    await card.getByText(/Expires .* in (59 min|1 h 0 min)/).waitFor();
    await page.locator('.session-waits').waitFor();
    await card.getByRole('button', { name: 'Approve' }).click();
    await said(page, 'Booked.').waitFor();
  });

  it('shows a request as closed when its invocation was cancelled', async () => {
    const hotel = await startHotelWithRequests([calls('book_room', room)]);
    const page = await begin(browser(), hotel.url);
    const card = cardOf(page, 'Confirmation for book_room');
    await card.getByRole('button', { name: 'Approve' }).waitFor();
    const ref = { appName: 'hotel', userId: 'user', sessionId: sessionIdOf(page) };
    const [interrupt] = await hotel.requestsOf(ref.sessionId);
    await hotel.client.resume({ ...ref, invocationId: interrupt!.invocationId }).cancel();
    await page.reload();
    await card.getByText('closed', { exact: true }).waitFor();
    await expect.poll(() => card.getByRole('button').count()).toBe(0);
  });

  it('lists the sessions with open requests first', async () => {
    const hotel = await startHotelWithRequests([
      callsAll(['pay', { amount: 1 }], ['pay', { amount: 2 }]),
      says('Good evening.'),
    ]);
    const ref = { appName: 'hotel', userId: 'user' };
    for (const sessionId of ['first', 'second']) {
      await hotel.client.sessions.create({ ...ref, sessionId });
      await hotel.client.runToCompletion({ ...ref, sessionId, newMessage: 'Hello' });
    }
    const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel/second`);
    const list = page.getByRole('navigation', { name: 'Sessions' });
    await list.getByRole('heading', { name: 'Open requests' }).waitFor();
    await list.getByText('2 requests').waitFor();
    expect(await list.getByRole('link').allInnerTexts()).toEqual(['first', 'second']);
    await list.getByRole('link', { name: 'first' }).click();
    await cardOf(page, 'Confirmation for pay').first().getByRole('button', { name: 'Reject' }).click();
    await page.getByRole('button', { name: 'Send answer' }).click();
    await list.getByText('1 request', { exact: true }).waitFor();
  });

  it('passes axe and fits a phone in both themes', async () => {
    const script = [
      callsAll(['book_room', room], ['ask_guest'], ['ask_manager', { question: 'Free?' }]),
      says('Done.'),
    ];
    const properties = {
      view: { type: 'string', enum: ['sea', 'garden'] },
      name: { type: 'string' },
      breakfast: { type: 'boolean' },
      address: { type: 'object', properties: { city: { type: 'string' } } },
    };
    const schema = { type: 'object', properties, required: ['name', 'address'] };
    const hotel = await startHotelWithRequests(script, { schema, ttlMs: 3_600_000 });
    const viewport = { width: 390, height: 844 };
    const page = await begin(browser(), hotel.url, { viewport, hasTouch: true });
    const input = cardOf(page, 'Input for ask_guest');
    await input.getByRole('button', { name: 'Answer' }).click();
    await input.getByText('Enter a value.').waitFor();
    await cardOf(page, 'Confirmation for book_room').getByRole('button', { name: 'Edit arguments' }).click();
    const found = await seriousInBothThemes(page, undefined, (theme) =>
      keepScreenshot(page, `phone-${theme}-requests`),
    );
    found.push(...(await skippedHeadings(page)));
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('navigation', { name: 'Sessions' }).getByText('3 requests').waitFor();
    // The rows are measured again.
    await settledBelow(page);
    await cardOf(page, 'Confirmation for book_room').getByRole('button', { name: 'Approve' }).click();
    await page.getByText('1 of 3 answers ready').waitFor();
    found.push(...(await seriousInBothThemes(page, undefined, (theme) => keepScreenshot(page, `${theme}-requests`))));
    expect(found).toEqual([]);
  });
});

/** Opens the page without a session, and asks. */
async function begin(browser: Browser, url: string, options: VisitOptions = {}, app = 'hotel'): Promise<Page> {
  const page = await visit(browser, `${url}/dev-ui/#/${app}`, options);
  await ask(page);
  return page;
}

/** Sends a message, and waits for requests and the end of the run. */
async function ask(page: Page): Promise<void> {
  await say(page, 'Please.');
  await page.locator('.request').first().waitFor();
  // The run has ended. The page stops to follow the end after 150 ms without a change, which are nine frames.
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  await settledBelow(page, 10);
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
}

const said = (page: Page, text: string): Locator => page.getByRole('main').getByText(text, { exact: true });
const cardOf = (page: Page, name: string): Locator => page.getByRole('main').getByRole('region', { name, exact: true });
const tool = (page: Page, name: string, state: string): Locator =>
  page.getByRole('main').locator('.tool summary', { hasText: name }).filter({ hasText: state });
const sessionIdOf = (page: Page): string => /#\/hotel\/([^/?]+)/.exec(page.url())![1]!;
