import { setTimeout as delay } from 'node:timers/promises';
import type { JsonObject } from '@thole/core';
import { LlmAgent } from '@thole/runner';
import { calls, says, ScriptedLlm } from '@thole/testing';
import type { ScriptedAnswer } from '@thole/testing';
import { FunctionTool, requestInputTool } from '@thole/tools';
import type { Browser, Page } from 'playwright-core';
import { expect, it, vi } from 'vitest';
import { describeInBrowser } from '../describe-in-browser.ts';
import { startHotelServer } from '../hotel-server.ts';
import { openAdkWebOn } from './adk-web.ts';
import type { AdkWeb } from './adk-web.ts';

describeInBrowser('ADK’s web UI with requests of our server', (browser) => {
  it('confirms and rejects a tool call, and answers a request for input', async () => {
    const { page, booked, requests, model } = await openDesk(
      browser(),
      calls('book', { room: 7 }),
      says('Then not.'),
      calls('book', { room: 7 }),
      says('Room 7 is yours.'),
      calls('request_input', { message: 'Which room?' }),
      says('Room 9 it is.'),
    );
    // The UI removes an answered request.
    const request = page.locator('app-long-running-response');
    await ask(page, 'Book me a room');
    await request.getByRole('button').click();
    await page.getByText('Then not.').waitFor();
    expect(booked).toEqual([]);

    await ask(page, 'Book me a room again');
    await request.locator('input[type=checkbox]').check();
    expect(booked).toEqual([]);
    await request.getByRole('button').click();
    await page.getByText('Room 7 is yours.').waitFor();
    expect(booked).toEqual([{ room: 7 }]);
    expect(requests.filter((each) => each === 'POST /run_sse')).toHaveLength(4);

    await ask(page, 'Ask me');
    await request.getByText('Which room?').waitFor();
    // While it still loads data of the run, the UI may create its form again, without the typed answer.
    await vi.waitFor(async () => {
      const { length } = requests;
      await delay(1_000);
      expect(requests).toHaveLength(length);
    }, 30_000);
    await request.locator('input').fill('9');
    await request.getByRole('button').last().click();
    await page.getByText('Room 9 it is.').waitFor();
    expect(JSON.stringify(model.requests.at(-1)!.contents)).toContain('"room":9');
  });
});

interface Desk extends AdkWeb {
  booked: JsonObject[];
  model: ScriptedLlm;
}

/** Opens ADK's web UI on an agent that books after a confirmation, and asks for input. */
async function openDesk(browser: Browser, ...answers: ScriptedAnswer[]): Promise<Desk> {
  const booked: JsonObject[] = [];
  const book = new FunctionTool({
    name: 'book',
    description: 'Books a room.',
    requireConfirmation: true,
    execute: (args: JsonObject) => (booked.push(args), { booked: true }),
  });
  const responseSchema = { type: 'object', properties: { room: { type: 'integer' } } };
  const model = new ScriptedLlm(...answers);
  const rootAgent = new LlmAgent({ name: 'desk', model, tools: [book, requestInputTool({ responseSchema })] });
  const web = await openAdkWebOn(browser, (options) =>
    startHotelServer([], { ...options, apps: [{ name: 'hotel', rootAgent }] }),
  );
  return { ...web, booked, model };
}

async function ask(page: Page, text: string): Promise<void> {
  const box = page.getByRole('textbox', { name: 'Type a message...' });
  await box.fill(text);
  await box.press('Enter');
}
