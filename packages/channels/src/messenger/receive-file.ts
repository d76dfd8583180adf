import { TholeError } from '@thole/core';
import type { Runtime } from '@thole/core';
import type { ChannelFile } from '../channel/inbound-message.ts';

/** A file on the service of a channel. */
export interface RemoteFile {
  id: string;
  mimeType: string;
  name?: string | undefined;
  /** Size in bytes, reported by the service. */
  size?: number | undefined;
}

/** Arguments of `receiveFile`. */
export interface DownloadParts {
  /** The service of the channel. `download` returns a file as base64. Throws `VALUE_TOO_LARGE` or `NOT_FOUND`. */
  api: { download(file: RemoteFile, maxBytes: number, signal: AbortSignal): Promise<string> };
  /** Options of the channel. Defaults: 20,000,000 bytes, and 1,000 ms after the first failed attempt. */
  options: { maxFileBytes?: number | undefined; retryMs?: number | undefined };
  runtime: Runtime;
  signal: AbortSignal;
}

const MEDIA_TYPE = /^[\w!#$&^.+-]{1,80}\/[\w!#$&^.+-]{1,80}(?:\s*;[^\r\n]{0,200})?$/;
const ATTEMPTS = 3;

/**
 * Returns the text of a message and its file, which is downloaded in up to three attempts. If the file is too large or cannot be
 * downloaded, the text contains a note instead. So the message is never lost and never blocks later messages. Throws only if the
 * signal is aborted.
 */
export async function receiveFile(
  { file, text }: { file: RemoteFile | undefined; text: string },
  p: DownloadParts,
): Promise<{ text: string; files?: ChannelFile[] }> {
  if (!file) return { text };
  const received = await download(file, p);
  if (typeof received !== 'string') return { text, files: [received] };
  return { text: text === '' ? received : `${text}\n${received}` };
}

/** Returns the file, or a note with the reason why it is missing. */
async function download(
  remote: RemoteFile,
  { api, options, runtime, signal }: DownloadParts,
): Promise<ChannelFile | string> {
  const { name } = remote;
  const { maxFileBytes = 20_000_000, retryMs = 1_000 } = options;
  for (let attempt = 1; ; attempt++) {
    try {
      const data = await api.download(remote, maxFileBytes, signal);
      const mimeType = MEDIA_TYPE.test(remote.mimeType) ? remote.mimeType : 'application/octet-stream';
      if (data === '') return noteFor(remote, 'it is empty');
      return { mimeType, data, ...(name !== undefined && { name }) };
    } catch (error) {
      signal.throwIfAborted();
      if (TholeError.is(error, 'VALUE_TOO_LARGE')) return noteFor(remote, 'it is too large');
      const isFinal = TholeError.is(error, 'NOT_FOUND') || attempt === ATTEMPTS;
      if (isFinal) return noteFor(remote, 'it could not be downloaded');
      await runtime.sleep(retryMs * attempt, signal);
    }
  }
}

function noteFor({ name = 'a file' }: RemoteFile, reason: string): string {
  return `(The message had ${JSON.stringify(name.slice(0, 200))}, which was not received: ${reason}.)`;
}
