import { TholeError } from '@thole/core';
import { encodeBase64, withTimeLimit } from '@thole/core/kit';
import type { Runtime } from '@thole/core';

/** Arguments of `downloadFile`. */
export interface DownloadRequest {
  url: URL;
  headers?: { [name: string]: string } | undefined;
  maxBytes: number;
  runtime: Runtime;
  signal: AbortSignal;
}

const LIMIT_MS = 60_000;

/**
 * Returns a file as base64. Throws `VALUE_TOO_LARGE` as soon as it is larger than `maxBytes`, `NOT_FOUND` for a permanent failure, and
 * `CHANNEL_UNAVAILABLE` for any other. Redirects are not followed, because the headers and the URL are secret. Errors do not
 * contain the URL.
 */
export function downloadFile({ headers = {}, maxBytes, runtime, signal, url }: DownloadRequest): Promise<string> {
  const limit = { runtime, ms: LIMIT_MS, timeoutError: connectionError, signal };
  return withTimeLimit(limit, async (limitedSignal) => {
    try {
      const response = await fetch(url, { headers, redirect: 'manual', signal: limitedSignal });
      if (!response.ok) {
        await response.body?.cancel();
        throw statusError(response.status);
      }
      return encodeBase64(await readBytes(response, maxBytes));
    } catch (error) {
      throw TholeError.is(error) ? error : connectionError();
    }
  });
}

function connectionError(): TholeError {
  return new TholeError('CHANNEL_UNAVAILABLE', 'The file could not be downloaded: the connection failed.');
}

function statusError(status: number): TholeError {
  const isFinal = status < 500 && ![401, 408, 425, 429].includes(status);
  return new TholeError(
    isFinal ? 'NOT_FOUND' : 'CHANNEL_UNAVAILABLE',
    `The file could not be downloaded: status ${status}.`,
  );
}

async function readBytes(response: Response, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > maxBytes) throw fileTooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export function fileTooLarge(maxBytes: number): TholeError {
  return new TholeError('VALUE_TOO_LARGE', `The file must have at most ${maxBytes} bytes.`);
}
