import { freePort } from './free-port.ts';

/** Another process may take a port between our look and the server's start; then another is tried. */
export async function onAFreePort<Started>(start: (port: number) => Promise<Started>, also?: number): Promise<Started> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(await freePort(also));
    } catch (error) {
      if (attempt === 5 || !/address already in use/i.test(String(error))) throw error;
    }
  }
}
