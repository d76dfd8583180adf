import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { accessToken, noteAccess } from './access-token.ts';

export type Connection = 'connecting' | 'connected' | 'offline';

/** Whether the server answered last. Set by every request that the page makes. */
export const connection: Signal<Connection> = signal<Connection>('connecting');

/** How often the server was found again after it had been away: what shows data from it reads anew when this grows. */
export const returns: Signal<number> = signal(0);

/** Has the page read its data again. */
export function readAgain(): void {
  returns.value++;
}

/** `fetch` that watches whether the server answers, and whether it lets the page in. */
export async function watchedFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const shown = accessToken.peek();
  try {
    // What is deleted as the page is closed has to outlive it.
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
