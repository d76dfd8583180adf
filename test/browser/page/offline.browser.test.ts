import { says } from '@thole/testing';
import { expect, it } from 'vitest';
import { describeInBrowser } from '../describe-in-browser.ts';
import { startHotelServer } from '../hotel-server.ts';
import { visit } from '../visit.ts';

describeInBrowser('the page while the server is stopped', (browser) => {
  it('shows an error, keeps the typed message after a reload, and sends it later', async () => {
    const hotel = await startHotelServer([says('Here I am.'), says('Back again.')]);
    const expected = /ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/;
    const page = await visit(browser(), `${hotel.url}/dev-ui/`, { expected });
    const conversation = page.getByRole('main', { name: 'Conversation' });
    const message = page.getByRole('textbox', { name: 'Message' });
    await message.fill('Are you there?');
    await page.getByRole('button', { name: 'Send' }).click();
    await conversation.getByText('Here I am.').waitFor();
    // The run has ended: a stopped server would leave it unfinished.
    await page.getByRole('button', { name: 'Send' }).waitFor();

    await hotel.stop();
    await message.fill('And now?');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText(/^Cannot reach/).waitFor();
    await expect.poll(() => message.inputValue()).toBe('And now?');
    expect(await conversation.locator('article').filter({ hasText: 'And now?' }).count()).toBe(0);

    await hotel.start();
    await page.getByText(/^Cannot reach/).waitFor({ state: 'detached' });
    await page.reload();
    await conversation.getByText('Here I am.').waitFor();
    expect(await message.inputValue()).toBe('And now?');
    await page.getByRole('button', { name: 'Send' }).click();
    await conversation.getByText('Back again.').waitFor();
    await expect.poll(() => message.inputValue()).toBe('');
  });

  it('schedules the next attempt after an attempt at "Try now" has failed', async () => {
    const hotel = await startHotelServer([says('Here I am.')]);
    const expected = /ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/;
    const page = await visit(browser(), `${hotel.url}/dev-ui/`, { expected });
    // A message can be sent when the page knows the apps.
    await page.getByRole('list', { name: 'Suggested questions' }).waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('Are you there?');
    await hotel.stop();
    await page.getByRole('button', { name: 'Send' }).click();
    // The waiting time grows until it is longer than the time limit below.
    await page.getByText(/^trying again in [678] s$/).waitFor();
    for (const tryNow of [
      () => page.getByRole('button', { name: 'Try now' }).click(),
      () => page.evaluate(`dispatchEvent(new Event('online'))`),
    ]) {
      await tryNow();
      // Two frames: the page has drawn the attempt.
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      await page.getByText(/^trying again in \d+ s$/).waitFor({ timeout: 5_000 });
    }
  });
});
