import { says } from '@thole/testing';
import { bearerToken } from '@thole/server';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser } from '../describe-in-browser.ts';
import { startHotelServer } from '../hotel-server.ts';
import { visit } from '../visit.ts';

const user = { appName: 'hotel', userId: 'user' };

async function enter(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token', { exact: true }).fill(token);
  await page.getByRole('button', { name: 'Use token' }).click();
}

describeInBrowser('the page of a server that requires a token', (browser) => {
  it('explains the 401, uses a token for streams and files, keeps it for the tab, removes it', async () => {
    const hotel = await startHotelServer([says('At your service.')], { authorize: bearerToken('sesame') });
    const page = await visit(browser(), `${hotel.url}/dev-ui/`, { expected: /401/ });
    await page.getByRole('heading', { name: 'This server requires a token' }).waitFor();
    await page.getByText('It answered 401').waitFor();

    await enter(page, 'wrong');
    await page.getByText('The server does not accept this token.').waitFor();
    await enter(page, 'sesame');
    await page.getByRole('list', { name: 'Suggested questions' }).waitFor();
    await expect.poll(() => page.locator('#message:focus').count()).toBe(1);
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello?');
    await page.keyboard.press('Enter');
    await page.getByRole('main').getByText('At your service.').waitFor();

    await page.reload();
    await page.getByRole('main').getByText('At your service.').waitFor();
    const stored: string[] = await page.evaluate('[...Object.values(localStorage), ...Object.values(sessionStorage)]');
    expect(stored.filter((text) => text === 'sesame')).toEqual(['sesame']);
    expect(await page.evaluate(`Object.values(localStorage).includes('sesame')`)).toBe(false);

    const [session] = (await hotel.sessionService.listSessions(user)).sessions;
    const headers = { authorization: 'Bearer sesame', 'content-type': 'application/json' };
    const files = `${hotel.url}/apps/hotel/users/user/sessions/${session!.id}/artifacts`;
    const body = JSON.stringify({ filename: 'bill.txt', artifact: { text: 'Room 12, 2 nights.' } });
    expect((await fetch(files, { method: 'POST', headers, body })).status).toBe(200);
    await page.getByRole('tab', { name: 'Artifacts' }).click();
    await page.getByRole('complementary').getByText('Room 12, 2 nights.').waitFor();
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    expect((await downloading).suggestedFilename()).toBe('bill.txt');

    await page.getByRole('button', { name: 'User: user' }).click();
    await page.getByRole('button', { name: 'Forget token' }).click();
    await page.getByRole('heading', { name: 'This server requires a token' }).waitFor();
    await expect.poll(() => page.getByText('At your service.').count()).toBe(0);
  });

  it('removes the error of a message that was sent with an expired token', async () => {
    let token = 'sesame';
    let isExpiring = false;
    const hotel = await startHotelServer([says('Hello.')], {
      authorize(request, asked) {
        if (isExpiring && request.url.endsWith('/run_sse')) token = 'melon';
        return bearerToken(token)(request, asked);
      },
    });
    const page = await visit(browser(), `${hotel.url}/dev-ui/`, { expected: /401/ });
    const message = page.getByRole('textbox', { name: 'Message' });
    // Written before the page knows the apps.
    await message.fill('Hello?');
    await enter(page, token);
    await page.getByRole('list', { name: 'Suggested questions' }).waitFor();
    expect(await message.inputValue()).toBe('Hello?');
    await message.press('Enter');
    const main = page.getByRole('main');
    await main.getByText('Hello.').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    isExpiring = true;
    await message.fill('Are you there?');
    await page.keyboard.press('Enter');
    await enter(page, 'melon');
    await main.getByText('Hello.').waitFor();
    expect(await message.inputValue()).toBe('Are you there?');
    expect(await main.getByRole('alert').count()).toBe(0);
  });
});
