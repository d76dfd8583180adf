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

/** Members of a run that the flow needs in addition to the public context. Every context of an agent in a run has them. */
export interface FlowSupport {
  readonly plugins: readonly Plugin[];
  /** Undefined if nothing is recorded. */
  readonly trace: RunTrace | undefined;
  /** Returns the model with this name, created once by the runner's factories. */
  model(name: string): Llm;
  /** True if a factory of the runner supports a model with this name. */
  supportsModel(name: string): boolean;
  /** Returns the hint for prompt caching of this agent. Undefined if the app has no `contextCache`. */
  contextCacheHint(): ContextCacheHint | undefined;
  /** Results that are computed from the history, by key. They are dropped with the cached session. */
  readonly folds: Map<string, unknown>;
  /**
   * Returns a context for one call. Its state changes are separate until the call ends. Default of its signal: the signal of
   * the run.
   */
  openToolContext(p: ToolContextInit): OpenToolContext;
  /** Deletes the secrets of a sign-in whose request is not stored. */
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
  /** Ids of long-running calls that got an update in this run, if the model must see the update. */
  readonly updatedCalls: ReadonlySet<string>;
  /** `seq` of the newest event when this run opened the session. */
  readonly seqAtStart: number;
  /** `seq` of the newest event. */
  readonly lastSeq: number;
  /** Messages and answers of other callers in this run. */
  readonly joined: JoinedMessages;
  /** Counts a model call, whose request contains the events up to this `seq`. Throws `LLM_CALL_LIMIT`. */
  countModelCall(lastSeq: number): void;
  /** Counts the tokens of an answer that is not stored for the limits. The returned function removes them again. */
  holdUsage(usage: Usage, response: Pick<Event, 'modelVersion'>): () => void;
  /** Stores an event of a tool call, without the pending changes of hooks and agents. */
  commitWithoutChanges(event: Event): MaybePromise<Event | undefined>;
  /** Path of the call of this agent. */
  readonly place: string;
  /** Runs an agent below this one. Unlike `runAgent`, it does not throw if the agent pauses. */
  callAgent(agent: Agent, p?: { branch?: string | undefined }): AgentCall;
  /** Runs the agent that takes over from this `LlmAgent`, at the same place. */
  transferTo(agent: Agent): AsyncGenerator<Event, void, Event | undefined>;
  /** Returns the earlier events of this agent, without those of agents that have transferred to it. Undefined if there are none. */
  takeSegment(): TurnSegment | undefined;
  /** Called when this agent waits for an answer from outside. */
  markPaused(): void;
  /** True if an agent at this place or below it waits for an answer from outside. */
  isPaused(place: string): boolean;
  /** Throws the reason if no more model or tool calls may start. */
  assertMayBegin(): void;
  /** Called before a wait for a model or tool. If the reader leaves during the wait, the run ends at once. */
  beginCall(): void;
  /** Called after that wait. */
  endCall(): void;
  /**
   * Returns the stored event for an agent whose `yield` returned undefined, because its caller uses a `for await` loop.
   */
  storedAs(event: Event): Event;
  /** Counts the rounds of a loop of this agent. */
  loopRounds(): LoopRounds;
  /** Registers a toolset that is closed with the runner. */
  addToolset(toolset: Toolset): void;
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

/** Arguments of `openToolContext`. */
export interface ToolContextInit {
  readonly functionCallId: string;
  readonly signal?: AbortSignal | undefined;
  /** Requests and answers of an earlier attempt of the call. */
  readonly attempt?: CallAttempt | undefined;
  /** Time until requests of the call expire, in milliseconds. */
  readonly ttlMs?: number | undefined;
  /** The call. Undefined while the request to the model is built. */
  readonly call?: FunctionCall | undefined;
  /** The call's span. Default: the agent's. */
  readonly span?: Span | undefined;
}

/** The context of a call while the call runs. */
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

/** A context of a run with the members for the runner's own code. */
export interface WithFlowSupport {
  readonly flowSupport: FlowSupport;
}

/** Returns the `FlowSupport` of a context. Throws a `TypeError` for a context that is not from a `Runner`. */
export function flowSupport(context: InvocationContext): FlowSupport {
  const support = (context as Partial<WithFlowSupport>).flowSupport;
  if (!support) throw new TypeError('This agent runs only in a Runner.');
  return support;
}
