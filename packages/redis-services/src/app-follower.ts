import { userKeyOf } from '@thole/core';
import type { Runtime, UserRef } from '@thole/core';
import type { ScriptAnswer } from './open-script.ts';
import type { RedisCalls } from './redis-calls.ts';
import type { RedisKeys } from './redis-keys.ts';
import { followApp } from './scripts/follow-app.lua.ts';
import { settlePending } from './scripts/settle-pending.lua.ts';

/**
 * On Cluster what is per app lives in a slot of its own. What a user's writes mean for it is stored with them, as a list of
 * pending entries, and brought over here: at once, and after a crash at the next touch of that user. Entries are
 * numbered, so bringing one over twice changes nothing.
 */
export class AppFollower {
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
  async follow(user: UserRef, pending: readonly ScriptAnswer[], began: number): Promise<void> {
    if (pending.length === 0) return;
    const over = this.#bringOver(user, pending as readonly string[]);
    const left = began + this.#calls.timeoutMs - this.#runtime.monotonic();
    await new Promise<void>((resolve) => {
      const cancel = this.#runtime.timer(Math.max(0, left), resolve);
      void over.then(() => {
        cancel();
        resolve();
      });
    });
  }

  async #bringOver(user: UserRef, entries: readonly string[]): Promise<void> {
    const app = this.#keys.app(user.appName);
    try {
      const keys = [app.state, app.list, app.ends, app.followed];
      const last = await this.#calls.write({ script: followApp, keys, args: [userKeyOf(user), ...entries] });
      const settled = { script: settlePending, keys: [this.#keys.user(user).pending], args: [String(last)] };
      await this.#calls.write(settled);
    } catch (error) {
      const code = (error as { code?: unknown }).code;
      this.#runtime.logger.warn('what a user wrote for the app follows later', { appName: user.appName, code });
    }
  }
}
