import type { Browser, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { startHotelServer } from '../hotel-server.ts';
import type { HotelServer, HotelServerOptions } from '../hotel-server.ts';
import { openPage } from '../visit.ts';
import { fetchAdkUi } from './fetch-adk-ui.ts';
import { serveAdkUi } from './serve-adk-ui.ts';

/** ADK's web UI in a browser, at a separate origin, and the server that it uses. */
export interface AdkWeb {
  page: Page;
  hotel: HotelServer;
  /** Requests to the server so far: method and path. */
  requests: string[];
}

// The UI requests files of a visual builder, which only adk-python has, and a style sheet that its package does not contain.
const missingEverywhere = /\/builder\?|prism-dark\.css|Failed to load resource|\/\/fonts\./;

/**
 * Opens ADK's web UI on a hotel server whose model returns these answers. At its end, the test fails if a request to the server
 * failed, or if the UI logged an error or warning.
 */
export async function openAdkWeb(
  browser: Browser,
  ...answers: Parameters<typeof startHotelServer>[0] & {}
): Promise<AdkWeb> {
  return openAdkWebOn(browser, (options) => startHotelServer(answers, options));
}

/** Opens ADK's web UI on the hotel server that `start` returns, with the same checks. */
export async function openAdkWebOn(
  browser: Browser,
  start: (options: HotelServerOptions) => Promise<HotelServer>,
): Promise<AdkWeb> {
  const ui = await serveAdkUi(await fetchAdkUi());
  onTestFinished(() => ui.close());
  const hotel = await start({ cors: { origins: [ui.origin] } });
  ui.use(hotel.url);
  const { page, problems } = await openPage(browser, {
    viewport: { width: 1600, height: 950 },
    expected: missingEverywhere,
  });
  const requests: string[] = [];
  page.on('request', (request) => {
    const { origin, pathname } = new URL(request.url());
    if (origin === hotel.url) requests.push(`${request.method()} ${pathname}`);
  });
  // Fonts and icons of the UI are on other hosts.
  await page.context().route(
    (url) => url.hostname !== '127.0.0.1',
    (route) => route.abort(),
  );
  onTestFinished(async () => {
    await page.context().close();
    expect([...new Set(problems)]).toEqual([]);
  });
  await page.goto(ui.origin);
  return { page, hotel, requests };
}
