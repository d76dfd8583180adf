import { createParser } from 'eventsource-parser';

/**
 * The data of each event of a `text/event-stream`, in order, as soon as it is whole, in whatever pieces the bytes come. What the
 * end cuts off is the last, for its reader to judge.
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
