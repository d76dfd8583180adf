import type { ScriptReply } from '../client/pending-call.ts';
import { assertVersion } from '../session/state-fields.ts';

/** `STORE_VERSION` where a script found a memory log of a version that this package does not know. */
export function assertLogVersion(answer: ScriptReply): void {
  if (Array.isArray(answer) && answer[0] === 'VERSION') assertVersion(answer[1], 'A memory log');
}
