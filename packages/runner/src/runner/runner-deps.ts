import type {
  AgentTree,
  ArtifactService,
  ChildRun,
  Event,
  Lease,
  Llm,
  MemoryService,
  ModelFactory,
  Plugin,
  Runtime,
  SessionRef,
  SessionService,
  Span,
  StateMap,
  TholeError,
  Toolset,
} from '@thole/core';
import type { RunInput } from '../invocation/run-request.ts';
import type { ForcedTurns } from '../invocation/event-loop-turns.ts';
import type { LiveSession } from '../session/live-session.ts';
import type { RunTask } from '../invocation/run-task.ts';
import type { LlmCalls } from '../invocation/llm-calls.ts';
import type { DeadlineTimer } from '../invocation/deadlines.ts';

/** What is the same for every run of a runner. */
export interface RunnerDeps {
  readonly runtime: Runtime;
  readonly plugins: readonly Plugin[];
  readonly models: readonly ModelFactory[];
  readonly memoryService: MemoryService | undefined;
  readonly artifactService: ArtifactService | undefined;
  readonly sweep: DeadlineTimer;
  readonly forcedTurns: ForcedTurns;
  model(name: string): Llm;
  usesToolset(toolset: Toolset): void;
  runChild(run: RunTask, p: WithinParent): AsyncIterable<Event>;
  began(run: RunTask): void;
  closed(run: RunTask): void;
}

/** A child run, and what it takes of the context that asks for it. */
export type WithinParent = ChildRun & { parentState: StateMap; parentSpan: Span | undefined; signal: AbortSignal };

/** The one session of a run. */
export interface SessionAccess {
  readonly service: SessionService;
  /** Undefined where nobody else can come to the session. */
  takeLease(p: LeaseWish): Promise<Lease | undefined>;
  /** What appends under this lease show. */
  fenceOf(lease: Lease): string | undefined;
  open(lease: Lease | undefined, signal: AbortSignal): Promise<LiveSession>;
  /** The session may have been left in an unknown state, and must be read anew. */
  forget(): void;
}

/** For whom a lease is taken. */
export interface LeaseWish {
  readonly invocationId: string;
  readonly cleanupMs: number;
  readonly signal: AbortSignal;
  onEnd(error: TholeError): void;
}

/** What a run takes from the runner, or from its parent run. */
export class RunHost {
  readonly house: RunnerDeps;
  readonly session: SessionAccess;
  readonly tree: AgentTree;
  readonly calls: LlmCalls;
  /** Whose artifacts it saves and reads. */
  readonly artifactRef: SessionRef;
  /** Of the call that runs it as a child. */
  readonly parentSpan: Span | undefined;

  constructor(
    p: Pick<RunHost, 'house' | 'session' | 'tree' | 'calls' | 'artifactRef'> & { parentSpan?: Span | undefined },
  ) {
    this.house = p.house;
    this.session = p.session;
    this.tree = p.tree;
    this.calls = p.calls;
    this.artifactRef = p.artifactRef;
    this.parentSpan = p.parentSpan;
  }

  get runtime(): Runtime {
    return this.house.runtime;
  }
  get plugins(): readonly Plugin[] {
    return this.house.plugins;
  }
}

/** What one run is asked, and by whom. */
export interface RunOptions extends RunInput {
  abortSignal?: AbortSignal | undefined;
  yieldUserMessage?: boolean | undefined;
  deps?: unknown;
}
