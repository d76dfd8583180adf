import type { Content, InterruptKind } from '@thole/core';
import type { InterruptLog } from '@thole/core/kit';
import type { ContentsRequest, WaitingCalls } from '../contents/contents-request.ts';
import { ContentsFold } from '../contents/fold.ts';
import { hasHook } from '../hooks/call-hooks.ts';
import { selectHistory } from '../hooks/select-history.ts';
import type { RequestDraft } from './request-draft.ts';

/** Adds the history that the agent sees, at least the user's message. The contents are cached from turn to turn. */
export function addContents(draft: RequestDraft): void {
  const { context, request, retry, dynamicInstruction, isForCalls, support } = draft;
  draft.lastSeq = support.lastSeq;
  if (isForCalls) return void (request.contents = [context.userContent]);
  const contents = foldOf(draft).contentsOf(context.history, contentsRequest(draft));
  const shown = contents.length > 0 ? contents : [context.userContent];
  // The cached array is used directly if only the model reads it.
  const isShared = retry.length === 0 && dynamicInstruction === '' && !mayBeChanged(draft);
  request.contents = isShared ? shown : [...withInstruction(shown, dynamicInstruction), ...retry];
}

function mayBeChanged({ agent, support }: RequestDraft): boolean {
  return (
    agent.tools.length > 0 ||
    agent.beforeModelCallback !== undefined ||
    agent.onModelErrorCallback !== undefined ||
    hasHook(support.plugins, 'beforeModelCallback') ||
    hasHook(support.plugins, 'onModelErrorCallback')
  );
}

function foldOf({ agent, context, support }: RequestDraft): ContentsFold {
  // Names may contain blanks. If two agents share a key, the fold only starts again for each of them.
  const key = `contents ${agent.includeContents} ${agent.name} ${context.branch ?? ''}`;
  const known = support.folds.get(key) as ContentsFold | undefined;
  if (known) return known;
  const fold = new ContentsFold();
  support.folds.set(key, fold);
  return fold;
}

function contentsRequest({ agent, context, support }: RequestDraft): ContentsRequest {
  const { plugins } = support;
  return {
    agentName: agent.name,
    branch: context.branch,
    includeContents: agent.includeContents,
    invocationId: context.invocationId,
    waiting: waitingCalls(support.interrupts),
    log: (message, fields) => context.runtime.logger.debug(message, { ...fields, sessionId: context.sessionId }),
    selectHistory: hasHook(plugins, 'selectHistoryCallback')
      ? (events) => selectHistory(plugins, { invocationContext: context, events })
      : undefined,
  };
}

/** Returns the calls that wait for a person, by id. Undefined if there are none. Long-running calls are not included. */
function waitingCalls(interrupts: InterruptLog): WaitingCalls | undefined {
  if (interrupts.openCount === 0) return undefined;
  const waiting = new Map<string, InterruptKind>();
  for (const { interrupt } of interrupts.open) {
    const { functionCallId, kind } = interrupt;
    if (functionCallId !== undefined && kind !== 'longRunning') waiting.set(functionCallId, kind);
  }
  return waiting.size > 0 ? waiting : undefined;
}

// Inserts the text directly before the last user message: earlier contents stay the same, so that prompt caches stay valid.
function withInstruction(contents: readonly Content[], text: string): readonly Content[] {
  if (text === '') return contents;
  const at = contents.findLastIndex(
    ({ role, parts }) => role === 'user' && !parts?.some((part) => part.functionResponse),
  );
  return contents.toSpliced(Math.max(at, 0), 0, { role: 'user', parts: [{ text }] });
}
