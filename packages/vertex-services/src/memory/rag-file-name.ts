import type { MemoryScope } from '@thole/core';

/** A part that is stored unchanged: three of them fit into the 128 characters of a display name. */
const PLAIN = /^[\w-]{1,40}$/;

/**
 * Returns the start of the display names of a user's files, `app.user.`, as in ADK. Names that are long or have other
 * characters are replaced by a hash, so that no two users have the same one.
 */
export async function ragFilePrefix({ appName, userId }: MemoryScope): Promise<string> {
  return `${await encodePart(appName)}.${await encodePart(userId)}.`;
}

/** Returns the display name of a session's file: the prefix of its user, then its id. */
export async function ragFileName(scope: MemoryScope, sessionId: string): Promise<string> {
  return `${await ragFilePrefix(scope)}${await encodePart(sessionId)}`;
}

/** Returns the id of the session of a file. Undefined if the name has only its hash. */
export function sessionIdIn(displayName: string, prefix: string): string | undefined {
  const part = displayName.slice(prefix.length);
  return part.startsWith('~') ? undefined : part;
}

async function encodePart(name: string): Promise<string> {
  return PLAIN.test(name) ? name : `~${(await sha256(name)).slice(0, 40)}`;
}

/** Returns the SHA-256 of a text in hexadecimal digits. */
export async function sha256(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
