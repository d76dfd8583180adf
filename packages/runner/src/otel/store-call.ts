import type { TracedWork } from '@thole/core/kit';
import type { Event, Session, SessionRef, SpanAttributes } from '@thole/core';
import type { Describe } from './traced-service.ts';

interface AnyRequest extends Partial<SessionRef> {
  session?: Session | SessionRef | undefined;
  event?: Event | undefined;
  filename?: string | undefined;
}

/** Describes a call of a store. OpenTelemetry's conventions have no names for stores, so these names are our own. */
export function storeCall<T>(
  store: 'session' | 'artifact',
  operation: string,
  result?: (value: T) => SpanAttributes,
): Describe {
  return ((request: AnyRequest, { capturesContent }): TracedWork<T> | undefined => {
    // A partial event is returned without being stored, so it has no span.
    if (request.event?.partial) return undefined;
    return { name: operation, attributes: storeAttributes(store, operation, request, capturesContent), result };
  }) as Describe;
}

function storeAttributes(
  store: string,
  operation: string,
  { sessionId, session, event, filename }: AnyRequest,
  capturesContent: boolean,
): SpanAttributes {
  const ref = session && ('sessionId' in session ? session.sessionId : session.id);
  return {
    'thole.store.name': store,
    'thole.store.operation': operation,
    'thole.event.id': event?.id,
    'thole.artifact.filename': capturesContent ? filename : undefined,
    'gen_ai.conversation.id': sessionId ?? ref,
  };
}

/** Attribute with the number of returned records. */
export const RECORD_COUNT = 'thole.store.record.count';
