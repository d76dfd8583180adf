import { assertVersion } from '../client/assert-version.ts';
import type { ScriptReply } from '../client/script-call.ts';

/** Throws `STORE_VERSION` if a script replied that another version of this package wrote the memory log. */
export function assertLogVersion(reply: ScriptReply): void {
  if (Array.isArray(reply) && reply[0] === 'VERSION') assertVersion(reply[1], 'A memory log');
}
