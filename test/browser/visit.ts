import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';

/** Options of a visit, and the problems that it may have. */
export interface VisitOptions extends BrowserContextOptions {
  /** Requests that may fail, and messages of the console that may come: what the test itself breaks. */
  expected?: RegExp | undefined;
  /** Called before the address is opened. */
  prepare?: ((page: Page) => Promise<unknown>) | undefined;
}

/**
 * Problems that no page may have: console errors or warnings, exceptions, failed requests, or requests to another
 * host.
 */
export interface Visit {
  page: Page;
  troubles: string[];
}

/**
 * Opens a page with a separate browser profile at this address. The test fails if the page had problems: console
 * errors or warnings, exceptions, failed requests, or requests to another host.
 */
export async function visit(browser: Browser, address: string, options: VisitOptions = {}): Promise<Page> {
  const { page, troubles } = await openPage(browser, options);
  const { host } = new URL(address);
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (/^(?:https?|wss?):$/.test(url.protocol) && url.host !== host) troubles.push(`asked ${url.host}`);
  });
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') await showFailure(page, task.name);
    await page.context().close();
    expect([...new Set(troubles)]).toEqual([]);
  });
  await options.prepare?.(page);
  await page.goto(address);
  return page;
}

/** A page that nothing was opened in yet, and the trouble it will have. Who opens it closes its context. */
export async function openPage(browser: Browser, options: VisitOptions = {}): Promise<Visit> {
  const { expected, prepare: _, ...how } = options;
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce', ...how });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const troubles: string[] = [];
  const report = (trouble: string): void => {
    if (!expected?.test(trouble)) troubles.push(trouble);
  };
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) report(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => report(`threw: ${error.message}`));
  page.on('response', (response) => {
    if (response.status() >= 400) report(`${response.status()} ${response.request().method()} ${response.url()}`);
  });
  page.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? '';
    // The page cancelled the request.
    if (why !== 'net::ERR_ABORTED') report(`${why} ${request.method()} ${request.url()}`);
  });
  return { page, troubles };
}

/** Saves a picture of the page of a failed test. */
async function showFailure(page: Page, name: string): Promise<void> {
  const path = join(tmpdir(), `thole-browser-${name.replaceAll(/\W+/g, '-').slice(0, 60)}.png`);
  await page.screenshot({ path }).catch(() => {});
  console.error(`browser: ${path}`);
}
