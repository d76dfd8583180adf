import { requestKindOf } from '@thole/core/kit';
import type { Event, Part } from '@thole/core';

// Parts are read by index: iterating over a frozen array is several times slower in V8, and every event of a history
// is read.

/** True for a request to a person or its answer. */
export function isFrameworkPart(part: Part): boolean {
  if (part.text !== undefined) return false;
  const name = part.functionCall?.name ?? part.functionResponse?.name;
  return name !== undefined && requestKindOf(name) !== undefined;
}

/** True for a part with only white space. It says nothing, but may have a signature. */
export function isBlankPart(part: Part): boolean {
  if (part.text !== undefined && part.text.trim() !== '') return false;
  return (
    !part.functionCall &&
    !part.functionResponse &&
    !part.inlineData &&
    !part.fileData &&
    !part.executableCode &&
    !part.codeExecutionResult
  );
}

/** True if the event makes or answers a call. */
export function hasCallsOrAnswers(event: Event): boolean {
  const { parts } = event.content ?? {};
  for (let i = 0; i < (parts?.length ?? 0); i++) if (isCallOrAnswer(parts![i]!)) return true;
  return false;
}

const isCallOrAnswer = (part: Part): boolean =>
  part.text === undefined && (part.functionCall !== undefined || part.functionResponse !== undefined);

/** Returns the words spoken in an event that holds a transcription instead of content. */
export function transcriptOf(event: Event): { speaker: string; text: string; finished: boolean } | undefined {
  if (event.content?.parts?.length) return undefined;
  const heard = event.inputTranscription;
  const spoken = event.outputTranscription;
  if (heard?.text) return { speaker: 'user', text: heard.text, finished: heard.finished === true };
  if (spoken?.text) return { speaker: event.author, text: spoken.text, finished: spoken.finished === true };
  return undefined;
}
