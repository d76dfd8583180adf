import { effect, signal } from '@preact/signals';
import { client } from './client.ts';
import { connection } from './connection.ts';
import { after, nowMs } from './clock.ts';

const FIRST_MS = 1_000;
const LONGEST_MS = 15_000;

/** Time of the next attempt, in milliseconds since the epoch. Undefined while the server answers. */
export const nextTry = signal<number | undefined>(undefined);

/** Asks the server now whether it is available. */
export async function tryNow(): Promise<void> {
  nextTry.value = undefined;
  await client.health({ timeoutMs: 5_000 }).catch(() => {
    connection.value = 'offline';
  });
}

/**
 * While the server is unreachable, asks again after one second, then after twice as long each time, and when the
 * network returns.
 */
export function keepTrying(): void {
  let cancel: (() => void) | undefined;
  let wait = FIRST_MS;
  effect(() => {
    cancel?.();
    if (connection.value !== 'offline') {
      wait = FIRST_MS;
      nextTry.value = undefined;
      return;
    }
    plan();
  });
  addEventListener('online', () => void tryNow());

  function plan(): void {
    nextTry.value = nowMs() + wait;
    cancel = after(wait, () => {
      wait = Math.min(wait * 2, LONGEST_MS);
      void tryNow().then(() => {
        if (connection.value === 'offline') plan();
      });
    });
  }
}
