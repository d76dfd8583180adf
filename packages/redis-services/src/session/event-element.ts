import { TholeError } from '@thole/core';
import { decodeText, isEncoded } from '@thole/core/kit';
import type { Event, TextCodec } from '@thole/core';

/**
 * An event as it stands in its list: time, id, JSON text, a line each. Time and id are what scripts look at; the text they
 * never see into, for a codec may have made something else of it. `seq` is its place in the list.
 */
export function toElement(event: Event, text: string): string {
  return `${event.timestamp}\n${JSON.stringify(event.id)}\n${text}`;
}

/** The text of an element. */
export function textOfElement(element: string): string {
  return element.slice(element.indexOf('\n', element.indexOf('\n') + 1) + 1);
}

/** The JSON text of an event, without the `seq` that it is about to get. */
export function textOfEvent(event: Event): string {
  if (event.seq === undefined) return JSON.stringify(event);
  const { seq: _, ...rest } = event;
  return JSON.stringify(rest);
}

/** The events of these elements. `seqs` says which they are: the first one's, or each one's. */
export async function readElements(
  elements: readonly string[],
  seqs: number | readonly number[],
  codec: TextCodec | undefined,
): Promise<Event[]> {
  const events: Event[] = [];
  for (let i = 0; i < elements.length; i++) {
    const text = textOfElement(elements[i]!);
    const event = parseEvent(isEncoded(text) ? await decodeText(codec, text) : text);
    event.seq = typeof seqs === 'number' ? seqs + i : seqs[i]!;
    events.push(event);
  }
  return events;
}

function parseEvent(text: string): Event {
  try {
    return JSON.parse(text) as Event;
  } catch (cause) {
    throw new TholeError('STORE_VERSION', 'An event in Redis cannot be read: another codec or version wrote it.', {
      cause,
    });
  }
}
