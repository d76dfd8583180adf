import type { Runtime, TextCodec, UserRef } from '@thole/core';
import type { AppFollower } from './app-follower.ts';
import type { LocalWakes } from './local-wakes.ts';
import type { RedisCalls } from './redis-calls.ts';
import type { RedisKeys } from './redis-keys.ts';
import type { ServerMode } from './server-mode.ts';

/** What the parts of a session store share. */
export interface StoreParts {
  readonly calls: RedisCalls;
  readonly keys: RedisKeys;
  readonly runtime: Runtime;
  readonly wakes: LocalWakes;
  readonly codec: TextCodec | undefined;
  readonly mode: ServerMode;
  /** Only where the server is in cluster mode, which may show at any call: to be asked for each time. */
  readonly follower: AppFollower | undefined;
  readonly pollMs: number;
}

/** The app's keys that a script writes: state, list and ends; on Cluster the list of what is pending for them. */
export function appKeysOf({ keys, follower }: StoreParts, user: UserRef): string[] {
  if (follower) return [keys.user(user).pending];
  const { state, list, ends } = keys.app(user.appName);
  return [state, list, ends];
}
