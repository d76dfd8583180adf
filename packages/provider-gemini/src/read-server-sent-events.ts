import { createParser } from 'eventsource-parser';

/**
 * Yields the data of each event of a `text/event-stream` as soon as it is complete. Events may span chunks. An
 * incomplete event at the end of the stream is yielded too; the caller must check it.
 */
export async function* readServerSentEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  let events: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => events.push(data) });
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    if (events.length === 0) continue;
    yield* events;
    events = [];
  }
  parser.feed(`${decoder.decode()}\n\n`);
  yield* events;
}
