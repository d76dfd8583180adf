import { StoredSessionService, systemRuntime } from '@thole/core';
import { invalidInput, isPlainObject } from '@thole/core/kit';
import type { StoredSessionServiceOptions } from '@thole/core';
import { InMemorySessionStore } from './in-memory-session-store.ts';

/** Sessions in the memory of this process: gone when it ends. Runners that share one queue in one line. */
export class InMemorySessionService extends StoredSessionService {
  constructor(options: StoredSessionServiceOptions = {}) {
    const given: unknown = options;
    if (!isPlainObject(given)) throw invalidInput('The options of InMemorySessionService', 'an object', given);
    const runtime = options.runtime ?? systemRuntime();
    super(new InMemorySessionStore(runtime), { ...options, runtime });
  }
}
