import { TholeError } from '@thole/core';
import type { UserRef } from '@thole/core';
import { redisScript } from '../client/redis-script.ts';
import type { ScriptReply } from '../client/script-call.ts';
import type { StoreContext } from './store-context.ts';

const removeUser = redisScript('session/remove-user');

/** Milliseconds for which the number of a deleted user's last outbox entry is kept. */
const KEEP_OUTBOX_NUMBER_MS = 24 * 60 * 60 * 1000;

/** Deletes all sessions of a user in small steps, so that other calls do not wait long. The last step also deletes the user's state. */
export class UserRemover {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  /** Throws `STORE_OUTCOME_UNKNOWN` if a step after the first one fails. Calling it again continues. */
  async remove(user: UserRef): Promise<void> {
    const { calls, keys, runtime, outbox } = this.#context;
    const startedAt = runtime.monotonic();
    const { state, list, expiries, outbox: outboxKey } = keys.user(user);
    const app = keys.app(user.appName);
    const call = {
      script: removeUser,
      keys: [state, list, expiries, ...(outbox ? [outboxKey] : [app.list, app.expiries, app.leases])],
      args: [user.userId, KEEP_OUTBOX_NUMBER_MS],
    };
    for (let steps = 0; ; steps++) {
      const reply = await calls.write(call).catch((error: unknown) => {
        throw steps > 0 ? partialDeletionError(error) : error;
      });
      const [more, ...entries] = reply as ScriptReply[];
      if (Number(more) === 0) {
        await outbox?.deliver(user, entries, startedAt);
        return;
      }
      if (runtime.monotonic() - startedAt >= calls.timeoutMs) throw partialDeletionError(undefined);
    }
  }
}

function partialDeletionError(cause: unknown): TholeError {
  return new TholeError(
    'STORE_OUTCOME_UNKNOWN',
    'Some sessions of the user are deleted, but perhaps not all. Call deleteUserData again to continue.',
    { cause },
  );
}
