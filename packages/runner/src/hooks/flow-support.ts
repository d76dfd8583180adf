import type { Event, InvocationContext, Llm, Plugin, Span, ToolContext, Toolset } from '@thole/core';
import type { RunTrace } from '../traces/run-trace.ts';

/** What the flow needs of a run beyond the public context. Every context that a run makes carries it. */
export interface FlowSupport {
  readonly plugins: readonly Plugin[];
  /** Undefined where nobody records. */
  readonly trace: RunTrace | undefined;
  /** The model of this name, made by the runner's factories once. */
  model(name: string): Llm;
  /** Lives as long as the hot session does: folds over its history, by whatever key their owner takes. */
  readonly folds: Map<string, unknown>;
  /** A context for one call, with a state of its own over the committed one, and the run's signal if it is given none. */
  openToolContext(p: ToolContextInit): OpenToolContext;
  /** Throws why the run ends where no model call and no tool may begin any more. */
  assertMayBegin(): void;
  /** Called when a model or tool is waited for: a reader that leaves meanwhile ends the run at once. */
  workBegins(): void;
  /** Called when that wait is over. */
  workEnds(): void;
  /** Returns an event as it was stored, for an agent whose `yield` was answered with nothing (a `for await` loop around it). */
  storedAs(event: Event): Event;
  /** Counts the rounds of a loop of this agent. */
  loopRounds(): LoopRounds;
  /** Hands a partial event over without waiting for the reader. */
  show(event: Event): void;
  /** Toolsets that were asked are closed with the runner. */
  usesToolset(toolset: Toolset): void;
}

/** The rounds of one loop. */
export interface LoopRounds {
  /** Called when a round begins. Throws `LOOP_LIMIT` after 1,000 rounds in a row without a model call or a wait. */
  next(): void;
  /** Called when the loop has ended. */
  close(): void;
}

/** What a call brings to its context. */
export interface ToolContextInit {
  readonly functionCallId: string;
  readonly signal?: AbortSignal | undefined;
  /** The call's own; the agent's without it. */
  readonly span?: Span | undefined;
}

/** A call's context while the call runs. */
export interface OpenToolContext {
  readonly context: ToolContext;
  /** Ends the call and hands over what it did, for the event that carries its answer; later writes are `CONTEXT_CLOSED`. */
  close(): ToolContext['actions'];
}

/** A context that a run made, seen from inside the runner. */
export interface WithFlowSupport {
  readonly flowSupport: FlowSupport;
}

/** The run behind a context; an agent that is run outside a runner has none. */
export function flowSupport(context: InvocationContext): FlowSupport {
  const support = (context as Partial<WithFlowSupport>).flowSupport;
  if (!support) throw new TypeError('This agent runs only in a Runner.');
  return support;
}
