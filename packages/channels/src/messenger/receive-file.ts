import { TholeError } from '@thole/core';
import type { Runtime } from '@thole/core';
import type { ChannelFile } from '../channel/inbound-message.ts';

/** A file that the service of a channel keeps. */
export interface RemoteFile {
  id: string;
  mimeType: string;
  name?: string | undefined;
  /** In bytes, as the service says. */
  size?: number | undefined;
}

/** A file, or a note that says why it is missing. */
export type ReceivedFile = { file: ChannelFile } | { note: string };

const MEDIA_TYPE = /^[\w!#$&^.+-]{1,80}\/[\w!#$&^.+-]{1,80}(?:\s*;[^\r\n]{0,200})?$/;
const ATTEMPTS = 3;

/**
 * Downloads a file of a message, in up to three attempts. A file that is too large or that cannot be downloaded becomes a note for
 * the agent, so that the message itself is never lost and never blocks later ones. Throws only if the signal is aborted.
 */
export async function receiveFile(
  remote: RemoteFile,
  download: () => Promise<string>,
  p: { runtime: Runtime; retryMs: number; signal: AbortSignal },
): Promise<ReceivedFile> {
  const { name } = remote;
  for (let attempt = 1; ; attempt++) {
    try {
      const data = await download();
      const mimeType = MEDIA_TYPE.test(remote.mimeType) ? remote.mimeType : 'application/octet-stream';
      if (data === '') return { note: noteFor(remote, 'it is empty') };
      return { file: { mimeType, data, ...(name !== undefined && { name }) } };
    } catch (error) {
      p.signal.throwIfAborted();
      if (TholeError.is(error, 'VALUE_TOO_LARGE')) return { note: noteFor(remote, 'it is too large') };
      const isFinal = TholeError.is(error, 'NOT_FOUND') || attempt === ATTEMPTS;
      if (isFinal) return { note: noteFor(remote, 'it could not be downloaded') };
      await p.runtime.sleep(p.retryMs * attempt, p.signal);
    }
  }
}

function noteFor({ name = 'a file' }: RemoteFile, reason: string): string {
  return `(The message had ${JSON.stringify(name.slice(0, 200))}, which was not received: ${reason}.)`;
}
