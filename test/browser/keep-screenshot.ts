import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** Writes what the page looks like to the folder that `THOLE_SCREENSHOTS` names; without it nothing is written. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.THOLE_SCREENSHOTS;
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
