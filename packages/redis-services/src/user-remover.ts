import { TholeError } from '@thole/core';
import type { UserRef } from '@thole/core';
import type { ScriptAnswer } from './open-script.ts';
import { removeUser } from './scripts/remove-user.lua.ts';
import type { StoreParts } from './store-parts.ts';

/** On Cluster what counts a user's writes for the app is remembered so long after the user is gone. */
const REMEMBERED_MS = 24 * 60 * 60 * 1000;

/** Takes everything of a user, in small steps, so that nobody waits for long; the state goes with the last. */
export class UserRemover {
  readonly #parts: StoreParts;

  constructor(parts: StoreParts) {
    this.#parts = parts;
  }

  /** What is refused after the first step is `STORE_OUTCOME_UNKNOWN`; repeating it goes on. */
  async remove(user: UserRef): Promise<void> {
    const { calls, keys, runtime, follower } = this.#parts;
    const began = runtime.monotonic();
    const { state, list, ends, pending: queue } = keys.user(user);
    const app = keys.app(user.appName);
    const call = {
      script: removeUser,
      keys: [state, list, ends, ...(follower ? [queue] : [app.list, app.ends, app.leases])],
      args: [user.userId, REMEMBERED_MS],
    };
    for (let steps = 0; ; steps++) {
      const answer = await calls.write(call).catch((error: unknown) => {
        throw steps > 0 ? halfDone(error) : error;
      });
      const [more, ...pending] = answer as ScriptAnswer[];
      if (Number(more) === 0) {
        await follower?.follow(user, pending, began);
        return;
      }
      if (runtime.monotonic() - began >= calls.timeoutMs) throw halfDone(undefined);
    }
  }
}

function halfDone(cause: unknown): TholeError {
  return new TholeError('STORE_OUTCOME_UNKNOWN', 'Some of the sessions are deleted, perhaps not all.', { cause });
}
