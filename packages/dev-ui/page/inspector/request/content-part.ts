import type { Content, Json, Part } from '@thole/core';
import { estimatedTokens } from './estimated-tokens.ts';
import type { Origin, RequestPart } from './request-part.ts';

/** Returns one content of a request as parts. `place` is its position relative to the current message. */
export function contentPart(
  content: Content,
  p: { id: string; place: 'before' | 'message' | 'after'; eventId: string | undefined },
): RequestPart {
  const parts = content.parts ?? [];
  const counts = parts.map(partTokens);
  return {
    id: p.id,
    ...originOf(parts, content.role, p.place),
    title: content.role ?? 'user',
    text: parts.map(partText).join('\n'),
    tokens: counts.every((count) => count === undefined)
      ? undefined
      : counts.reduce<number>((sum, count) => sum + (count ?? 0), 0),
    eventId: p.eventId,
    value: content as unknown as Json,
  };
}

function originOf(
  parts: readonly Part[],
  role: Content['role'],
  place: 'before' | 'message' | 'after',
): { origin: Origin; note: string | undefined } {
  if (parts.some(({ text }) => text?.includes('<past_conversations>')))
    return { origin: 'memory', note: 'quoted from earlier conversations' };
  const answers = parts.flatMap(({ functionResponse }) => (functionResponse ? [functionResponse.name] : []));
  const calls = parts.flatMap(({ functionCall }) => (functionCall ? [functionCall.name] : []));
  const suffix = place === 'before' ? ', earlier' : '';
  if (answers.includes('load_memory')) return { origin: 'memory', note: `answer of load_memory${suffix}` };
  if (answers.length > 0)
    return { origin: place === 'before' ? 'history' : 'tool', note: `answer of ${answers.join(', ')}${suffix}` };
  if (place === 'message') return { origin: 'message', note: undefined };
  if (calls.length > 0) return { origin: 'history', note: `calls ${calls.join(', ')}` };
  const [first] = parts;
  if (first?.text === 'Context, from another agent:') return { origin: 'history', note: 'said by another agent' };
  if (role !== 'model' && first?.text?.startsWith('Summary of the earlier conversation:'))
    return { origin: 'history', note: 'a summary that replaces older events' };
  return { origin: 'history', note: undefined };
}

/** Returns one part as text. */
export function partText(part: Part): string {
  const { functionCall, functionResponse, inlineData, fileData, executableCode, codeExecutionResult } = part;
  if (functionCall) return `${functionCall.name}(${JSON.stringify(functionCall.args, undefined, 2)})`;
  if (functionResponse) {
    const { name, response, parts = [] } = functionResponse;
    return [`${name} → ${JSON.stringify(response, undefined, 2)}`, ...parts.map(partText)].join('\n');
  }
  if (inlineData) return `[${inlineData.displayName ?? inlineData.mimeType}]`;
  if (fileData) return `[${fileData.displayName ?? fileData.fileUri}]`;
  if (executableCode) return executableCode.code;
  if (codeExecutionResult) return codeExecutionResult.output ?? codeExecutionResult.outcome ?? '';
  return part.text ?? '';
}

const partTokens = (part: Part): number | undefined =>
  part.inlineData || part.fileData ? undefined : estimatedTokens(partText(part));
