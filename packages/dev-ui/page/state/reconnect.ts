import { effect, signal } from '@preact/signals';
import { client } from './client.ts';
import { connection } from './connection.ts';
import { after, nowMs } from './clock.ts';

const MIN_WAIT_MS = 1_000;
const MAX_WAIT_MS = 15_000;

/** Time of the next attempt, in milliseconds since the epoch. Undefined while the server answers. */
export const nextTry = signal<number | undefined>(undefined);

/** Checks now whether the server is available. */
export async function tryNow(): Promise<void> {
  nextTry.value = undefined;
  await client.health({ timeoutMs: 5_000 }).catch(() => {
    connection.value = 'offline';
  });
}

/**
 * While the server is unreachable, checks it after one second, then after twice the time each, at most 15 seconds, and
 * when the network is available again.
 */
export function startReconnecting(): void {
  let cancel: (() => void) | undefined;
  let wait = MIN_WAIT_MS;
  effect(() => {
    cancel?.();
    if (connection.value !== 'offline') {
      wait = MIN_WAIT_MS;
      nextTry.value = undefined;
      return;
    }
    scheduleTry();
  });
  addEventListener('online', () => void tryNow());

  function scheduleTry(): void {
    nextTry.value = nowMs() + wait;
    cancel = after(wait, () => {
      wait = Math.min(wait * 2, MAX_WAIT_MS);
      void tryNow().then(() => {
        if (connection.value === 'offline') scheduleTry();
      });
    });
  }
}
