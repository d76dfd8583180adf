import type { SessionRef, UserRef } from '@thole/core';
import type { OpenedRedis } from '../client/open-redis.ts';
import type { ServerMode } from '../client/server-mode.ts';
import type { AppOutbox } from './app-outbox.ts';

/** Objects that the classes of a session store share. */
export interface StoreContext extends OpenedRedis {
  readonly mode: ServerMode;
  /** Present only in cluster mode. Any call may detect that mode, so read this property at each use. */
  readonly outbox: AppOutbox | undefined;
  /** Wakes the watchers of a session in this process. */
  readonly notify: (key: SessionRef) => void;
}

/** Returns the app's keys that a script writes: state, list and expiries, or on Cluster the user's outbox. */
export function appKeysToWrite({ keys, outbox }: StoreContext, user: UserRef): string[] {
  if (outbox) return [keys.user(user).outbox];
  const { state, list, expiries } = keys.app(user.appName);
  return [state, list, expiries];
}
