import type { Event, FunctionCall } from '@thole/core';
import type { RequestDraft } from '../request/request-draft.ts';
import { runTool } from './run-tool.ts';
import type { ToolAnswer } from './run-tool.ts';
import { hasActions, storeAnswer } from './store-answer.ts';
import { ToolSpans } from './tool-spans.ts';

/** A turn's calls and what became of each, in call order. */
export type ToolsOutcome = readonly ToolAnswer[];

type Call = FunctionCall & { id: string };

/**
 * Runs a turn's calls together, each once. An answer is stored as an event of its own as soon as it is ready, and handed over
 * afterwards; the run's end answers those still running as cancelled. Throws what a hook or the store throws.
 */
export async function* runTools(
  draft: RequestDraft,
  calls: readonly FunctionCall[],
): AsyncGenerator<Event, ToolsOutcome, Event> {
  const { context, support } = draft;
  const spans = support.trace && new ToolSpans(support.trace, draft);
  const open = new Map<string, Call>();
  for (const call of calls) if (call.id) open.set(call.id, call as Call);
  const all = [...open.values()];
  const outcome: ToolAnswer[] = [];
  const ready: Event[] = [];
  let failure: { error: unknown } | undefined;
  let wake = noop;
  let next = 0;

  const answer = async (call: Call, answered: ToolAnswer): Promise<ToolAnswer> => {
    const stored = await storeAnswer(draft, call, answered);
    spans?.answered(call, stored.answer, stored.event.id);
    // One that a plugin dropped is not stored, and nobody sees it.
    if (stored.event.seq !== undefined) ready.push(stored.event);
    return { ...stored.answer, actions: stored.event.actions };
  };
  const runNext = async (): Promise<void> => {
    while (next < all.length && !failure && !context.signal.aborted) {
      const index = next++;
      const call = all[index]!;
      const answered = await (spans ? spans.run(call) : runTool(draft, call));
      // Whoever takes the call out of `open` answers it: a run that ends may have been faster.
      if (context.signal.aborted || !open.delete(call.id)) return;
      outcome[index] = answered;
      // A call that is answered later may have written something already.
      if (answered.response || hasActions(answered.actions)) outcome[index] = await answer(call, answered);
      else spans?.answered(call, answered, undefined);
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

  const settled = context.onClose(async () => {
    for (const [id, call] of open) {
      open.delete(id);
      const error = context.signal.reason as Error | undefined;
      await answer(call, { response: { error: 'Cancelled: the run ended before this call had.' }, error });
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
  // Only here: where the run ends early, the calls still open are answered by it.
  settled();
  return outcome;
}

function noop(): void {}
