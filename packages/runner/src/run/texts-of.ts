import { textOf } from '@thole/core';
import type { Event } from '@thole/core';

/** Texts of a run for a person to read: partials as they come; a whole answer where none of it was streamed. */
export async function* textsOf(events: AsyncIterable<Event>): AsyncGenerator<string, void> {
  let streamed: string | undefined;
  for await (const event of events) {
    if (event.author === 'user') continue;
    const text = textOf(event.content);
    if (event.partial) {
      if (text) streamed = event.id;
      if (text) yield text;
    } else if (text && streamed !== event.id) {
      yield text;
    }
  }
}
