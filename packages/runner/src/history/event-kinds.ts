import { requestKindOf } from '@thole/core/kit';
import type { Event, Part } from '@thole/core';

// Parts are read by index, because iterating over a frozen array is several times slower in V8. These functions run for
// every event of a history.

/** True for a request to a person or its answer. */
export function isFrameworkPart(part: Part): boolean {
  if (part.text !== undefined) return false;
  const name = part.functionCall?.name ?? part.functionResponse?.name;
  return name !== undefined && requestKindOf(name) !== undefined;
}

/** True for a part with only white space. It may have a signature. */
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

/** Returns the transcription of an event without parts. Undefined if the event has no transcription. */
export function transcriptOf(event: Event): { speaker: string; text: string; finished: boolean } | undefined {
  if (event.content?.parts?.length) return undefined;
  const input = event.inputTranscription;
  const output = event.outputTranscription;
  if (input?.text) return { speaker: 'user', text: input.text, finished: input.finished === true };
  if (output?.text) return { speaker: event.author, text: output.text, finished: output.finished === true };
  return undefined;
}
