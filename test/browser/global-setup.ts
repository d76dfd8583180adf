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
 * The page, built, and one Chromium for the whole run. Where there is none and this machine cannot install it, the suites are
 * skipped, and `SkipReporter` says how many; where it can, the run fails instead.
 */
export default async function startBrowser(project: TestProject): Promise<() => Promise<void>> {
  const skipped = skippedFile();
  const [browser] = await Promise.all([startOrMiss(), buildPage()]);
  project.provide('browser', { ...(browser && { endpoint: browser.wsEndpoint() }), skipped });
  return async () => {
    await browser?.close();
    rmSync(skipped, { force: true });
  };
}

async function startOrMiss(): Promise<BrowserServer | undefined> {
  try {
    return await startChromium();
  } catch (error) {
    if (!(error instanceof ServerMissing) || canInstall()) throw error;
    console.warn(`browser: ${error.message}`);
    return undefined;
  }
}
