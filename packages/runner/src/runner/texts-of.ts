import { textOf } from '@thole/core';
import type { Event } from '@thole/core';

/**
 * Returns the texts of a run for a person to read: partial texts as they come, and a whole answer where none of it was
 * streamed. `isChecked` tells of an author whose answers are checked before they are stored: only stored answers count then.
 */
export async function* textsOf(
  events: AsyncIterable<Event>,
  isChecked: (author: string) => boolean,
): AsyncGenerator<string, void> {
  // Answers of branches that run at once come piece by piece in turns.
  const streamed = new Set<string>();
  for await (const event of events) {
    if (event.author === 'user') continue;
    const text = textOf(event.content);
    if (event.partial) {
      if (!text || isChecked(event.author)) continue;
      streamed.add(event.id);
      yield text;
    } else if (!streamed.delete(event.id) && text) {
      yield text;
    }
  }
}
