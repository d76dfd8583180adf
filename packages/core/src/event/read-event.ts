import type { FunctionCall, FunctionResponse } from '../content/content.ts';
import type { Event } from './event.ts';

/** Returns the calls in an event, in order. */
export function getFunctionCalls(event: Pick<Event, 'content'>): FunctionCall[] {
  const calls: FunctionCall[] = [];
  const { parts = [] } = event.content ?? {};
  // By index: iterating over a frozen array is several times slower in V8.
  for (let i = 0; i < parts.length; i++) if (parts[i]!.functionCall) calls.push(parts[i]!.functionCall!);
  return calls;
}

/** Returns the answers to calls in an event, in order. */
export function getFunctionResponses(event: Pick<Event, 'content'>): FunctionResponse[] {
  const responses: FunctionResponse[] = [];
  const { parts = [] } = event.content ?? {};
  for (let i = 0; i < parts.length; i++) if (parts[i]!.functionResponse) responses.push(parts[i]!.functionResponse!);
  return responses;
}

/**
 * True if the agent has nothing to do after this event. The event is a complete answer without calls, answers or a
 * trailing code result, a tool's answer with `skipSummarization`, or it has calls that are answered later.
 */
export function isFinalResponse(event: Event): boolean {
  if (event.actions.skipSummarization || event.longRunningToolIds?.length) return true;
  if (event.partial) return false;
  const parts = event.content?.parts ?? [];
  return !parts.some((part) => part.functionCall || part.functionResponse) && !parts.at(-1)?.codeExecutionResult;
}
