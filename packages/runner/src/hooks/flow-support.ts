import type {
  Agent,
  ContextCacheHint,
  Event,
  FunctionCall,
  InvocationContext,
  Llm,
  MaybePromise,
  Plugin,
  Span,
  ToolContext,
  Toolset,
  Usage,
} from '@thole/core';
import type { InterruptLog } from '@thole/core/kit';
import type { CallAttempt } from '../flow/call-attempt.ts';
import type { InterruptRequest } from '../flow/interrupt-request.ts';
import type { Progress } from '../history/progress.ts';
import type { TurnSegment } from '../history/turn-segments.ts';
import type { JoinedMessages } from '../resume/join-run.ts';
import type { Durability } from '../runner/runner-deps.ts';
import type { RunTrace } from '../traces/run-trace.ts';

/** Members of a run that the flow needs in addition to the public context. Every context of a run has it. */
export interface FlowSupport {
  readonly plugins: readonly Plugin[];
  /** Undefined if nothing is recorded. */
  readonly trace: RunTrace | undefined;
  /** Returns the model with this name, created once by the runner's factories. */
  model(name: string): Llm;
  /** Returns the hint for prompt caching of this agent. Undefined if the app has no `contextCache`. */
  contextCacheHint(): ContextCacheHint | undefined;
  /** Folds over the history, by keys that their owners choose. They live as long as the cached session. */
  readonly folds: Map<string, unknown>;
  /**
   * Returns a context for one call, with its own state over the committed state, and the run's signal unless another
   * one is given.
   */
  openToolContext(p: ToolContextInit): OpenToolContext;
  /** Deletes the secrets of a sign-in that is not requested. */
  forgetSignIn(interruptId: string): Promise<void>;
  /** Progress of the invocation before this run. Undefined in its first run. */
  readonly progress: Progress | undefined;
  /** The interrupts of the session. */
  readonly interrupts: InterruptLog;
  /** Options of the app for durable runs. */
  readonly durability: Durability;
  /** True if pauses and crashes of this run can be resumed. */
  readonly isResumable: boolean;
  /** True if the run stops because its runner is closed, and another process may continue it. */
  readonly isShutDown: boolean;
  /** Ids of long-running calls with an update in this run that their model must see. */
  readonly updatedCalls: ReadonlySet<string>;
  /** `seq` of the newest event when this run opened the session. */
  readonly seqAtStart: number;
  /** `seq` of the newest event. */
  readonly lastSeq: number;
  /** Messages and answers of other callers in this run. */
  readonly joined: JoinedMessages;
  /** Counts a model call, whose request contains the events up to this `seq`. Throws `LLM_CALL_LIMIT`. */
  countModelCall(lastSeq: number): void;
  /** Stores an event of a tool call, without the pending changes of hooks and agents. */
  commitWithoutChanges(event: Event): MaybePromise<Event | undefined>;
  /** Path of the call of this agent. */
  readonly place: string;
  /** Runs an agent below this one. Unlike `runAgent`, it does not throw if the agent pauses. */
  callAgent(agent: Agent, p?: { branch?: string | undefined }): AgentCall;
  /** Runs the agent that takes over from this `LlmAgent`, at the same place. */
  transferTo(agent: Agent): AsyncGenerator<Event, void, Event | undefined>;
  /** Returns the events of this agent before this run, after earlier agents at its place have transferred. */
  takeSegment(): TurnSegment | undefined;
  /** Called when this agent waits for an answer from outside. */
  pauses(): void;
  /** True if an agent at this place or below it waits for an answer from outside. */
  isPaused(place: string): boolean;
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

/** A call of an agent, and its place. */
export interface AgentCall {
  readonly steps: AsyncGenerator<Event, void, Event | undefined>;
  readonly place: string;
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
  /** Requests and answers of an earlier attempt of the call. */
  readonly attempt?: CallAttempt | undefined;
  /** Time until requests of the call expire. */
  readonly ttlMs?: number | undefined;
  /** The call. Undefined while the request to the model is built. */
  readonly call?: FunctionCall | undefined;
  /** The call's span. Default: the agent's. */
  readonly span?: Span | undefined;
}

/** A call's context while the call runs. */
export interface OpenToolContext {
  readonly context: ToolContext;
  /** Requests of the call for answers from outside. */
  readonly requests: readonly InterruptRequest[];
  /** Tokens of the child runs of the call. */
  readonly usage: Usage;
  /** Stores the logs of child runs of the call that have ended. Called if the call pauses. */
  storeChildren(): Promise<void>;
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
