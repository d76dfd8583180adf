import { userKeyOf } from '@thole/core/kit';
import type { Runtime, UserRef } from '@thole/core';
import type { RedisCalls } from '../client/redis-calls.ts';
import type { RedisKeys } from '../client/redis-keys.ts';
import { redisScript } from '../client/redis-script.ts';
import type { ScriptReply } from '../client/script-call.ts';

const applyOutbox = redisScript('session/apply-outbox');
const trimOutbox = redisScript('session/trim-outbox');

/**
 * Applies a user's changes to the app's keys on Cluster, where both are in different slots (the "transactional outbox" pattern). A
 * script stores each change as an outbox entry, together with the write that caused it. The entries are applied right after that write,
 * or after a crash at the next call for that user. Entries have numbers, so applying one twice changes nothing.
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
   * Applies the entries and all later entries. `startedAt` (monotonic) is the start of the call; this method ends within the call's time
   * limit. Never throws: the write itself is stored, and entries that were not applied remain in the outbox.
   */
  async deliver(user: UserRef, entries: readonly ScriptReply[], startedAt: number): Promise<void> {
    if (entries.length === 0) return;
    const end = startedAt + this.#calls.timeoutMs;
    const delivery = this.#applyAll(user, entries as readonly string[], end);
    await new Promise<void>((resolve) => {
      const cancel = this.#runtime.timer(Math.max(0, end - this.#runtime.monotonic()), resolve);
      void delivery.then(() => {
        cancel();
        resolve();
      });
    });
  }

  /** Applies the entries that earlier calls have left in the outbox. */
  async deliverPending(user: UserRef): Promise<void> {
    const startedAt = this.#runtime.monotonic();
    const readAll = { script: trimOutbox, keys: [this.#keys.user(user).outbox], args: ['0'] };
    await this.deliver(user, (await this.#calls.read(readAll)) as ScriptReply[], startedAt);
  }

  async #applyAll(user: UserRef, first: readonly string[], end: number): Promise<void> {
    const app = this.#keys.app(user.appName);
    const keys = [app.state, app.list, app.expiries, app.applied];
    const trim = { script: trimOutbox, keys: [this.#keys.user(user).outbox] };
    try {
      for (let entries = first; entries.length > 0 && this.#runtime.monotonic() < end;) {
        const last = await this.#calls.write({ script: applyOutbox, keys, args: [userKeyOf(user), ...entries] });
        entries = (await this.#calls.write({ ...trim, args: [String(last)] })) as string[];
      }
    } catch (error) {
      const code = (error as { code?: unknown }).code;
      this.#runtime.logger.warn(
        'Changes of the app could not be applied yet. The next call for this user applies them.',
        { appName: user.appName, code },
      );
    }
  }
}
