import { createEvent, createEventActions, TholeError } from '@thole/core';
import type { Event, EventActions, FunctionCall, Part, Tool } from '@thole/core';
import { logFailure } from '../hooks/log-failure.ts';
import type { RequestDraft } from '../request/request-draft.ts';
import type { ToolAnswer } from './run-tool.ts';
import { textOfResult } from './text-of-result.ts';
import { withoutControlActions } from './run-tool.ts';

/** The stored answer of a call. */
export interface StoredAnswer {
  readonly answer: ToolAnswer;
  /** The stored event. Without `seq` if a plugin dropped it. */
  readonly event: Event;
}

/**
 * Stores a call's answer as an event. If the store rejects it as too large or not JSON, stores an error answer for
 * the model instead: with the start of the text if the tool failed, otherwise without the result. It has no state changes
 * if one of them is the reason, and in the second attempt no actions. Throws all other errors of the store.
 */
export async function storeAnswer(
  draft: RequestDraft,
  call: FunctionCall & { id: string; isLongRunning: boolean },
  original: ToolAnswer,
): Promise<StoredAnswer> {
  const id = draft.context.runtime.newId('event');
  let answer = original;
  for (let attempt = 0; ; attempt++) {
    try {
      return { answer, event: await draft.context.commit(answerEvent(draft, call, id, answer)) };
    } catch (error) {
      if (!isRejectedByStore(error) || attempt === 2) throw error;
      logFailure(draft.context, 'An answer of a tool could not be stored.', error, {
        tool: call.name,
        functionCallId: call.id,
      });
      answer = errorAnswerFor(call.name, answer, error, attempt);
    }
  }
}

function isRejectedByStore(error: unknown): error is TholeError {
  return TholeError.is(error, 'VALUE_TOO_LARGE') || TholeError.is(error, 'INVALID_INPUT');
}

/** Returns an error answer without the rejected data, in the second attempt without any action. */
function errorAnswerFor(tool: string, original: ToolAnswer, error: TholeError, attempt: number): ToolAnswer {
  const { actions, response } = original;
  const path = error.details?.['path'];
  const rejected = typeof path === 'string' ? rejectedMember(path) : 'result';
  const problem = error.message.replaceAll(RESULT, 'result').replaceAll(PARTS, 'parts').replaceAll(STATE, 'state');
  const errorAnswer = (dropped: string): ToolAnswer => ({
    response: { error: `${tool} ran, but its ${rejected} could not be stored${dropped}: ${problem}` },
    error,
  });
  const text = original.error && rejected === 'result' ? response?.['error'] : undefined;
  if (attempt === 0 && typeof text === 'string' && text.length > MAX_ERROR_CHARS)
    return { ...original, response: { ...response, error: cut(text) } };
  if (attempt > 0) return errorAnswer(', and nothing of it was kept');
  if (rejected === 'result') return { ...errorAnswer(''), ...(actions && { actions: withoutControlActions(actions) }) };
  const answer = errorAnswer(', and none of them was kept');
  if (rejected === 'actions' || !actions) return answer;
  return { ...answer, actions: createEventActions({ artifactDelta: actions.artifactDelta }) };
}

/** Number of characters that are kept of a tool's error text if the whole text is too large. */
const MAX_ERROR_CHARS = 10_000;

function cut(text: string): string {
  const more = text.length - MAX_ERROR_CHARS;
  return `${text.slice(0, MAX_ERROR_CHARS).toWellFormed()} [cut: ${more} more characters]`;
}

function rejectedMember(path: string): 'state changes' | 'actions' | 'result' {
  if (path.startsWith(STATE)) return 'state changes';
  return path.startsWith('event.actions') ? 'actions' : 'result';
}

const STATE = 'event.actions.stateDelta';
const RESULT = 'event.content.parts[0].functionResponse.response';
const PARTS = 'event.content.parts[0].functionResponse.parts';

function answerEvent(
  { agent, context, tools }: RequestDraft,
  call: FunctionCall & { id: string; isLongRunning: boolean },
  id: string,
  { response, parts, actions, isPending, isWaiting, usage }: ToolAnswer,
): Event {
  const { invocationId, branch, runtime } = context;
  const isEnd = !isPending && !isWaiting && call.isLongRunning;
  const answer: Part | undefined = response && {
    functionResponse: { id: call.id, name: call.name, response, ...(parts && { parts }) },
  };
  // The answer of an agent is shown to the user: channels, memory and `outputKey` read texts only.
  const isShown = actions?.skipSummarization && isAgentTool(tools?.get(call.name));
  const text = response && isShown ? textOfResult(response) : '';
  return createEvent(
    {
      id,
      author: agent.name,
      invocationId,
      actions,
      ...(answer && { content: { role: 'user', parts: text === '' ? [answer] : [answer, { text }] } }),
      ...(branch !== undefined && { branch }),
      ...(usage && { usageMetadata: usage }),
      // The answer of a long-running call is provisional unless the event says that the call has ended.
      ...(isEnd && { customMetadata: { callEnded: true } }),
    },
    runtime,
  );
}

/** True for an `AgentTool`, whose class imports this folder. */
const isAgentTool = (tool: Tool | undefined): boolean => tool !== undefined && 'agent' in tool;

/** True if the actions contain anything to store. */
export function hasActions(actions: EventActions | undefined): boolean {
  return Object.values(actions ?? {}).some(
    (member: unknown) =>
      member !== undefined && !(typeof member === 'object' && member !== null && Object.keys(member).length === 0),
  );
}
