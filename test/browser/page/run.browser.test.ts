import { createEvent } from '@thole/core';
import { calls, says, streams } from '@thole/testing';
import type { LlmResponse } from '@thole/core';
import type { ScriptedAnswer } from '@thole/testing';
import { setTimeout as wait } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser } from '../describe-in-browser.ts';
import { startHotelServer } from '../hotel-server.ts';
import { visit } from '../visit.ts';
import { pixel } from './pixel.ts';

const user = { appName: 'hotel', userId: 'user' };

const say = async (page: Page, text: string): Promise<void> => {
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.keyboard.press('Enter');
};

/** Records the rows of the conversation in every frame from now on. */
const watchRows = `(() => {
  globalThis.frames = new Set();
  const look = () => {
    const rows = [...document.querySelectorAll('.entries article')].map((row) => row.querySelector('.entry-blocks')?.innerText.slice(0, 8)).filter((text) => text);
    if (rows.length > 0) globalThis.frames.add(rows.join(' | '));
    requestAnimationFrame(look);
  };
  look();
})()`;

/** Returns an answer that takes `ms`, so that turns have a length. */
const after =
  (ms: number, answer: LlmResponse): ScriptedAnswer =>
  async () => {
    await wait(ms);
    return answer;
  };

describeInBrowser('a run on the page', (browser) => {
  it('has its question above the streaming answer in every frame', async () => {
    const rest = Promise.withResolvers<void>();
    const answers = [streams('Answer one', ' goes on'), streams('Answer two', ' goes on')];
    const hotel = await startHotelServer(answers, { afterPartial: rest.promise });
    const page = await visit(browser(), `${hotel.url}/dev-ui/`);
    await page.evaluate(watchRows);
    await say(page, 'Question 1');
    const main = page.getByRole('main');
    await main.getByText('Answer one', { exact: true }).waitFor();
    await main.getByText('Question 1').waitFor();
    rest.resolve();
    await main.getByText('Answer one goes on').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    await say(page, 'Question 2');
    await main.getByText('Answer two goes on').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    const frames: string[] = await page.evaluate('[...globalThis.frames]');
    const allowed = ['Question', 'Question | Answer o', 'Question | Answer o | Question'];
    expect(frames.filter((rows) => !allowed.includes(rows))).toEqual(['Question | Answer o | Question | Answer t']);
  });

  it('keeps both questions while the session is still read after the run before', async () => {
    const rest = Promise.withResolvers<void>();
    const hotel = await startHotelServer([says('Answer one'), streams('Answer two', ' goes on')], {
      afterPartial: rest.promise,
    });
    const page = await visit(browser(), `${hotel.url}/dev-ui/`);
    const main = page.getByRole('main');
    const reading = Promise.withResolvers<void>();
    await page.route('**/sessions/*', async (route) => {
      const response = await route.fetch();
      await reading.promise;
      await route.fulfill({ response });
    });
    await say(page, 'Question 1');
    await main.getByText('Answer one').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    const rows = async (): Promise<string[]> =>
      (await main.locator('article .entry-blocks').allInnerTexts()).map((text) => text.slice(0, 10));
    const all = ['Question 1', 'Answer one', 'Question 2', 'Answer two'];
    await say(page, 'Question 2');
    await main.getByText('Answer two').waitFor();
    expect(await rows()).toEqual(all);
    reading.resolve();
    await main
      .getByRole('article', { name: /^You, \d/ })
      .first()
      .waitFor();
    expect(await rows()).toEqual(all);
    rest.resolve();
    await main.getByText('Answer two goes on').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('keeps the text of a stopped answer, also after a reload', async () => {
    const never = Promise.withResolvers<void>();
    const hotel = await startHotelServer([streams('Half of ', 'an answer.')], { afterPartial: never.promise });
    const page = await visit(browser(), `${hotel.url}/dev-ui/`);
    await say(page, 'Tell me all.');
    const main = page.getByRole('main');
    await main.getByText('Half of').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    never.resolve();
    await main.getByText('This text is not stored in the session').waitFor();
    const rows = (): Promise<string[]> => main.locator('article .entry-blocks').allInnerTexts();
    const kept = [/^Tell me all/, /^Half of/, /^Stopped/];
    expect((await rows()).map((text, i) => kept[i]?.test(text))).toEqual([true, true, true]);
    await page.reload();
    await main.getByText('Half of').waitFor();
    expect((await rows()).map((text, i) => kept[i]?.test(text))).toEqual([true, true, true]);
    // A stop is not a failure.
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await timeline.locator('.bar').first().waitFor();
    await expect.poll(() => timeline.locator('.bar[data-failed]').count()).toBe(0);
  });

  it('is followed by its time, tokens and model, and not by the time to its first event', async () => {
    const waitMs = 1_050;
    const usageMetadata = { promptTokenCount: 412, candidatesTokenCount: 38, totalTokenCount: 450 };
    const hotel = await startHotelServer([
      { ...calls('book_room', { room: 12, nights: 2 }), usageMetadata, modelVersion: 'scripted-1' },
      after(waitMs, {
        content: { role: 'model', parts: [{ text: 'Booked.' }] },
        usageMetadata,
        modelVersion: 'scripted-1',
      }),
    ]);
    const page = await visit(browser(), `${hotel.url}/dev-ui/`);
    await say(page, 'Book a room.');
    const facts = page.getByRole('main').locator('.turn-line');
    await facts.waitFor();
    const text = (await facts.innerText()).replaceAll(/\s+/g, ' ');
    const user = { appName: 'hotel', userId: 'user' };
    const { id: sessionId } = (await hotel.sessionService.listSessions(user)).sessions[0]!;
    const { events } = (await hotel.sessionService.getSession({ ...user, sessionId }))!;
    const time = events.at(-1)!.timestamp - events[0]!.timestamp;
    expect(time).toBeGreaterThanOrEqual(waitMs / 1_000);
    expect(text).toBe(`Time ${time.toFixed(1)} s Tokens in 824 Tokens out 76 Model scripted-1`);
    await expect.poll(() => page.locator('.entry-head time', { hasText: /s$/ }).count()).toBe(0);
    await expect.poll(() => page.getByText('Cost', { exact: true }).count()).toBe(0);
  });

  it('is shown to its end if another client has started it', async () => {
    for (const onDisconnect of ['continue', 'abort'] as const) {
      const hotel = await startHotelServer([calls('call_taxi'), says('It comes.')], { onDisconnect });
      for (const sessionId of ['one', 'two']) await hotel.client.sessions.create({ ...user, sessionId });
      const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel/one`);
      await page.getByRole('list', { name: 'Suggested questions' }).waitFor();
      const newMessage = { role: 'user' as const, parts: [{ text: 'A taxi, please.' }] };
      const run = hotel.client.runToCompletion({ ...user, sessionId: 'one', newMessage });
      await expect.poll(async () => (await hotel.client.sessions.get({ ...user, sessionId: 'one' })).lastSeq).toBe(2);
      const main = page.getByRole('main');
      const isActive = async (): Promise<void> => {
        await main.locator('.tool-state', { hasText: 'running' }).waitFor();
        await main.getByText('Working').waitFor();
        await page.getByRole('button', { name: 'Stop' }).waitFor();
      };
      await page.evaluate(`dispatchEvent(new Event('focus'))`);
      await isActive();
      await page.goto(`${hotel.url}/dev-ui/#/hotel/two`);
      await page.getByRole('list', { name: 'Suggested questions' }).waitFor();
      await page.getByRole('button', { name: 'Send' }).waitFor();
      await page.goto(`${hotel.url}/dev-ui/#/hotel/one`);
      await page.reload();
      await isActive();
      hotel.taxiComes();
      await main.getByText('It comes.').waitFor();
      await page.getByRole('button', { name: 'Send' }).waitFor();
      await run;
      await page.reload();
      await main.getByText('It comes.').waitFor();
      await page.getByRole('button', { name: 'Send' }).waitFor();
    }
  });

  it('of another client can be stopped', async () => {
    const hotel = await startHotelServer([calls('call_taxi')]);
    const ref = { ...user, sessionId: 'one' };
    await hotel.client.sessions.create(ref);
    const newMessage = { role: 'user' as const, parts: [{ text: 'A taxi, please.' }] };
    const run = hotel.client.runToCompletion({ ...ref, newMessage }).catch(({ code }) => code);
    await expect.poll(async () => (await hotel.client.sessions.get(ref)).lastSeq).toBe(2);
    const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel/one`);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('main').getByText('Stopped.').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    expect(await run).toBe('RUN_ABORTED');
  });

  it('shows an error of a server in development mode with its causes', async () => {
    const broken = new Error('The key has expired.', { cause: new Error('connect ECONNREFUSED 127.0.0.1:9') });
    const hotel = await startHotelServer([broken], { development: true, logger: silent });
    const page = await visit(browser(), `${hotel.url}/dev-ui/`);
    await say(page, 'Hello?');
    const main = page.getByRole('main');
    await main.getByText('The key has expired.').first().waitFor();
    await main.getByText('connect ECONNREFUSED 127.0.0.1:9').first().waitFor();
    await main.getByText('Stack', { exact: true }).click();
    await main.getByRole('document').or(main.locator('pre[aria-label="Stack"]')).first().waitFor();
  });

  it('shows the images and files in a tool’s answer', async () => {
    const hotel = await startHotelServer();
    const ref = { appName: 'hotel', userId: 'user', sessionId: 'parts' };
    const events = [
      { author: 'user', role: 'user', parts: [{ text: 'Show me the room.' }] },
      { author: 'concierge', role: 'model', parts: [{ functionCall: { id: 'c', name: 'look', args: {} } }] },
      {
        author: 'concierge',
        role: 'user',
        parts: [
          {
            functionResponse: {
              ...{ id: 'c', name: 'look', response: { found: 2 } },
              parts: [
                { inlineData: { mimeType: 'image/png', data: pixel, displayName: 'room.png' } },
                { inlineData: { mimeType: 'audio/wav', data: 'UklGRg==', displayName: 'sea.wav' } },
                { fileData: { fileUri: 'https://example.com/plan.pdf', displayName: 'plan.pdf' } },
              ],
            },
          },
        ],
      },
    ] as const;
    const session = await hotel.sessionService.createSession(ref);
    for (const { author, role, parts } of events)
      await hotel.sessionService.appendEvent({
        session,
        event: createEvent({ author, invocationId: 'i', content: { role, parts: structuredClone(parts) as never } }),
      });
    const page = await visit(browser(), `${hotel.url}/dev-ui/#/hotel/parts`, { expected: /sea\.wav|blob:/ });
    const files = page.getByRole('list', { name: 'Files from look' });
    await files.getByRole('img', { name: 'room.png' }).waitFor();
    await files.getByLabel('sea.wav').waitFor();
    await files.getByRole('link', { name: 'plan.pdf' }).waitFor();
  });
});

const silent = { debug() {}, info() {}, warn() {}, error() {} };
