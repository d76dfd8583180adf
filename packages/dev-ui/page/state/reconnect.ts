import { effect, signal } from '@preact/signals';
import { client } from './client.ts';
import { connection } from './connection.ts';
import { after, nowMs } from './clock.ts';

const MIN_WAIT_MS = 1_000;
const MAX_WAIT_MS = 15_000;

/** Time of the next attempt, in milliseconds since the epoch. Undefined during an attempt and while the server answers. */
export const nextTry = signal<number | undefined>(undefined);

let waitMs = MIN_WAIT_MS;
let attempt: Promise<void> | undefined;
let cancelNextTry: (() => void) | undefined;

/** Checks now whether the server is available. Schedules the next attempt if it is not. */
export async function tryNow(): Promise<void> {
  attempt ??= checkServer().finally(() => {
    attempt = undefined;
  });
  return attempt;
}

/**
 * While the server is unreachable, checks it after one second, then after twice the time each, at most 15 seconds, and
 * when the network is available again.
 */
export function startReconnecting(): void {
  effect(() => {
    if (connection.value !== 'offline') {
      waitMs = MIN_WAIT_MS;
      cancelTry();
    } else if (!attempt) scheduleTry();
  });
  addEventListener('online', () => void tryNow());
}

async function checkServer(): Promise<void> {
  cancelTry();
  try {
    await client.health({ timeoutMs: 5_000 });
  } catch {
    connection.value = 'offline';
    scheduleTry();
  }
}

function cancelTry(): void {
  cancelNextTry?.();
  nextTry.value = undefined;
}

function scheduleTry(): void {
  cancelTry();
  nextTry.value = nowMs() + waitMs;
  cancelNextTry = after(waitMs, () => {
    waitMs = Math.min(waitMs * 2, MAX_WAIT_MS);
    void tryNow();
  });
}
