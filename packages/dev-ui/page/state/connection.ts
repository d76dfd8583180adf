import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { accessToken, updateAccess } from './access-token.ts';
import { setServerTime } from './clock.ts';

export type Connection = 'connecting' | 'connected' | 'offline';

/** State of the connection after the last request of the page. */
export const connection: Signal<Connection> = signal<Connection>('connecting');

/** Number of reconnections after the server was unreachable. Views of its data read the data again when it changes. */
export const reconnects: Signal<number> = signal(0);

/** Makes the page read its data again. */
export function reloadData(): void {
  reconnects.value++;
}

/** Calls `fetch` and updates `connection` and `access`. */
export async function trackedFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const sentToken = accessToken.peek();
  try {
    // A deletion must complete even if the page is closed.
    const response = await fetch(input, { ...init, keepalive: init?.method === 'DELETE' });
    setServerTime(response.headers.get('date'));
    markConnected();
    updateAccess(new URL(response.url).pathname, response.status, sentToken);
    return response;
  } catch (error) {
    if (!init?.signal?.aborted && !(input instanceof Request && input.signal.aborted)) connection.value = 'offline';
    throw error;
  }
}

function markConnected(): void {
  if (connection.value === 'offline') reconnects.value++;
  connection.value = 'connected';
}
