import type { Event, InvocationContext, Llm, Plugin, Span, ToolContext, Toolset } from '@thole/core';
import type { RunTrace } from '../traces/run-trace.ts';

/** Members of a run that the flow needs in addition to the public context. Every context of a run has it. */
export interface FlowSupport {
  readonly plugins: readonly Plugin[];
  /** Undefined if nothing is recorded. */
  readonly trace: RunTrace | undefined;
  /** Returns the model with this name, created once by the runner's factories. */
  model(name: string): Llm;
  /** Folds over the history, by keys that their owners choose. They live as long as the cached session. */
  readonly folds: Map<string, unknown>;
  /**
   * Returns a context for one call, with its own state over the committed state, and the run's signal unless another
   * one is given.
   */
  openToolContext(p: ToolContextInit): OpenToolContext;
  /** Throws the reason if no model call or tool may start any more. */
  assertMayBegin(): void;
  /** Called before a wait for a model or tool: a reader that leaves during the wait ends the run at once. */
  workBegins(): void;
  /** Called after that wait. */
  workEnds(): void;
  /**
   * Returns the stored event for an agent whose `yield` returned undefined, because a `for await` loop is around it.
   */
  storedAs(event: Event): Event;
  /** Counts the rounds of a loop of this agent. */
  loopRounds(): LoopRounds;
  /** Shows a partial event without waiting for the reader. */
  show(event: Event): void;
  /** Registers a toolset, to be closed with the runner. */
  usesToolset(toolset: Toolset): void;
}

/** The rounds of one loop. */
export interface LoopRounds {
  /** Call when a round begins. Throws `LOOP_LIMIT` after 1,000 consecutive rounds without a model call or a wait. */
  next(): void;
  /** Call when the loop has ended. */
  close(): void;
}

/** The parts of a call's context. */
export interface ToolContextInit {
  readonly functionCallId: string;
  readonly signal?: AbortSignal | undefined;
  /** The call's span. Default: the agent's. */
  readonly span?: Span | undefined;
}

/** A call's context while the call runs. */
export interface OpenToolContext {
  readonly context: ToolContext;
  /** Closes the context and returns its actions, for the event with its answer. Later writes throw `CONTEXT_CLOSED`. */
  close(): ToolContext['actions'];
}

/** A context of a run, as the runner's own code sees it. */
export interface WithFlowSupport {
  readonly flowSupport: FlowSupport;
}

/** Returns the run of a context. An agent that runs outside a runner has none. */
export function flowSupport(context: InvocationContext): FlowSupport {
  const support = (context as Partial<WithFlowSupport>).flowSupport;
  if (!support) throw new TypeError('This agent runs only in a Runner.');
  return support;
}
