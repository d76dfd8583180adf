import type { ScriptAnswer } from '../open-script.ts';
import { checkVersion } from '../state-fields.ts';

/** `STORE_VERSION` where a script found a memory log of a version that this package does not know. */
export function checkAnswer(answer: ScriptAnswer): void {
  if (Array.isArray(answer) && answer[0] === 'VERSION') checkVersion(answer[1], 'A memory log');
}
