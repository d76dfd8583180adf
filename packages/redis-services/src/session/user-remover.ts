import { TholeError } from '@thole/core';
import type { UserRef } from '@thole/core';
import type { ScriptReply } from '../client/pending-call.ts';
import { removeUser } from '../scripts/remove-user.lua.ts';
import type { StoreContext } from './store-context.ts';

/** On Cluster what counts a user's writes for the app is remembered so long after the user is gone. */
const REMEMBERED_MS = 24 * 60 * 60 * 1000;

/** Takes everything of a user, in small steps, so that nobody waits for long; the state goes with the last. */
export class UserRemover {
  readonly #parts: StoreContext;

  constructor(parts: StoreContext) {
    this.#parts = parts;
  }

  /** What is refused after the first step is `STORE_OUTCOME_UNKNOWN`; repeating it goes on. */
  async remove(user: UserRef): Promise<void> {
    const { calls, keys, runtime, outbox } = this.#parts;
    const began = runtime.monotonic();
    const { state, list, expiries, outbox: queue } = keys.user(user);
    const app = keys.app(user.appName);
    const call = {
      script: removeUser,
      keys: [state, list, expiries, ...(outbox ? [queue] : [app.list, app.expiries, app.leases])],
      args: [user.userId, REMEMBERED_MS],
    };
    for (let steps = 0; ; steps++) {
      const answer = await calls.write(call).catch((error: unknown) => {
        throw steps > 0 ? halfDone(error) : error;
      });
      const [more, ...pending] = answer as ScriptReply[];
      if (Number(more) === 0) {
        await outbox?.deliver(user, pending, began);
        return;
      }
      if (runtime.monotonic() - began >= calls.timeoutMs) throw halfDone(undefined);
    }
  }
}

function halfDone(cause: unknown): TholeError {
  return new TholeError('STORE_OUTCOME_UNKNOWN', 'Some of the sessions are deleted, perhaps not all.', { cause });
}
