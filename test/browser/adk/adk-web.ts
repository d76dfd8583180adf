import type { Browser, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { openHouse } from '../house.ts';
import type { House } from '../house.ts';
import { openPage } from '../visit.ts';
import { fetchAdkUi } from './fetch-adk-ui.ts';
import { serveAdkUi } from './serve-adk-ui.ts';

/** ADK's web UI in a browser, at a separate origin, and the server that it uses. */
export interface AdkWeb {
  page: Page;
  house: House;
  /** Requests to the server so far: method and path. */
  asked: string[];
}

// It looks for the files of a visual builder, which only adk-python has, and for a style sheet that is not in its own package.
const missingEverywhere = /\/builder\?|prism-dark\.css|Failed to load resource|\/\/fonts\./;

/**
 * Opens ADK's web UI on a house whose concierge gives these answers. When the test has finished no request of it to the house may have
 * failed, and it may have written no error or warning.
 */
export async function openAdkWeb(browser: Browser, ...answers: Parameters<typeof openHouse>[0] & {}): Promise<AdkWeb> {
  const ui = await serveAdkUi(await fetchAdkUi());
  onTestFinished(() => ui.close());
  const house = await openHouse(answers, { cors: { origins: [ui.origin] } });
  ui.use(house.url);
  const { page, troubles } = await openPage(browser, {
    viewport: { width: 1600, height: 950 },
    expected: missingEverywhere,
  });
  const asked: string[] = [];
  page.on('request', (request) => {
    const { origin, pathname } = new URL(request.url());
    if (origin === house.url) asked.push(`${request.method()} ${pathname}`);
  });
  // Its fonts and icons are elsewhere.
  await page.context().route(
    (url) => url.hostname !== '127.0.0.1',
    (route) => route.abort(),
  );
  onTestFinished(async () => {
    await page.context().close();
    expect([...new Set(troubles)]).toEqual([]);
  });
  await page.goto(ui.origin);
  return { page, house, asked };
}
