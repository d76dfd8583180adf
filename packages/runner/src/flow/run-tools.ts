import { createEvent } from '@thole/core';
import type { Event, EventActions, FunctionCall, JsonObject } from '@thole/core';
import type { RequestDraft } from '../request/request-draft.ts';
import { runTool } from './run-tool.ts';
import type { ToolAnswer } from './run-tool.ts';

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
  const { context } = draft;
  const open = new Map<string, Call>();
  for (const call of calls) if (call.id) open.set(call.id, call as Call);
  const all = [...open.values()];
  const outcome: ToolAnswer[] = [];
  const ready: Event[] = [];
  let failure: { error: unknown } | undefined;
  let wake = noop;
  let next = 0;

  const answer = async (call: Call, response: JsonObject, actions?: EventActions): Promise<Event> => {
    const stored = await context.commit(answerEvent(draft, call, response, actions));
    // One that a plugin dropped is not stored, and nobody sees it.
    if (stored.seq !== undefined) ready.push(stored);
    return stored;
  };
  const runNext = async (): Promise<void> => {
    while (next < all.length && !failure && !context.signal.aborted) {
      const index = next++;
      const call = all[index]!;
      const answered = await runTool(draft, call);
      // Whoever takes the call out of `open` answers it: a run that ends may have been faster.
      if (context.signal.aborted || !open.delete(call.id)) return;
      outcome[index] = answered;
      if (answered.response) {
        const { actions } = await answer(call, answered.response, answered.actions);
        outcome[index] = { ...answered, actions };
      } else if (answered.actions) {
        context.state.update(answered.actions.stateDelta);
      }
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
      await answer(call, { error: 'Cancelled: the run ended before this call had.' });
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

function answerEvent(
  { agent, context }: RequestDraft,
  call: Call,
  response: JsonObject,
  actions?: EventActions,
): Event {
  const { invocationId, branch, runtime } = context;
  const content = { role: 'user' as const, parts: [{ functionResponse: { id: call.id, name: call.name, response } }] };
  return createEvent(
    { author: agent.name, invocationId, content, actions, ...(branch !== undefined && { branch }) },
    runtime,
  );
}

function noop(): void {}
