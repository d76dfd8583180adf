import { chromium } from 'playwright-core';
import type { BrowserServer } from 'playwright-core';
import { findOrInstall } from '../servers/find-or-install.ts';
import { findProgram } from '../servers/find-programs.ts';

// The headless shell has the same engine without windows, and needs less CPU time.
const programs = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/**
 * Starts a Chromium without windows: the program `THOLE_CHROMIUM`, one on PATH, or one that this function installs. It ends with
 * this process. Throws `ServerMissing` if Chromium is neither installed nor can be installed.
 */
export async function startChromium(): Promise<BrowserServer> {
  const executablePath =
    process.env.THOLE_CHROMIUM ?? (await findOrInstall('chromium', () => findProgram(...programs)));
  // Chromium has no sandbox for root; it only opens pages of this project. Containers have a small /dev/shm.
  const args = [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-dev-shm-usage', '--disable-gpu'];
  // A page is open for about one second. Optimizing its code takes longer than running it without optimization.
  args.push('--js-flags=--no-opt,--no-maglev');
  return chromium.launchServer({ executablePath, args, host: '127.0.0.1' });
}
