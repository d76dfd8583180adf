import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { accessToken, noteAccess } from './access-token.ts';

export type Connection = 'connecting' | 'connected' | 'offline';

/** State of the connection after the last request of the page. */
export const connection: Signal<Connection> = signal<Connection>('connecting');

/** Number of times the server returned after it was unreachable. Views of its data read again when this grows. */
export const returns: Signal<number> = signal(0);

/** Makes the page read its data again. */
export function readAgain(): void {
  returns.value++;
}

/** A `fetch` that tracks whether the server answers and accepts the page. */
export async function watchedFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const shown = accessToken.peek();
  try {
    // A deletion while the page closes must outlive the page.
    const response = await fetch(input, { ...init, keepalive: init?.method === 'DELETE' });
    found();
    noteAccess(new URL(response.url).pathname, response.status, shown);
    return response;
  } catch (error) {
    if (!init?.signal?.aborted && !(input instanceof Request && input.signal.aborted)) connection.value = 'offline';
    throw error;
  }
}

function found(): void {
  if (connection.value === 'offline') returns.value++;
  connection.value = 'connected';
}
