import type {
  AgentTree,
  ArtifactService,
  ChildRun,
  Event,
  Lease,
  Llm,
  MemoryService,
  Plugin,
  Runtime,
  SessionRef,
  SessionService,
  StateMap,
  TholeError,
  Toolset,
} from '@thole/core';
import type { RunInput } from './check-run.ts';
import type { LiveSession } from './live-session.ts';
import type { Invocation } from './invocation.ts';
import type { Sweep } from './sweep.ts';

/** What a run takes from the runner (or from its parent run). */
export interface RunHost {
  readonly runtime: Runtime;
  readonly tree: AgentTree;
  readonly plugins: readonly Plugin[];
  readonly sessionService: SessionService;
  readonly memoryService: MemoryService | undefined;
  readonly artifactService: ArtifactService | undefined;
  readonly artifactRef: SessionRef;
  readonly sweep: Sweep;
  readonly calls: LlmCalls;
  model(name: string): Llm;
  usesToolset(toolset: Toolset): void;
  takeLease(p: {
    invocationId: string;
    cleanupMs: number;
    signal: AbortSignal;
    onEnd(error: TholeError): void;
  }): Promise<Lease | undefined>;
  fenceOf(lease: Lease): string | undefined;
  open(lease: Lease | undefined, signal: AbortSignal): Promise<LiveSession>;
  /** The session may have been left in an unknown state, and must be read anew. */
  forget(): void;
  runChild(run: Invocation, p: ChildRun & { parentState: StateMap }): AsyncIterable<Event>;
  began(run: Invocation): void;
  closed(run: Invocation): void;
}

/** Model calls of an invocation, shared with its child runs. */
export interface LlmCalls {
  made: number;
  readonly most: number;
}

export interface RunOptions extends RunInput {
  abortSignal?: AbortSignal | undefined;
  yieldUserMessage?: boolean | undefined;
  deps?: unknown;
}
