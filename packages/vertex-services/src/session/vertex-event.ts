import { createEventActions } from '@thole/core';
import { definedMembers, isPlainObject } from '@thole/core/kit';
import { idOf } from '../client/vertex-client.ts';
import type { Event, EventActions, Json, JsonObject } from '@thole/core';
import { decodeValue, encodeValue, readableValue } from '../client/struct-value.ts';
import { formatMicros, parseSeconds } from '../client/wire-time.ts';
import { toReadableContent } from './vertex-content.ts';

/**
 * Returns the body of `:appendEvent`. `rawEvent` is the complete event, which `fromVertexEvent` reads. The other
 * fields are for Google's console, for Memory Bank and for other ADKs. `micros` is the time by which the service orders
 * events.
 */
export function toVertexEvent(event: Event, stateDelta: JsonObject, micros: number): JsonObject {
  const { content, actions, errorCode, errorMessage } = event;
  const { skipSummarization, artifactDelta, transferToAgent, escalate, requestedAuthConfigs } = actions;
  const { turnComplete, interrupted, branch, longRunningToolIds } = event;
  return definedMembers({
    author: readableValue(event.author),
    invocationId: readableValue(event.invocationId),
    timestamp: formatMicros(micros),
    content: content && toReadableContent(content),
    actions: definedMembers({
      skipSummarization,
      stateDelta,
      artifactDelta: readableValue(artifactDelta),
      transferAgent: transferToAgent && readableValue(transferToAgent),
      escalate,
      requestedAuthConfigs: readableValue(requestedAuthConfigs),
    }),
    errorCode: errorCode && readableValue(errorCode),
    errorMessage: errorMessage && readableValue(errorMessage),
    eventMetadata: definedMembers({
      turnComplete,
      interrupted,
      branch: branch && readableValue(branch),
      longRunningToolIds: longRunningToolIds && readableValue(longRunningToolIds),
      customMetadata: event.customMetadata && readableValue(event.customMetadata),
    }),
    rawEvent: toRawEvent(event),
  });
}

function toRawEvent(event: Event): JsonObject {
  const encoded = encodeValue(event as unknown as Json) as JsonObject;
  // The id stays readable, so that a repeated append is found without decoding.
  return encoded === (event as unknown) ? encoded : { id: readableValue(event.id), ...encoded };
}

/** Returns a stored event. An event of another writer is read from the service's own fields. */
export function fromVertexEvent(stored: JsonObject, seq: number): Event {
  const raw = stored['rawEvent'];
  const event = isPlainObject(raw) ? (decodeValue(raw as JsonObject) as JsonObject) : undefined;
  const isOurs = typeof event?.['id'] === 'string' && typeof event['invocationId'] === 'string';
  if (event && isOurs && isPlainObject(event['actions'])) {
    // Other writers may leave out empty maps.
    const actions = { ...createEventActions(), ...(event['actions'] as Partial<EventActions>) };
    return { ...(event as unknown as Event), actions, seq };
  }
  return { ...fromFields(stored, event), seq };
}

/** Returns an event of another ADK. Its `rawEvent` may have fields in snake case, so known fields come first. */
function fromFields(stored: JsonObject, raw: JsonObject | undefined): Event {
  const actions = (stored['actions'] ?? {}) as JsonObject;
  const metadata = (stored['eventMetadata'] ?? {}) as JsonObject;
  const { transferAgent, ...otherActions } = actions;
  const given = (raw?.['actions'] ?? {}) as Partial<EventActions>;
  const id = raw?.['id'];
  return {
    ...(definedMembers({ ...metadata, ...raw }) as Partial<Event>),
    id: typeof id === 'string' && id !== '' ? id : idOf(stored),
    invocationId: textOf(stored, 'invocationId'),
    author: textOf(stored, 'author'),
    timestamp: parseSeconds(stored['timestamp']),
    ...(stored['content'] !== undefined && { content: stored['content'] as NonNullable<Event['content']> }),
    ...(stored['errorCode'] !== undefined && { errorCode: textOf(stored, 'errorCode') }),
    ...(stored['errorMessage'] !== undefined && { errorMessage: textOf(stored, 'errorMessage') }),
    actions: {
      ...createEventActions(),
      ...(otherActions as Partial<EventActions>),
      ...(typeof transferAgent === 'string' && { transferToAgent: transferAgent }),
      ...given,
    },
  };
}

function textOf(stored: JsonObject, name: string): string {
  return (stored[name] as string | undefined) ?? '';
}
