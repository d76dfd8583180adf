import type { Event, Part } from '@thole/core';

/** Names of the calls by which a run asks people for something: no tool stands behind them, and no model sees them. */
export const frameworkCalls: readonly string[] = ['adk_request_credential', 'adk_request_confirmation', 'adk_request_input'];

/** A request to a person or its answer. */
export function isFrameworkPart(part: Part): boolean {
  const name = part.functionCall?.name ?? part.functionResponse?.name;
  return name !== undefined && frameworkCalls.includes(name);
}

/** Whether every part of the event is a request to a person or an answer to one. */
export function isFrameworkEvent(event: Event): boolean {
  const parts = event.content?.parts ?? [];
  return parts.length > 0 && parts.every(isFrameworkPart);
}

/** Nothing but white space: it says nothing, though it may carry a signature. */
export function isBlankPart(part: Part): boolean {
  if (part.text !== undefined && part.text.trim() !== '') return false;
  return !part.functionCall && !part.functionResponse && !part.inlineData && !part.fileData && !part.executableCode && !part.codeExecutionResult;
}

/** Whether the event says nothing. */
export function isBlank(event: Event): boolean {
  return (event.content?.parts ?? []).every(isBlankPart);
}

/** Whether the event holds thoughts, and nothing else that says anything. */
export function isThoughtOnly(event: Event): boolean {
  const parts = (event.content?.parts ?? []).filter((part) => !isBlankPart(part));
  return parts.length > 0 && parts.every((part) => part.thought);
}

/** The words spoken in the event, where it holds a transcription in place of content. */
export function transcriptOf(event: Event): { speaker: string; text: string; finished: boolean } | undefined {
  if (event.content?.parts?.length) return undefined;
  const heard = event.inputTranscription;
  const spoken = event.outputTranscription;
  if (heard?.text) return { speaker: 'user', text: heard.text, finished: heard.finished === true };
  if (spoken?.text) return { speaker: event.author, text: spoken.text, finished: spoken.finished === true };
  return undefined;
}
