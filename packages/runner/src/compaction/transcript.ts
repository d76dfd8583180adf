import type { Event, Part } from '@thole/core';

/**
 * Returns the events as lines of text, for a summarizer: `author: text`, calls with their arguments, and results. Thoughts are
 * left out. Arguments, results and code are cut to `maxToolChars` characters, with a note.
 */
export function transcriptOfEvents(events: readonly Event[], p: { maxToolChars: number }): string {
  return events.flatMap((event) => linesOf(event, p.maxToolChars)).join('\n');
}

function linesOf(event: Event, limit: number): string[] {
  const lines: string[] = [];
  const { inputTranscription, outputTranscription } = event;
  const spoken = inputTranscription?.text ?? outputTranscription?.text;
  if (spoken && !event.content?.parts?.length) lines.push(`${inputTranscription ? 'user' : event.author}: ${spoken}`);
  for (const part of event.content?.parts ?? []) {
    const text = textOfPart(part, limit);
    if (text !== undefined) lines.push(`${event.author}${text}`);
  }
  return lines;
}

function textOfPart(part: Part, limit: number): string | undefined {
  const { functionCall, functionResponse, executableCode, codeExecutionResult, inlineData, fileData } = part;
  if (part.thought) return undefined;
  if (functionCall) return ` called ${functionCall.name}: ${cut(JSON.stringify(functionCall.args ?? {}), limit)}`;
  if (functionResponse)
    return ` got from ${functionResponse.name}: ${cut(JSON.stringify(functionResponse.response ?? {}), limit)}`;
  if (executableCode) return ` ran code: ${cut(executableCode.code, limit)}`;
  if (codeExecutionResult) return ` got from code: ${cut(codeExecutionResult.output ?? '', limit)}`;
  const file = inlineData ?? fileData;
  if (file) return `: [file ${file.displayName ?? fileData?.fileUri ?? ''} of type ${file.mimeType ?? 'unknown'}]`;
  return part.text?.trim() ? `: ${part.text}` : undefined;
}

function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit)} [cut: ${text.length - limit} more characters]`;
}
