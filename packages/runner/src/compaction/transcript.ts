import type { Event, Part } from '@thole/core';

/**
 * Returns the events as texts for a summarizer: `author: text`, calls with their arguments, and results. Thoughts are left
 * out. Arguments, results and code are cut to `maxToolChars` characters, with a note. A text has at most `maxChars`
 * characters. Lines are joined in one text while they fit.
 */
export function transcriptsOfEvents(
  events: readonly Event[],
  { maxToolChars, maxChars }: { maxToolChars: number; maxChars: number },
): string[] {
  const texts: string[] = [];
  for (const line of events.flatMap((event) => linesOf(event, maxToolChars))) {
    for (let from = 0; from < line.length; from += maxChars) {
      const piece = line.slice(from, from + maxChars);
      const last = texts.at(-1);
      if (last === undefined || last.length + piece.length >= maxChars) texts.push(piece);
      else texts[texts.length - 1] = `${last}\n${piece}`;
    }
  }
  return texts;
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
