import { freePort } from './free-port.ts';

/**
 * Starts a server on a free port. `also` is the distance to a second port that must be free. Tries up to five ports, because
 * another process may take the port before the server starts.
 */
export async function startOnFreePort<Started>(
  start: (port: number) => Promise<Started>,
  also?: number,
): Promise<Started> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(await freePort(also));
    } catch (error) {
      if (attempt === 5 || !/address already in use/i.test(String(error))) throw error;
    }
  }
}
