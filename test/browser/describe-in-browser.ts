import { appendFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject } from 'vitest';
import './provided.ts';

/**
 * Defines a suite that needs Chromium. Its tests call `browser()` to get it. If Chromium is missing, the suite is skipped, and
 * `SkipReporter` counts its file.
 */
export function describeInBrowser(name: string, suite: (browser: () => Browser) => void): void {
  const { endpoint, skipped } = inject('browser');
  if (endpoint === undefined) appendFileSync(skipped, `chromium ${expect.getState().testPath}\n`);
  describe.skipIf(endpoint === undefined)(name, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await chromium.connect(endpoint!);
    });
    afterAll(() => browser.close());
    suite(() => browser);
  });
}
