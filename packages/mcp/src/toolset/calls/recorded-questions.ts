import { getFunctionCalls } from '@thole/core';
import type { JsonObject, ToolContext } from '@thole/core';
import { isPlainObject, requestNames } from '@thole/core/kit';

/** Data that is stored with a question of a server. */
export interface QuestionRecord {
  readonly server: string;
  /** Number of the request to the server that returned the question, from 0. */
  readonly round: number;
  /** Name of the question within its round. */
  readonly key: string;
  /** Text of the server that is sent back to it unchanged. */
  readonly requestState?: string | undefined;
  /** True if the server waits for the answer while the call is open. Only this process can answer it. */
  readonly isHeld?: true | undefined;
}

/** A question that an earlier attempt of this call has recorded. */
export interface RecordedQuestion extends QuestionRecord {
  readonly message: string;
}

/** Returns the questions that earlier attempts of this call have recorded, oldest first. */
export function findRecordedQuestions(context: ToolContext): RecordedQuestion[] {
  const found: RecordedQuestion[] = [];
  for (const args of findRequestsOfCall(context, requestNames.input)) {
    const payload = args['payload'];
    const record = isPlainObject(payload) ? payload['mcp'] : undefined;
    if (!isPlainObject(record)) continue;
    found.push({ ...(record as unknown as QuestionRecord), message: args['message'] as string });
  }
  return found;
}

/** Returns the number of sign-ins that earlier attempts of this call have requested. */
export function countRecordedSignIns(context: ToolContext): number {
  return findRequestsOfCall(context, requestNames.credential).length;
}

/** Returns the arguments of the requests for this call, oldest first. The requests follow the event with the call. */
function findRequestsOfCall({ functionCallId, history }: ToolContext, name: string): JsonObject[] {
  const found: JsonObject[] = [];
  for (let i = history.length - 1; i >= 0; i--) {
    const calls = getFunctionCalls(history.at(i)!);
    if (calls.some(({ id }) => id === functionCallId)) break;
    for (const { name: calledName, args } of calls.toReversed())
      if (calledName === name && isOfCall(args, functionCallId)) found.unshift(args);
  }
  return found;
}

function isOfCall(args: JsonObject, callId: string): boolean {
  const original = args['originalFunctionCall'];
  const others = args['otherFunctionCallIds'];
  if (isPlainObject(original) && original['id'] === callId) return true;
  return Array.isArray(others) && others.includes(callId);
}
