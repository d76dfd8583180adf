import { TholeError } from '@thole/core';
import { decodeText, fromEventText, isEncoded } from '@thole/core/kit';
import type { Event, TextCodec } from '@thole/core';

/**
 * Returns an event as an element of its list, in three lines: time, id (JSON) and the JSON text. Scripts read time and id only, because
 * a codec may have encoded the text. The `seq` follows from the position in the list.
 */
export function toElement(event: Event, text: string): string {
  return `${event.timestamp}\n${JSON.stringify(event.id)}\n${text}`;
}

/** Returns the text of an element. */
function textOfElement(element: string): string {
  return element.slice(element.indexOf('\n', element.indexOf('\n') + 1) + 1);
}

/**
 * Returns the events of elements. `seqs` is the seq of the first element, or a seq for each element. Throws `STORE_VERSION` if an event
 * cannot be read.
 */
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
    return fromEventText(text);
  } catch (cause) {
    throw new TholeError('STORE_VERSION', 'An event in Redis cannot be read: another codec or version wrote it.', {
      cause,
    });
  }
}
