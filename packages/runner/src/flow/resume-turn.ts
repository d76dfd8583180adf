import { callStatus, getFunctionCalls, isFinalResponse } from '@thole/core';
import type { Agent, Content, Event, FunctionCall, InvocationContext } from '@thole/core';
import { isModelAnswer } from '../history/turn-segments.ts';
import type { FlowSupport } from '../hooks/flow-support.ts';
import type { ToolAnswer } from './run-tool.ts';

/** The next step of an `LlmAgent` in a resumed run. */
export type TurnStart =
  /** It calls its model. `unseen` are messages before its last answer that the model has not seen: the request ends with them. */
  | { readonly kind: 'model'; readonly unseen?: readonly Content[] }
  /** It continues the turn of this model answer: `event` is the answer, `calls` are its calls. */
  | { readonly kind: 'calls'; readonly event: Event; readonly calls: FunctionCall[] }
  | { readonly kind: 'transfer'; readonly agent: Agent }
  | { readonly kind: 'done' };

/** Returns the next step of the agent. An agent without earlier events calls its model. */
export function startOfTurn(context: InvocationContext, support: FlowSupport): TurnStart {
  const segment = support.takeSegment();
  if (!segment || segment.events.length === 0) return { kind: 'model' };
  const { events, transferTo } = segment;
  const target = transferTo === undefined ? undefined : context.tree.find(transferTo);
  if (target) return { kind: 'transfer', agent: target };
  const event = events.findLast(isModelAnswer);
  if (!event) return { kind: 'model' };
  const calls = event.errorCode === undefined ? getFunctionCalls(event) : [];
  if (calls.length > 0) return { kind: 'calls', event, calls };
  if (!isFinalResponse(event)) return { kind: 'model' };
  const isAsked = support.progress!.hasNewAnswer(support.place, event) || support.progress!.hasNewMessage(event);
  if (!isAsked) return { kind: 'done' };
  return { kind: 'model', unseen: support.progress!.unseenBefore(event).flatMap(({ content }) => content ?? []) };
}

/** Returns the stored answers of the turn's calls, by call id. Calls without a final answer are left out. */
export function storedAnswers(context: InvocationContext, calls: readonly FunctionCall[]): Map<string, ToolAnswer> {
  const answers = new Map<string, ToolAnswer>();
  for (const { id } of calls) {
    const status = id === undefined ? undefined : callStatus(context.history, id);
    if (status?.status !== 'answered') continue;
    answers.set(id!, { response: status.response!.response, actions: status.responseEvent!.actions });
  }
  return answers;
}
