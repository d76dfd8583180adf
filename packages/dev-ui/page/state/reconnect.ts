import { effect, signal } from '@preact/signals';
import { client } from './client.ts';
import { connection } from './connection.ts';

const FIRST_MS = 1_000;
const LONGEST_MS = 15_000;

/** When the server is asked again, in ms since the epoch; undefined while it answers. */
export const nextTry = signal<number | undefined>(undefined);

/** Asks the server whether it is there, now. */
export async function tryNow(): Promise<void> {
  nextTry.value = undefined;
  await client.health({ timeoutMs: 5_000 }).catch(() => {
    connection.value = 'offline';
  });
}

/** While the server is away, asks again: after a second, then each time after twice as long, and when the network comes back. */
export function keepTrying(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wait = FIRST_MS;
  effect(() => {
    clearTimeout(timer);
    if (connection.value !== 'offline') {
      wait = FIRST_MS;
      nextTry.value = undefined;
      return;
    }
    plan();
  });
  addEventListener('online', () => void tryNow());

  function plan(): void {
    nextTry.value = Date.now() + wait;
    timer = setTimeout(() => {
      wait = Math.min(wait * 2, LONGEST_MS);
      void tryNow().then(() => {
        if (connection.value === 'offline') plan();
      });
    }, wait);
  }
}
