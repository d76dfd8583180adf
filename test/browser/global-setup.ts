import { rmSync } from 'node:fs';
import type { BrowserServer } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { canInstall } from '../servers/find-or-install.ts';
import { ServerMissing } from '../servers/server-missing.ts';
import { skippedFile } from '../servers/skip-reporter.ts';
import { buildPage } from './build-page.ts';
import './provided.ts';
import { startChromium } from './start-chromium.ts';

/**
 * Builds the page and starts one Chromium for the whole run. If Chromium is missing and cannot be installed, the suites are
 * skipped, and `SkipReporter` counts them. If the installation fails, the run fails.
 */
export default async function startBrowser(project: TestProject): Promise<() => Promise<void>> {
  const skipped = skippedFile();
  const [browser] = await Promise.all([startIfInstalled(), buildPage()]);
  project.provide('browser', { ...(browser && { endpoint: browser.wsEndpoint() }), skipped });
  return async () => {
    await browser?.close();
    rmSync(skipped, { force: true });
  };
}

async function startIfInstalled(): Promise<BrowserServer | undefined> {
  try {
    return await startChromium();
  } catch (error) {
    if (!(error instanceof ServerMissing) || canInstall()) throw error;
    console.warn(`browser: ${error.message}`);
    return undefined;
  }
}
