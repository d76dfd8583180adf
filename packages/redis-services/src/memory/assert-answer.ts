import type { ScriptAnswer } from '../open-script.ts';
import { assertVersion } from '../state-fields.ts';

/** `STORE_VERSION` where a script found a memory log of a version that this package does not know. */
export function assertAnswer(answer: ScriptAnswer): void {
  if (Array.isArray(answer) && answer[0] === 'VERSION') assertVersion(answer[1], 'A memory log');
}
