import { says } from '@thole/testing';
import { expect, it } from 'vitest';
import { describeInBrowser } from '../describe-in-browser.ts';
import { startHotelServer } from '../hotel-server.ts';
import { visit } from '../visit.ts';

describeInBrowser('the page, when the server is gone', (browser) => {
  it('says so, keeps what was written through a reload, and sends it once the server is back', async () => {
    const hotel = await startHotelServer([says('Here I am.'), says('Back again.')]);
    const expected = /ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/;
    const page = await visit(browser(), `${hotel.url}/dev-ui/`, { expected });
    const conversation = page.getByRole('main', { name: 'Conversation' });
    const message = page.getByRole('textbox', { name: 'Message' });
    await message.fill('Are you there?');
    await page.getByRole('button', { name: 'Send' }).click();
    await conversation.getByText('Here I am.').waitFor();

    await hotel.shut();
    await message.fill('And now?');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText(/^No answer from/).waitFor();
    await expect.poll(() => message.inputValue()).toBe('And now?');

    await hotel.open();
    await page.getByText(/^No answer from/).waitFor({ state: 'detached' });
    await page.reload();
    await conversation.getByText('Here I am.').waitFor();
    expect(await message.inputValue()).toBe('And now?');
    await page.getByRole('button', { name: 'Send' }).click();
    await conversation.getByText('Back again.').waitFor();
    await expect.poll(() => message.inputValue()).toBe('');
  });
});
