import { thawJson } from '@thole/core/kit';
import type { Event, FunctionCall } from '@thole/core';
import { isLongRunningCall } from '../history/call-key.ts';
import type { RequestDraft } from '../request/request-draft.ts';
import { readResult } from './read-result.ts';
import { storedAnswers } from './resume-turn.ts';
import { runCall } from './run-call.ts';
import type { ToolAnswer, ToolProgress } from './run-tool.ts';
import { hasActions, storeAnswer } from './store-answer.ts';
import { ToolSpans } from './tool-spans.ts';

/** The results of a turn's calls, in call order. */
export type ToolsOutcome = readonly ToolAnswer[];

type Call = FunctionCall & { id: string };

const CANCELLED = 'Cancelled: the run ended before this call was completed.';
const IN_DOUBT = 'The run ended while this call was running. The call may or may not have taken effect.';
const LAST_MICROTASKS = 30;

/**
 * Runs the calls of a model answer concurrently, each once. Each answer is stored as a separate event as soon as it is ready, and
 * then yielded. If the run ends early, open calls are answered when it closes. A call whose tool had not started, or stopped on
 * the signal, is answered as cancelled. A call whose tool still runs is answered as one that may have taken effect. Throws the
 * errors of hooks and of the store. `isResumed`: the turn began in an earlier run, and some of its calls may have run.
 */
export async function* runTools(
  draft: RequestDraft,
  event: Event,
  calls: readonly FunctionCall[],
  isResumed: boolean,
): AsyncGenerator<Event, ToolsOutcome, Event> {
  const { context, support } = draft;
  support.assertMayBegin();
  const spans = support.trace && new ToolSpans(support.trace, draft);
  const open = new Map<string, Call>();
  for (const call of calls) if (call.id) open.set(call.id, call as Call);
  const all = [...open.values()];
  // In a resumed run, some calls may be answered already.
  const stored = isResumed ? storedAnswers(context, calls) : undefined;
  for (const id of stored?.keys() ?? []) open.delete(id);
  const progressById = new Map<string, ToolProgress>();
  const outcome: ToolAnswer[] = [];
  const ready: Event[] = [];
  let failure: { error: unknown } | undefined;
  let wake = noop;
  let next = 0;

  const answer = async (call: Call, answered: ToolAnswer): Promise<ToolAnswer> => {
    const stored = await storeAnswer(draft, { ...call, isLongRunning: isLongRunningCall(event, call) }, answered);
    spans?.end(call, stored.answer, stored.event.id);
    // An event that a plugin dropped is not yielded.
    if (stored.event.seq !== undefined) ready.push(stored.event);
    return { ...stored.answer, actions: stored.event.actions };
  };
  const runNext = async (): Promise<void> => {
    while (next < all.length && !failure && !context.signal.aborted) {
      const index = next++;
      const call = all[index]!;
      const known = stored?.get(call.id);
      if (known) {
        outcome[index] = known;
        // The stored answer does not contain the typed answer of the agent, so it is read from the arguments.
        if (draft.output?.tool.name === call.name) await draft.output.accept(thawJson(call.args));
        continue;
      }
      const progress: ToolProgress = { isResumed, mayTakeEffect: false };
      progressById.set(call.id, progress);
      const result = await (spans ? spans.run(call, progress, event) : runCall(draft, event, call, { progress }));
      const answered = isLongRunningCall(event, call) ? result : asEnded(result);
      // The end of the run may have answered the call first. Only the code that removes it from `open` answers it.
      if (context.signal.aborted || !open.delete(call.id)) return;
      outcome[index] = answered;
      // A call that is answered later may have changed state already.
      if (answered.response || hasActions(answered.actions)) outcome[index] = await answer(call, answered);
      else spans?.end(call, answered, undefined);
      wake();
    }
  };
  const worker = async (): Promise<void> => {
    try {
      await runNext();
    } catch (error) {
      failure ??= { error };
    }
    workers--;
    wake();
  };

  const removeCloseCallback = context.onClose(async () => {
    // A tool that stops on the signal needs a few microtasks to settle.
    for (let i = 0; i < LAST_MICROTASKS; i++) await Promise.resolve();
    // Another process will continue the invocation and handle these calls.
    if (support.isShutDown) return;
    for (const [id, call] of open) {
      open.delete(id);
      const error = context.signal.reason as Error | undefined;
      await answer(call, { response: { error: progressById.get(id)?.mayTakeEffect ? IN_DOUBT : CANCELLED }, error });
    }
  });
  let workers = Math.min(all.length, context.runConfig.maxParallelTools ?? all.length);
  for (let i = workers; i > 0; i--) void worker();
  for (;;) {
    while (ready.length > 0) yield ready.shift()!;
    if (failure) throw failure.error;
    if (workers === 0) break;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
  context.signal.throwIfAborted();
  // Not in a `finally`: if the run ends early, the callback must answer the open calls.
  removeCloseCallback();
  return outcome;
}

/** Returns the answer of a call that was not long-running when it was stored. Its tool may be long-running now. */
function asEnded({ isPending, ...answer }: ToolAnswer): ToolAnswer {
  return isPending ? { ...answer, response: answer.response ?? readResult(undefined) } : answer;
}

function noop(): void {}
