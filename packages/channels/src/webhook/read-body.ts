import { TholeError } from '@thole/core';
import type { Runtime } from '@thole/core';

/**
 * Returns the body of a request. Throws `VALUE_TOO_LARGE` as soon as it is larger than `maxBytes`, and `INVALID_INPUT` if it is not
 * complete after `limitMs`.
 */
export async function readBody(
  request: Request,
  p: { maxBytes: number; limitMs: number; runtime: Runtime },
): Promise<Uint8Array> {
  const { limitMs, maxBytes, runtime } = p;
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const reader = request.body?.getReader();
  if (!reader) return new Uint8Array();
  let isLate = false;
  const cancel = runtime.timer(limitMs, () => {
    isLate = true;
    void reader.cancel().catch(() => {});
  });
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (isLate) throw new TholeError('INVALID_INPUT', `The body must arrive within ${limitMs} ms.`);
      if (done) return Buffer.concat(chunks);
      length += value.length;
      if (length > maxBytes) throw tooLarge(maxBytes);
      chunks.push(value);
    }
  } catch (error) {
    await reader.cancel().catch(() => {});
    throw TholeError.is(error)
      ? error
      : new TholeError('INVALID_INPUT', 'The body could not be read.', { cause: error });
  } finally {
    cancel();
  }
}

function tooLarge(maxBytes: number): TholeError {
  return new TholeError('VALUE_TOO_LARGE', `The body must have at most ${maxBytes} bytes.`);
}
