/** A request that means harm, or is broken, as the bytes that a socket sends; and the status that answers it. */
export interface HostileRequest {
  readonly name: string;
  readonly status: number;
  readonly bytes: string | Uint8Array;
  /** What is sent afterwards, piece by piece, as long as the server listens. */
  readonly trickle?: string | undefined;
}

export interface HostileClass {
  readonly name: string;
  readonly requests: readonly HostileRequest[];
}

/** Stands in what requests hold, and must not be in any answer. */
export const SECRET = 'hunter2-tell-nobody';

export const ALL = '/apps/demo/users/ann/sessions';
export const ONE: string = `${ALL}/s`;
export const MEMORY = '/apps/demo/users/ann/memory';

/** A request with JSON: text as it stands, or what text is made of. */
export function json(name: string, status: number, line: string, body: unknown): HostileRequest {
  return sent(name, status, line, {}, typeof body === 'string' ? body : JSON.stringify(body));
}

/** A request without a body. */
export function plain(
  name: string,
  status: number,
  line: string,
  headers: Record<string, string> = {},
): HostileRequest {
  return { name, status, bytes: head(line, headers) };
}

/** A request whose body has the length that it says; headers of the same name take the place of the usual ones. */
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

/** A request in chunks, each as long as it is given. */
export function chunked(name: string, status: number, line: string, chunks: readonly string[]): HostileRequest {
  const body = chunks.map((each) => `${Buffer.byteLength(each).toString(16)}\r\n${each}\r\n`).join('');
  const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
  return { name, status, bytes: `${head(line, headers)}${body}0\r\n\r\n` };
}

/** A request whose head has these lines after the usual ones, and this text behind it. */
export function raw(
  name: string,
  status: number,
  p: { line?: string; lines: string; body?: string; trickle?: string },
): HostileRequest {
  const { line = 'POST /run', lines, body = '', trickle } = p;
  const bytes = `${line} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n${lines}\r\n\r\n${body}`;
  return { name, status, bytes, trickle };
}

/** The body of a run that would succeed, but for what is put in. */
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
