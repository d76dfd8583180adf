import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';

/** Options of `visit`. */
export interface VisitOptions extends BrowserContextOptions {
  /** Pattern of problems that the test causes itself, such as failed requests and messages of the console. */
  expected?: RegExp | undefined;
  /** Called before the address is opened. */
  prepare?: ((page: Page) => Promise<unknown>) | undefined;
}

/** An open page. */
export interface Visit {
  page: Page;
  /** Problems of the page so far: console errors and warnings, exceptions, and failed requests. */
  problems: string[];
}

/**
 * Opens a page with a separate browser profile at this address. The test fails if the page had problems: console
 * errors or warnings, exceptions, failed requests, or requests to another host.
 */
export async function visit(browser: Browser, address: string, options: VisitOptions = {}): Promise<Page> {
  const { page, problems } = await openPage(browser, options);
  const { host } = new URL(address);
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (/^(?:https?|wss?):$/.test(url.protocol) && url.host !== host) problems.push(`sent a request to ${url.host}`);
  });
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') await showFailure(page, task.name);
    await page.context().close();
    expect([...new Set(problems)]).toEqual([]);
  });
  await options.prepare?.(page);
  await page.goto(address);
  return page;
}

/** Returns an empty page and the list of its later problems. The caller closes the page's context. */
export async function openPage(browser: Browser, options: VisitOptions = {}): Promise<Visit> {
  const { expected, prepare: _, ...contextOptions } = options;
  const viewport = { width: 1440, height: 900 };
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce', ...contextOptions });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const problems: string[] = [];
  const report = (problem: string): void => {
    if (!expected?.test(problem)) problems.push(problem);
  };
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) report(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => report(`threw: ${error.message}`));
  page.on('response', (response) => {
    if (response.status() >= 400) report(`${response.status()} ${response.request().method()} ${response.url()}`);
  });
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? '';
    // The page cancelled the request.
    if (reason !== 'net::ERR_ABORTED') report(`${reason} ${request.method()} ${request.url()}`);
  });
  return { page, problems };
}

/** Saves a screenshot of a failed test, and prints its path. */
async function showFailure(page: Page, name: string): Promise<void> {
  const path = join(tmpdir(), `thole-browser-${name.replaceAll(/\W+/g, '-').slice(0, 60)}.png`);
  await page.screenshot({ path }).catch(() => {});
  console.error(`browser: ${path}`);
}
