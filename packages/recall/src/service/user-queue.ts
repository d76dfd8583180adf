import { userKeyOf } from '@thole/core/kit';
import type { UserRef } from '@thole/core';

/** Work that reads and then writes, one after the other for each user: two at once would each put back what the other took. */
export class UserQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs the work when what was handed in before for this user has ended, well or not. */
  run<T>(user: UserRef, work: () => Promise<T>): Promise<T> {
    const key = userKeyOf(user);
    const before = this.#last.get(key);
    const mine = before ? before.then(work, work) : work();
    this.#last.set(key, mine);
    const letGo = (): void => {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    };
    mine.then(letGo, letGo);
    return mine;
  }
}
