import { TholeError } from '@thole/core';
import { joinBytes } from '@thole/core/kit';
import type { Runtime } from '@thole/core';
import type { Limits } from '../limits.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });
const BODY_IS_READ =
  'Code of this server has already read the body: mount the handler before that code, or pass it a clone of the request.';

/**
 * Returns the JSON of a body; undefined for an empty body. Throws a `Response` with status 500 if the server's own code has already
 * read the body. Throws `INVALID_INPUT` with one of these statuses:
 *
 * - 400: invalid UTF-8 or JSON
 * - 408: the body does not arrive in time
 * - 413: the body is too large
 * - 415: another content type, encoding or character set
 */
export async function readBody(request: Request, limits: Limits, runtime: Runtime): Promise<unknown> {
  const { headers } = request;
  if (request.bodyUsed) throw Response.json({ detail: BODY_IS_READ, code: 'INTERNAL' }, { status: 500 });
  const length = headers.get('content-length');
  if (length !== null && Number(length) > limits.bodyBytes) throw tooLarge(limits);
  const bytes = await readBytes(request, { limits, runtime, isBounded: length !== null });
  if (bytes.length === 0) return undefined;
  if (bytes.length > limits.bodyBytes) throw tooLarge(limits);
  assertType(headers);
  return parse(bytes);
}

function assertType(headers: Headers): void {
  const contentType = headers.get('content-type') ?? '';
  const [type = '', ...parameters] =
    contentType === 'application/json' ? [contentType] : contentType.toLowerCase().split(';');
  if (!/^application\/([\w.-]+\+)?json$/.test(type.trim())) {
    throw new TholeError('INVALID_INPUT', 'The content type must be application/json.', { status: 415 });
  }
  const charset = parameters.map((each) => each.trim()).find((each) => each.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) {
    throw new TholeError('INVALID_INPUT', 'The character set must be UTF-8.', { status: 415 });
  }
  const encoding = headers.get('content-encoding');
  if (encoding !== null && encoding.trim().toLowerCase() !== 'identity') {
    throw new TholeError('INVALID_INPUT', 'The body must not be encoded.', { status: 415 });
  }
}

/**
 * Reads a body within `bodyMs`. A body with a `content-length` cannot be longer, so it is read in one call, which is many times
 * faster than reading its stream.
 */
function readBytes(request: Request, p: { limits: Limits; runtime: Runtime; isBounded: boolean }): Promise<Uint8Array> {
  const { limits, runtime } = p;
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const cancel = runtime.timer(limits.bodyMs, () =>
    reject(new TholeError('INVALID_INPUT', `The body did not arrive within ${limits.bodyMs} ms.`, { status: 408 })),
  );
  const reading: Promise<ArrayBuffer | Uint8Array> = p.isBounded ? request.arrayBuffer() : readStream(request, limits);
  reading.then(
    (bytes) => {
      cancel();
      resolve(bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes));
    },
    (error: unknown) => {
      cancel();
      reject(TholeError.is(error) ? error : unreadable(error));
    },
  );
  return promise;
}

/** Some frameworks end a body that is larger than their own limit with an error of status 413. */
function unreadable(error: unknown): TholeError {
  const message = 'The framework of this server accepts only smaller bodies. Raise its limit.';
  return (error as { status?: unknown } | undefined)?.status === 413
    ? new TholeError('INVALID_INPUT', message, { status: 413 })
    : new TholeError('INVALID_INPUT', 'The body is incomplete.');
}

async function discardRest(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    while (!(await reader.read()).done);
  } catch {
    // The client has disconnected.
  }
}

async function readStream(request: Request, limits: Limits): Promise<Uint8Array> {
  if (!request.body) return new Uint8Array();
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > limits.bodyBytes) {
      // Cancelling or ignoring the rest could close the connection before the response is sent.
      void discardRest(reader);
      throw tooLarge(limits);
    }
    chunks.push(value);
  }
  return joinBytes(chunks);
}

function parse(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw new TholeError('INVALID_INPUT', 'The body must be UTF-8.');
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new TholeError('INVALID_INPUT', 'The body must be JSON.');
  }
}

function tooLarge(limits: Limits): TholeError {
  return new TholeError('INVALID_INPUT', `The body must have at most ${limits.bodyBytes} bytes.`, { status: 413 });
}
