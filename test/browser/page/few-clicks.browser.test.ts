import { says, streams } from '@thole/testing';
import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser } from '../describe-in-browser.ts';
import { startHotelServer } from '../hotel-server.ts';
import type { HotelServer } from '../hotel-server.ts';
import { visit } from '../visit.ts';

describeInBrowser('the page', (browser) => {
  it('shows a first answer after two clicks, and its request after one more', async () => {
    const hotel = await startHotelServer([streams('At ', 'your service.')]);
    const page = await visit(browser(), `${hotel.url}/dev-ui/`);
    const mouse = new Mouse();
    await mouse.click(page.getByRole('list', { name: 'Suggested questions' }).getByRole('button').first());
    const answer = page.getByRole('main', { name: 'Conversation' }).getByRole('article', { name: /^concierge/ });
    await answer.getByText('At your service.').waitFor();
    expect(mouse.clicks).toBeLessThanOrEqual(2);
    const before = mouse.clicks;
    await answer.hover();
    await mouse.click(answer.getByRole('button', { name: /^Request/ }));
    const inspector = page.getByRole('complementary', { name: 'Inspector' });
    await inspector.getByText('You are the concierge of a small hotel.').first().waitFor();
    expect(mouse.clicks - before).toBe(1);
  });

  it('opens a past session in two clicks', async () => {
    const hotel = await startHotelServer([says('Good evening.')]);
    await addPastSession(hotel);
    const page = await visit(browser(), `${hotel.url}/dev-ui/`);
    const mouse = new Mouse();
    await mouse.click(page.getByRole('navigation', { name: 'Sessions' }).getByRole('link', { name: /Alice/ }));
    await page.getByText('Good evening.').waitFor();
    expect(mouse.clicks).toBeLessThanOrEqual(2);
  });

  it('changes a value of the state in three clicks, and the server has it', async () => {
    const hotel = await startHotelServer([says('Good evening.')]);
    const ref = await addPastSession(hotel);
    const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel/${ref.sessionId}`);
    await page.getByText('Good evening.').waitFor();
    const mouse = new Mouse();
    await mouse.click(page.getByRole('tab', { name: 'State' }));
    await mouse.click(page.getByRole('button', { name: /^Edit mood/ }));
    await page.getByRole('textbox', { name: 'Value of mood, as JSON' }).fill('{"now": "merry"}');
    await mouse.click(page.getByRole('button', { name: 'Save', exact: true }));
    await page.getByRole('button', { name: /^Edit mood.*merry/ }).waitFor();
    expect(mouse.clicks).toBeLessThanOrEqual(3);
    expect((await hotel.client.sessions.get(ref)).state['mood']).toEqual({ now: 'merry' });
  });
});

async function addPastSession({ client }: HotelServer) {
  const ref = { appName: 'hotel', userId: 'user', sessionId: 'past' };
  await client.sessions.create({ ...ref, state: { mood: 'calm' } });
  await client.runToCompletion({ ...ref, newMessage: { role: 'user', parts: [{ text: 'Hello' }] } });
  await client.sessions.rename({ ...ref, displayName: 'Alice asks for a room' });
  return ref;
}

class Mouse {
  clicks = 0;

  async click(locator: Locator): Promise<void> {
    await locator.click();
    this.clicks += 1;
  }
}
