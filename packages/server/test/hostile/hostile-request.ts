/** An invalid or malicious request as raw bytes, and the expected status. */
export interface HostileRequest {
  readonly name: string;
  readonly status: number;
  readonly bytes: string | Uint8Array;
  /** Sent repeatedly after `bytes` while the server listens. */
  readonly trickle?: string | undefined;
}

export interface HostileClass {
  readonly name: string;
  readonly requests: readonly HostileRequest[];
}

/** Part of many requests. No response may contain it. */
export const SECRET = 'hunter2-secret';

export const ALL = '/apps/demo/users/ann/sessions';
export const ONE: string = `${ALL}/s`;
export const MEMORY = '/apps/demo/users/ann/memory';

/** Returns a request with JSON. A string is sent unchanged. */
export function json(name: string, status: number, line: string, body: unknown): HostileRequest {
  return sent(name, status, line, {}, typeof body === 'string' ? body : JSON.stringify(body));
}

/** Returns a request without a body. */
export function plain(
  name: string,
  status: number,
  line: string,
  headers: Record<string, string> = {},
): HostileRequest {
  return { name, status, bytes: head(line, headers) };
}

/** Returns a request with a body and its length. Headers replace the default ones. */
export function sent(
  name: string,
  status: number,
  line: string,
  headers: Record<string, string>,
  body: string | Uint8Array,
): HostileRequest {
  const bytes = Buffer.from(body);
  const all = { 'content-type': 'application/json', 'content-length': String(bytes.length), ...headers };
  return { name, status, bytes: Buffer.concat([Buffer.from(head(line, all)), bytes]) };
}

/** Returns a request with a chunked body. */
export function chunked(name: string, status: number, line: string, chunks: readonly string[]): HostileRequest {
  const body = chunks.map((each) => `${Buffer.byteLength(each).toString(16)}\r\n${each}\r\n`).join('');
  const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
  return { name, status, bytes: `${head(line, headers)}${body}0\r\n\r\n` };
}

/** Returns a request with additional raw header lines and a raw body. With `isOpen` the last line has no end, and `trickle` continues it. */
export function raw(
  name: string,
  status: number,
  p: { line?: string; lines: string; body?: string; trickle?: string; isOpen?: boolean },
): HostileRequest {
  const { line = 'POST /run', lines, body = '', isOpen = false, trickle } = p;
  const rest = isOpen ? '' : `\r\n\r\n${body}`;
  // A server that closes the connection while the client still sends resets it, and the answer may be lost.
  const closing = trickle === undefined ? 'connection: close\r\n' : '';
  const bytes = `${line} HTTP/1.1\r\nhost: localhost\r\n${closing}content-type: application/json\r\n${lines}${rest}`;
  return { name, status, bytes, trickle };
}

/** Returns the body of a run that is valid except for the given members. */
export function runOf(body: object): object {
  return {
    ...{ appName: 'demo', userId: 'ann', sessionId: 's' },
    newMessage: { role: 'user', parts: [{ text: SECRET }] },
    ...body,
  };
}

function head(line: string, headers: Record<string, string>): string {
  const lines = Object.entries({ host: 'localhost', connection: 'close', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `${line} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
