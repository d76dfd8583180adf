import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** Saves a screenshot of the page in the folder `THOLE_SCREENSHOTS`. Does nothing if the variable is not set. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.THOLE_SCREENSHOTS;
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
