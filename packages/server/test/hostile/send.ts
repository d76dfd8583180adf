import { connect } from 'node:net';
import type { HostileRequest } from './hostile-request.ts';

const INTERVAL_MS = 20;

/** Returns the response as soon as it is complete. Rejects if none arrives in time. */
export function send(url: string, { bytes, trickle }: HostileRequest, limitMs: number): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), hostname);
    // Before the connection is open, so that no piece of `trickle` is sent first.
    socket.write(bytes);
    const pieces = setInterval(() => trickle !== undefined && socket.writable && socket.write(trickle), INTERVAL_MS);
    const limit = setTimeout(() => end(new Error(`There was no answer within ${limitMs} ms: ${text}`)), limitMs);
    const end = (problem?: Error): void => {
      clearInterval(pieces);
      clearTimeout(limit);
      socket.destroy();
      const answer = parseComplete(text);
      if (answer) resolve(answer);
      else reject(problem ?? new Error(`The connection ended without an answer: ${text}`));
    };
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (parseComplete(text)) end();
    });
    // If the server closes before it has read everything, the connection is reset after the response.
    socket.on('error', () => {});
    socket.on('close', () => end());
  });
}

export interface RawAnswer {
  status: number;
  type: string;
  text: string;
}

function parseComplete(text: string): RawAnswer | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = text.slice(0, end).toLowerCase();
  const status = Number(head.slice(9, 12));
  const type = /\r\ncontent-type: ([^\r]*)/.exec(head)?.[1] ?? '';
  const length = /\r\ncontent-length: (\d+)/.exec(head)?.[1];
  const body = text.slice(end + 4);
  if (length !== undefined) {
    return body.length < Number(length) ? undefined : { status, type, text: body.slice(0, Number(length)) };
  }
  const chunks = [...body.matchAll(/[0-9a-f]+\r\n([^\r]*)\r\n/g)];
  return body.endsWith('0\r\n\r\n') ? { status, type, text: chunks.map((each) => each[1]).join('') } : undefined;
}
