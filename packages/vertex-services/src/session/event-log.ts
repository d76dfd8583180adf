import type { Event, JsonObject } from '@thole/core';
import type { VertexClient } from '../client/vertex-client.ts';
import type { VertexPath } from '../client/vertex-path.ts';
import type { SessionRecord } from './session-record.ts';
import { fromVertexEvent } from './vertex-event.ts';
import { formatMicros, parseMicros } from '../client/wire-time.ts';

/** The events of a session that this process knows: their ids and last times. */
export interface KnownEvents {
  readonly incarnation: string;
  readonly ids: Set<string>;
  /** The greatest `seq` of the events. */
  lastSeq: number;
  /** Time of the newest event in the service, in microseconds. */
  lastMicros: number;
  /** Greatest `timestamp` of the events, in seconds. */
  lastTimestamp: number;
}

/**
 * Reads the events of a session in order, each with its `seq`: its place in the order of time and then of the service's
 * names. An event that a lost answer stored twice appears once.
 */
export async function readEvents(
  client: VertexClient,
  session: VertexPath,
  { incarnation, pruned }: Pick<SessionRecord, 'incarnation' | 'pruned'>,
): Promise<{ events: Event[]; known: KnownEvents }> {
  const known: KnownEvents = {
    incarnation,
    ids: new Set<string>(),
    lastSeq: pruned,
    lastMicros: -1,
    lastTimestamp: -Infinity,
  };
  const stored = await readStored(client, session);
  return { events: addStored(known, stored), known };
}

/** Reads the events that other writers stored since, adds them to `known` and returns them. */
export async function readNewEvents(client: VertexClient, session: VertexPath, known: KnownEvents): Promise<Event[]> {
  const since = known.lastMicros < 0 ? undefined : `timestamp>="${formatMicros(known.lastMicros)}"`;
  return addStored(known, await readStored(client, session, since));
}

function addStored(known: KnownEvents, stored: readonly JsonObject[]): Event[] {
  const added: Event[] = [];
  for (const each of stored) {
    const event = fromVertexEvent(each, known.lastSeq + 1);
    known.lastMicros = Math.max(known.lastMicros, parseMicros(each['timestamp']));
    if (known.ids.has(event.id)) continue;
    known.ids.add(event.id);
    known.lastSeq++;
    known.lastTimestamp = Math.max(known.lastTimestamp, event.timestamp);
    added.push(event);
  }
  return added;
}

async function readStored(client: VertexClient, session: VertexPath, filter?: string): Promise<JsonObject[]> {
  const url = client.url(session, '/events');
  const stored = await Array.fromAsync(client.pages({ url, query: { filter } }, 'sessionEvents'));
  return stored.sort((a, b) => {
    const times = parseMicros(a['timestamp']) - parseMicros(b['timestamp']);
    if (times !== 0) return times;
    return (a['name'] as string) < (b['name'] as string) ? -1 : 1;
  });
}
