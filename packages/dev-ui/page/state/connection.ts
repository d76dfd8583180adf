import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';

export type Connection = 'connecting' | 'connected' | 'offline';

/** Whether the server answered last. Set by every request that the page makes. */
export const connection: Signal<Connection> = signal<Connection>('connecting');

/** How often the server was found again after it had been away: what shows data from it reads anew when this grows. */
export const returns: Signal<number> = signal(0);

/** `fetch` that watches whether the server answers. */
export async function watchedFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  try {
    // What is deleted as the page is closed has to outlive it.
    const response = await fetch(input, { ...init, keepalive: init?.method === 'DELETE' });
    found();
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
