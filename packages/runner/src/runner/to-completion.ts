import { isFinalResponse, textOf } from '@thole/core';
import type { AgentTree, Event, Usage } from '@thole/core';
import type { RunHandle } from './run.ts';

/** A run that has ended by itself. */
export interface Completion<O = unknown> {
  /** Of the last final answer, without thoughts. */
  text: string;
  /** The same, parsed, where the agent that gave it has an `outputSchema`; undefined if a callback answered what is no JSON. */
  output: O | undefined;
  /** Every stored event that was handed over, in order. */
  events: Event[];
  /** Of all model calls together, those of agents that ran as tools included. */
  usage: Usage;
  finishReason: string | undefined;
  /** The session of the run. */
  sessionId: string;
}

/** Reads a run to its end. Rejects with what the run throws. */
export async function toCompletion<O>(run: RunHandle, tree: AgentTree): Promise<Completion<O>> {
  const { sessionId, usage } = run;
  const completion: Completion<O> = {
    text: '',
    output: undefined,
    events: [],
    usage,
    finishReason: undefined,
    sessionId,
  };
  for await (const event of run) {
    if (event.partial) continue;
    completion.events.push(event);
    if (event.author === 'user' || !event.content || !isFinalResponse(event)) continue;
    completion.text = textOf(event.content);
    completion.finishReason = event.finishReason;
    const agent = tree.find(event.author) as { outputSchema?: unknown } | undefined;
    completion.output = agent?.outputSchema === undefined ? undefined : parsed<O>(completion.text);
  }
  return completion;
}

// The flow has checked what the model said; a callback or plugin may have said something else in its place.
function parsed<O>(text: string): O | undefined {
  try {
    return JSON.parse(text) as O;
  } catch {
    return undefined;
  }
}
