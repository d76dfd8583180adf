import { StoredSessionService, systemRuntime } from '@thole/core';
import { invalidInput, isPlainObject } from '@thole/core/kit';
import type { StoredSessionServiceOptions } from '@thole/core';
import { InMemorySessionStore } from './in-memory-session-store.ts';

/** Sessions in the memory of this process. They are lost when it ends. Runners that share an instance share its leases. */
export class InMemorySessionService extends StoredSessionService {
  constructor(options: StoredSessionServiceOptions = {}) {
    if (!isPlainObject(options as unknown))
      throw invalidInput('Options of InMemorySessionService', 'an object', options);
    const runtime = options.runtime ?? systemRuntime();
    super(new InMemorySessionStore(runtime), { ...options, runtime });
  }
}
