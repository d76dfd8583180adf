import { calls, fails, says, streams } from '@thole/testing';
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser } from '../describe-in-browser.ts';
import { lastUserText, startHotelServer } from '../hotel-server.ts';
import { visit } from '../visit.ts';

describeInBrowser('the page, in a chat', (browser) => {
  it('streams an answer as Markdown and shows the answer of a tool call', async () => {
    const rest = Promise.withResolvers<void>();
    const answers = [calls('book_room', { room: 12, nights: 2 }), streams('Room **12** ', 'is yours.')];
    const hotel = await startHotelServer(answers, { afterPartial: rest.promise });
    const page = await visit(browser(), `${hotel.url}/dev-ui/`);
    await say(page, 'Book me a room like last time.');
    const conversation = page.getByRole('main', { name: 'Conversation' });
    await conversation.getByText('Room 12', { exact: true }).waitFor();
    rest.resolve();
    await conversation.getByText('Room 12 is yours.').waitFor();
    // The complete answer replaces its parts, so the text is shown once.
    expect(await conversation.getByText('is yours.').count()).toBe(1);
    expect(await conversation.locator('strong', { hasText: '12' }).count()).toBe(1);
    await tool(conversation, 'book_room', 'done').click();
    await conversation.getByText('booked').waitFor();
    hotel.model.assertDone();
  });

  it('continues a run after a reload and shows nothing twice', async () => {
    const hotel = await startHotelServer([calls('call_taxi', {}), streams('The taxi ', 'is here.')]);
    const page = await visit(browser(), `${hotel.url}/dev-ui/`);
    await say(page, 'Call me a taxi.');
    const conversation = page.getByRole('main', { name: 'Conversation' });
    await tool(conversation, 'call_taxi', 'running').waitFor();
    await page.reload();
    await tool(conversation, 'call_taxi', 'running').waitFor();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    hotel.taxiComes();
    await conversation.getByText('The taxi is here.').waitFor();
    await tool(conversation, 'call_taxi', 'done').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    expect(await conversation.getByRole('article').count()).toBe(3);
    hotel.model.assertDone();
  });

  it('stops a run', async () => {
    const hotel = await startHotelServer([calls('call_taxi', {}), says('Never said.')]);
    const page = await visit(browser(), `${hotel.url}/dev-ui/`);
    await say(page, 'Call me a taxi.');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    expect(hotel.model.requests).toHaveLength(1);
  });

  it('has a field for the answer at a call that waits', async () => {
    const hotel = await startHotelServer([
      calls('ask_manager', { question: 'May the guest stay until two?' }),
      says('You may stay until two.'),
    ]);
    const page = await visit(browser(), `${hotel.url}/dev-ui/`);
    await say(page, 'May I stay longer?');
    const conversation = page.getByRole('main', { name: 'Conversation' });
    await conversation.getByText('May the guest stay until two?').last().waitFor();
    await conversation.getByRole('textbox', { name: 'Result of ask_manager' }).fill('yes, until two');
    await conversation.getByRole('button', { name: 'Answer', exact: true }).click();
    await conversation.getByText('You may stay until two.').waitFor();
    await conversation.getByRole('textbox', { name: 'Result of ask_manager' }).waitFor({ state: 'detached' });
    const answered = JSON.stringify(hotel.model.requests.at(-1)!.contents);
    expect(answered).toContain('yes, until two');
  });

  it('runs again from an edited message in a separate session', async () => {
    const hotel = await startHotelServer([
      calls('book_room', { room: 12, nights: 2 }),
      says('Room 12 is yours.'),
      says('Breakfast is at seven.'),
      says('Dinner is at eight.'),
    ]);
    const page = await visit(browser(), `${hotel.url}/dev-ui/`);
    const conversation = page.getByRole('main', { name: 'Conversation' });
    await say(page, 'Book me a room.');
    await conversation.getByText('Room 12 is yours.').waitFor();
    await say(page, 'When is breakfast?');
    await conversation.getByText('Breakfast is at seven.').waitFor();
    const question = conversation.getByRole('article', { name: /^You/ }).last();
    await question.hover();
    await question.getByRole('button', { name: 'Edit and run again' }).click();
    await question.getByRole('textbox', { name: 'Edit message' }).fill('When is dinner?');
    await question.getByRole('button', { name: 'Run again' }).click();
    await conversation.getByText('Dinner is at eight.').waitFor();
    await expect.poll(() => conversation.getByText('Breakfast').count()).toBe(0);
    await conversation.getByText('Room 12 is yours.').waitFor();
    const { sessions } = await hotel.client.sessions.list({ appName: 'hotel', userId: 'user' });
    expect(sessions).toHaveLength(2);
    expect(lastUserText(hotel.model.requests.at(-1)!)).toBe('When is dinner?');
  });

  it('shows the code of a failure once, and sends the next message', async () => {
    const hotel = await startHotelServer([fails('MODEL_FAILED'), says('Better now.')]);
    const page = await visit(browser(), `${hotel.url}/dev-ui/`);
    await say(page, 'Hello?');
    const conversation = page.getByRole('main', { name: 'Conversation' });
    await conversation.getByText('MODEL_FAILED', { exact: true }).waitFor();
    expect(await conversation.getByText('MODEL_FAILED', { exact: true }).count()).toBe(1);
    await say(page, 'And now?');
    await conversation.getByText('Better now.').waitFor();
  });
});

async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
}

/** Returns the line of a tool call in this state. */
function tool(conversation: Locator, name: string, state: string): Locator {
  return conversation.locator('summary', { hasText: name }).filter({ hasText: state });
}
