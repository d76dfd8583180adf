import { userKeyOf } from '@thole/core/kit';
import type { Runtime, UserRef } from '@thole/core';
import type { ScriptReply } from '../client/pending-call.ts';
import type { RedisCalls } from '../client/redis-calls.ts';
import type { RedisKeys } from '../client/redis-keys.ts';
import { followApp } from '../scripts/follow-app.lua.ts';
import { settlePending } from '../scripts/settle-pending.lua.ts';

/**
 * On Cluster what is per app lives in a slot of its own. What a user's writes mean for it is stored with them, as a list of
 * pending entries, and brought over here: at once, and after a crash at the next touch of that user. Entries are
 * numbered, so bringing one over twice changes nothing.
 */
export class AppOutbox {
  readonly #calls: RedisCalls;
  readonly #keys: RedisKeys;
  readonly #runtime: Runtime;

  constructor(calls: RedisCalls, keys: RedisKeys, runtime: Runtime) {
    this.#calls = calls;
    this.#keys = keys;
    this.#runtime = runtime;
  }

  /**
   * For a call that began at this time (monotonic), and for no longer than it may take. Never throws: what was written is
   * written, and its entries stay until they are followed.
   */
  async deliver(user: UserRef, pending: readonly ScriptReply[], began: number): Promise<void> {
    if (pending.length === 0) return;
    const end = began + this.#calls.timeoutMs;
    const over = this.#bringOver(user, pending as readonly string[], end);
    await new Promise<void>((resolve) => {
      const cancel = this.#runtime.timer(Math.max(0, end - this.#runtime.monotonic()), resolve);
      void over.then(() => {
        cancel();
        resolve();
      });
    });
  }

  /** Follows what such a call left behind, for one that reads. */
  async deliverPending(user: UserRef): Promise<void> {
    const began = this.#runtime.monotonic();
    const look = { script: settlePending, keys: [this.#keys.user(user).outbox], args: ['0'] };
    await this.deliver(user, (await this.#calls.read(look)) as ScriptReply[], began);
  }

  async #bringOver(user: UserRef, pending: readonly string[], end: number): Promise<void> {
    const app = this.#keys.app(user.appName);
    const keys = [app.state, app.list, app.expiries, app.applied];
    const settle = { script: settlePending, keys: [this.#keys.user(user).outbox] };
    try {
      for (let entries = pending; entries.length > 0 && this.#runtime.monotonic() < end;) {
        const last = await this.#calls.write({ script: followApp, keys, args: [userKeyOf(user), ...entries] });
        entries = (await this.#calls.write({ ...settle, args: [String(last)] })) as string[];
      }
    } catch (error) {
      const code = (error as { code?: unknown }).code;
      this.#runtime.logger.warn('what a user wrote for the app follows later', { appName: user.appName, code });
    }
  }
}
