import { chromium } from 'playwright-core';
import type { BrowserServer } from 'playwright-core';
import { findOrInstall } from '../servers/find-or-install.ts';
import { findProgram } from '../servers/find-programs.ts';

// The shell has the same engine without the windows of a browser: a page needs a third less CPU time.
const programs = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/**
 * A Chromium without a window: the one that `THOLE_CHROMIUM` names, one on PATH, or one that is installed for it. Throws
 * `ServerMissing` where there is none to be had. It ends with this process.
 */
export async function startChromium(): Promise<BrowserServer> {
  const named = process.env.THOLE_CHROMIUM;
  const executablePath = named ?? (await findOrInstall('chromium', () => findProgram(...programs)));
  // Chromium has no sandbox for root; it only opens pages of this project. Containers have a small /dev/shm.
  const args = [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-dev-shm-usage', '--disable-gpu'];
  return chromium.launchServer({ executablePath, args, host: '127.0.0.1' });
}
