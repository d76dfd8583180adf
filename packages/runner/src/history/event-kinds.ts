import type { Event, Part } from '@thole/core';

// Parts are walked by index: in V8 iterating over a frozen array costs several times as much, and each event of a history is asked.

/** Names of the calls by which a run asks people for something: no tool stands behind them, and no model sees them. */
export const frameworkCalls: readonly string[] = [
  'adk_request_credential',
  'adk_request_confirmation',
  'adk_request_input',
];

/** A request to a person or its answer. */
export function isFrameworkPart(part: Part): boolean {
  if (part.text !== undefined) return false;
  const name = part.functionCall?.name ?? part.functionResponse?.name;
  return name !== undefined && frameworkCalls.includes(name);
}

/** Nothing but white space: it says nothing, though it may carry a signature. */
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

/** Whether the event makes or answers a call. */
export function hasCallsOrAnswers(event: Event): boolean {
  const { parts } = event.content ?? {};
  for (let i = 0; i < (parts?.length ?? 0); i++) if (isCallOrAnswer(parts![i]!)) return true;
  return false;
}

const isCallOrAnswer = (part: Part): boolean =>
  part.text === undefined && (part.functionCall !== undefined || part.functionResponse !== undefined);

/** The words spoken in the event, where it holds a transcription in place of content. */
export function transcriptOf(event: Event): { speaker: string; text: string; finished: boolean } | undefined {
  if (event.content?.parts?.length) return undefined;
  const heard = event.inputTranscription;
  const spoken = event.outputTranscription;
  if (heard?.text) return { speaker: 'user', text: heard.text, finished: heard.finished === true };
  if (spoken?.text) return { speaker: event.author, text: spoken.text, finished: spoken.finished === true };
  return undefined;
}
