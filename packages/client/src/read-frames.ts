import { ClientError } from './client-error.ts';

/** A server-sent event, or a comment. */
export interface Frame {
  /** The id of this event, not that of an earlier one. */
  id?: string | undefined;
  data?: string | undefined;
  comment?: string | undefined;
}

const MAX_FRAME_CHARS = 2 ** 26;

/**
 * Reads server-sent events from the chunks that `read` returns. Only the current event is buffered. An event without an end is
 * dropped. Throws `INVALID_RESPONSE` for an event of more than 64 Mi characters. No library is used, because libraries for this
 * are as large as the size limit of the whole package.
 */
export async function* readFrames(read: () => Promise<Uint8Array | undefined>): AsyncGenerator<Frame, void> {
  const decoder = new TextDecoder();
  let [line, afterReturn, frame, length] = ['', false, {} as Frame, 0];
  for (let bytes = await read(); bytes; bytes = await read()) {
    const text = decoder.decode(bytes, { stream: true });
    if (!text) continue;
    // The previous chunk may have ended between CR and LF.
    const [first, ...others] = text.slice(afterReturn && text.startsWith('\n') ? 1 : 0).split(/\r\n|\r|\n/);
    afterReturn = text.endsWith('\r');
    line += first!;
    length += text.length;
    for (const next of others) {
      const [complete, comment] = readLine(line, frame);
      if (comment !== undefined) yield { comment };
      if (complete) {
        if (frame.data !== undefined) yield frame;
        [frame, length] = [{}, 0];
      }
      line = next;
    }
    if (length > MAX_FRAME_CHARS) throw new ClientError('An event is too large.', { code: 'INVALID_RESPONSE' });
  }
}

function readLine(line: string, frame: Frame): [complete: boolean, comment?: string] {
  if (line === '') return [true];
  const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!;
  if (name === '') return [false, value];
  if (name === 'data') frame.data = frame.data === undefined ? value : `${frame.data}\n${value}`;
  if (name === 'id') frame.id = value;
  return [false];
}
