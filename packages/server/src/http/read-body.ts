import { TholeError } from '@thole/core';
import type { Runtime } from '@thole/core';
import type { Limits } from '../limits.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * The JSON of a body, `undefined` for none. `INVALID_INPUT` with status 400 for what is no UTF-8 or no JSON, 413 for too much, 415 for another
 * content type, encoding or character set, 408 for one that does not come.
 */
export async function readBody(request: Request, limits: Limits, runtime: Runtime): Promise<unknown> {
  const { headers } = request;
  const length = headers.get('content-length');
  if (length !== null && Number(length) > limits.bodyBytes) throw tooLarge(limits);
  const bytes = await readBytes(request, { limits, runtime, isBounded: length !== null });
  if (bytes.length === 0) return undefined;
  if (bytes.length > limits.bodyBytes) throw tooLarge(limits);
  assertType(headers);
  return parse(bytes);
}

function assertType(headers: Headers): void {
  const given = headers.get('content-type') ?? '';
  const [type = '', ...parameters] = given === 'application/json' ? [given] : given.toLowerCase().split(';');
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

/** Within `bodyMs`. A body whose length was told is bounded by it, and reading it at once is many times cheaper than reading its stream. */
function readBytes(request: Request, p: { limits: Limits; runtime: Runtime; isBounded: boolean }): Promise<Uint8Array> {
  const { limits, runtime } = p;
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const cancel = runtime.timer(limits.bodyMs, () =>
    reject(new TholeError('INVALID_INPUT', `The body did not come within ${limits.bodyMs} ms.`, { status: 408 })),
  );
  const reading: Promise<ArrayBuffer | Uint8Array> = p.isBounded ? request.arrayBuffer() : readStream(request, limits);
  reading.then(
    (bytes) => {
      cancel();
      resolve(bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes));
    },
    (error: unknown) => {
      cancel();
      reject(TholeError.is(error) ? error : new TholeError('INVALID_INPUT', 'The body did not come whole.'));
    },
  );
  return promise;
}

async function throwAway(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  try {
    while (!(await reader.read()).done);
  } catch {
    // The client is gone.
  }
}

async function readStream(request: Request, limits: Limits): Promise<Uint8Array> {
  const reader = request.body?.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) break;
    size += value.length;
    if (size > limits.bodyBytes) {
      // Neither cancelled nor left unread: the connection could close before the answer has gone out.
      void throwAway(reader!);
      throw tooLarge(limits);
    }
    chunks.push(value);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
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
