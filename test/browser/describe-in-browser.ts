import { appendFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject } from 'vitest';
import './provided.ts';

/** A suite that needs a Chromium, which it asks for in its tests. Without one the suite is skipped and counted. */
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
