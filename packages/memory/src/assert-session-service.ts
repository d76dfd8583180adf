import { invalidInput } from '@thole/core/kit';
import type { SessionService } from '@thole/core';

/** Throws `INVALID_INPUT` unless the value is a session service. */
export function assertSessionService(sessions: unknown): asserts sessions is SessionService {
  if (typeof (sessions as Partial<SessionService> | undefined)?.getSession !== 'function')
    throw invalidInput('sessions', 'a SessionService', sessions);
}
