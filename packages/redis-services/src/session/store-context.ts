import type { Runtime, TextCodec, UserRef } from '@thole/core';
import type { AppOutbox } from './app-outbox.ts';
import type { LocalWakes } from '../lease/local-wakes.ts';
import type { RedisCalls } from '../client/redis-calls.ts';
import type { RedisKeys } from '../client/redis-keys.ts';
import type { ServerMode } from '../client/server-mode.ts';

/** What the parts of a session store share. */
export interface StoreContext {
  readonly calls: RedisCalls;
  readonly keys: RedisKeys;
  readonly runtime: Runtime;
  readonly wakes: LocalWakes;
  readonly codec: TextCodec | undefined;
  readonly mode: ServerMode;
  /** Only where the server is in cluster mode, which may show at any call: to be asked for each time. */
  readonly outbox: AppOutbox | undefined;
  readonly pollMs: number;
}

/** The app's keys that a script writes: state, list and ends; on Cluster the list of what is pending for them. */
export function appKeysToWrite({ keys, outbox }: StoreContext, user: UserRef): string[] {
  if (outbox) return [keys.user(user).outbox];
  const { state, list, expiries } = keys.app(user.appName);
  return [state, list, expiries];
}
