import type {
  AgentTree,
  App,
  ArtifactService,
  Authenticator,
  ChildRun,
  ContextCacheOptions,
  Event,
  EventInit,
  Json,
  Llm,
  MemoryService,
  ModelFactory,
  Plugin,
  Runtime,
  SessionRef,
  Span,
  StateMap,
  Toolset,
} from '@thole/core';
import type { InterruptRequest } from '../flow/interrupt-request.ts';
import type { LlmCalls } from '../flow/llm-calls.ts';
import type { ChildLog } from '../history/progress.ts';
import type { DeadlineTimer, ForcedTurns } from '../invocation/deadlines.ts';
import type { OpenRun } from '../invocation/open-run.ts';
import type { CheckedRequest, RunMethod } from '../invocation/run-request.ts';
import type { RunTask } from '../invocation/run-task.ts';
import type { SkipReason } from '../resume/recover.ts';
import type { LiveSession } from '../session/live-session.ts';
import type { SessionAccess } from '../session/session-cache.ts';

/** The parts of a runner that all its runs use. */
export interface RunnerDeps {
  readonly runtime: Runtime;
  readonly plugins: readonly Plugin[];
  readonly models: readonly ModelFactory[];
  readonly durability: Durability;
  readonly authenticator: Authenticator | undefined;
  readonly contextCache: ContextCacheOptions | undefined;
  readonly memoryService: MemoryService | undefined;
  readonly artifactService: ArtifactService | undefined;
  readonly deadlineTimer: DeadlineTimer;
  readonly forcedTurns: ForcedTurns;
  /** Returns the model with this name. Throws `MODEL_UNKNOWN` if no factory supports it. */
  findModel(name: string): Llm;
  /** Registers a toolset that is closed with the runner. */
  addToolset(toolset: Toolset): void;
  runChild(parent: RunTask, p: ChildRunInit): AsyncIterable<Event>;
  /** Registers a run that begins. Throws `INVALID_INPUT` if the runner is closed. */
  addRun(task: RunTask): void;
  removeRun(task: RunTask): void;
}

/** Options of the app for durable runs. */
export interface Durability {
  readonly isResumable: boolean;
  readonly onInDoubt: NonNullable<App['onInDoubt']>;
  readonly journalToolStarts: boolean;
  readonly interruptTtlMs: number | undefined;
  readonly onNewMessage: NonNullable<App['onNewMessage']>;
}

/** The invocation that a run continues, and the answers of the caller. */
export interface ResumeInit {
  /** Undefined: the invocation of the answers, or the only invocation that is unfinished or paused. */
  readonly invocationId: string | undefined;
  /** Answers by id of the interrupt. The message may contain further answers. */
  readonly answers: { readonly [interruptId: string]: Json };
  /** For a child run: answers that its parent has checked and stored. */
  readonly parentAnswers?: readonly Partial<EventInit>[] | undefined;
  /** Set by recovery: called if the invocation is not resumed now. Recovery counts attempts and fails after three. */
  readonly onSkip?: ((reason: SkipReason) => void) | undefined;
}

/** Arguments of a run. They come from the runner or, for a child run, from the parent run. */
export interface RunInit {
  readonly runner: RunnerDeps;
  readonly ref: SessionRef;
  readonly sessionAccess: SessionAccess;
  readonly tree: AgentTree;
  readonly calls: LlmCalls;
  /** Session that the run's artifacts belong to. */
  readonly artifactRef: SessionRef;
  readonly parentSpan?: Span | undefined;
  /** Method that the caller has called. Default: `runAsync`. */
  readonly method?: RunMethod | undefined;
  /** Set if the run continues an invocation. */
  readonly resume?: ResumeInit | undefined;
  /** Set for a child run that can pause: identifies it in all attempts of its call. */
  readonly childKey?: string | undefined;
  /**
   * Called with the open session before the message is stored. A returned request replaces the message and its state
   * changes. `end` ends the run without a message.
   */
  readonly beforeMessage?: ((task: RunTask, opened: OpenRun) => Promise<CheckedRequest | 'end'>) | undefined;
  /**
   * Throws `MESSAGE_ID_TAKEN` if the stored message with the `messageId` of the request is not from the same request. Default: compares
   * the messages.
   */
  readonly assertRepeated?: ((task: RunTask, session: LiveSession, earlier: Event) => void) | undefined;
}

/** Arguments of a child run, with the data of the context that starts it. */
export type ChildRunInit = ChildRun & {
  parentState: StateMap;
  parentSpan: Span | undefined;
  signal: AbortSignal;
  /** The tool call or agent that runs the child. Undefined: the child cannot pause. */
  call?: ChildCall | undefined;
};

/** The invocation of a child run and its events. */
export type ChildEvents = Pick<ChildLog, 'invocationId' | 'events'>;

/** The tool call or agent that runs a child, as the child run uses it. */
export interface ChildCall {
  /** Identifies the child in all attempts of the call or agent. */
  readonly key: string;
  /** The log of an earlier attempt. */
  readonly earlier: ChildLog | undefined;
  /** Answers to the interrupts of all earlier attempts. */
  readonly answers: readonly Partial<EventInit>[];
  /** Set if a request of the child is open: the child does not run. Throws `RunPaused`. */
  readonly wait?: (() => never) | undefined;
  /** Called when the child has ended. A tool call stores the log only if it pauses later, an agent at once. */
  completed(log: ChildEvents): Promise<void>;
  /** Stores the log of the child and requests its interrupts for the call or agent. Throws `RunPaused`. */
  pause(log: ChildEvents, requests: readonly InterruptRequest[]): Promise<never>;
}
