import { ClientError } from './client-error.ts';

/** One of a stream's server-sent events, or a comment. */
export interface Frame {
  /** The event's own; undefined where it has none, also after one that has. */
  id?: string | undefined;
  data?: string | undefined;
  comment?: string | undefined;
}

const MOST_CHARACTERS = 2 ** 26;

/**
 * Reads server-sent events from a body that comes in any pieces, by `read`; a piece that is being waited for is all that it holds. An
 * event that the body's end cuts off is dropped. `UNREADABLE` for one of more than 64 Mi characters. (The libraries that do this
 * are as large as this whole package may be.)
 */
export async function* readFrames(read: () => Promise<Uint8Array | undefined>): AsyncGenerator<Frame, void> {
  const decoder = new TextDecoder();
  let [line, afterReturn, frame, length] = ['', false, {} as Frame, 0];
  for (let bytes = await read(); bytes; bytes = await read()) {
    const text = decoder.decode(bytes, { stream: true });
    if (!text) continue;
    // The piece before may have ended between CR and LF.
    const [first, ...others] = text.slice(afterReturn && text.startsWith('\n') ? 1 : 0).split(/\r\n|\r|\n/);
    afterReturn = text.endsWith('\r');
    line += first!;
    length += text.length;
    for (const next of others) {
      const [complete, comment] = take(line, frame);
      if (comment !== undefined) yield { comment };
      if (complete) {
        if (frame.data !== undefined) yield frame;
        [frame, length] = [{}, 0];
      }
      line = next;
    }
    if (length > MOST_CHARACTERS) throw new ClientError('An event is too large to read.', { code: 'UNREADABLE' });
  }
}

function take(line: string, frame: Frame): [complete: boolean, comment?: string] {
  if (line === '') return [true];
  const colon = line.indexOf(':');
  const name = colon < 0 ? line : line.slice(0, colon);
  const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
  if (colon === 0) return [false, value];
  if (name === 'data') frame.data = frame.data === undefined ? value : `${frame.data}\n${value}`;
  if (name === 'id') frame.id = value;
  return [false];
}
