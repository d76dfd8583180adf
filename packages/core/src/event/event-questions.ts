import type { FunctionCall, FunctionResponse } from '../content/content.ts';
import type { Event } from './event.ts';

/** The calls in an event, in order. */
export function getFunctionCalls(event: Pick<Event, 'content'>): FunctionCall[] {
  const calls: FunctionCall[] = [];
  const { parts = [] } = event.content ?? {};
  // By index: in V8 iterating over a frozen array costs several times as much.
  for (let i = 0; i < parts.length; i++) if (parts[i]!.functionCall) calls.push(parts[i]!.functionCall!);
  return calls;
}

/** The answers to calls in an event, in order. */
export function getFunctionResponses(event: Pick<Event, 'content'>): FunctionResponse[] {
  const responses: FunctionResponse[] = [];
  const { parts = [] } = event.content ?? {};
  for (let i = 0; i < parts.length; i++) if (parts[i]!.functionResponse) responses.push(parts[i]!.functionResponse!);
  return responses;
}

/**
 * Whether nothing follows from this event: a whole answer without calls, answers or a trailing code result, a tool's
 * answer that is not put into words, or calls that are answered later.
 */
export function isFinalResponse(event: Event): boolean {
  if (event.actions.skipSummarization || event.longRunningToolIds?.length) return true;
  if (event.partial) return false;
  const parts = event.content?.parts ?? [];
  return !parts.some((part) => part.functionCall || part.functionResponse) && !parts.at(-1)?.codeExecutionResult;
}
