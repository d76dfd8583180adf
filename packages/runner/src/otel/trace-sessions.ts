import type { Session, SessionService } from '@thole/core';
import { RECORD_COUNT, storeCall } from './store-call.ts';
import { tracedService } from './traced-service.ts';
import type { Describe, TracingRuntime } from './traced-service.ts';

/**
 * Returns the session service with a span for each call: `append_event`, `get_session` … Pass the result to the runner.
 * Leases and watchers have no spans. All abilities of the service stay available.
 */
export function traceSessions<S extends SessionService>(service: S, runtime: TracingRuntime): S {
  return tracedService(service, runtime, sessionCalls);
}

const sessionCalls: ReadonlyMap<PropertyKey, Describe> = new Map<PropertyKey, Describe>([
  ['createSession', storeCall<Session>('session', 'create_session', ({ id }) => ({ 'gen_ai.conversation.id': id }))],
  [
    'getSession',
    storeCall<Session | undefined>('session', 'get_session', (found) => ({
      [RECORD_COUNT]: found ? found.events.length : 0,
    })),
  ],
  [
    'listSessions',
    storeCall<{ sessions: readonly unknown[] }>('session', 'list_sessions', ({ sessions }) => ({
      [RECORD_COUNT]: sessions.length,
    })),
  ],
  ['listWaitingSessions', storeCall('session', 'list_waiting_sessions')],
  ['insertSession', storeCall('session', 'insert_session')],
  ['deleteSession', storeCall('session', 'delete_session')],
  ['appendEvent', storeCall('session', 'append_event')],
  ['updateState', storeCall('session', 'update_state')],
  ['getUserState', storeCall('session', 'get_user_state')],
  ['deleteUserData', storeCall('session', 'delete_user_data')],
]);
