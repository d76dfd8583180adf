import type {
  Agent,
  AgentTree,
  ArtifactService,
  ChildRun,
  Content,
  Event,
  Llm,
  MemoryService,
  Plugin,
  RunConfig,
  Runtime,
  SessionRef,
  StateMap,
  Toolset,
} from '@thole/core';
import type { LiveSession } from './live-session.ts';

/** What the contexts of one run share. */
export interface RunScope {
  readonly invocationId: string;
  readonly live: LiveSession;
  /** `temp:` values, as long as the invocation lives. */
  readonly temp: StateMap;
  readonly userContent: Content;
  readonly signal: AbortSignal;
  readonly runtime: Runtime;
  readonly deps: unknown;
  readonly runConfig: RunConfig;
  readonly tree: AgentTree;
  readonly plugins: readonly Plugin[];
  readonly memoryService: MemoryService | undefined;
  readonly artifactService: ArtifactService | undefined;
  /** Whose artifacts are meant: a child run saves into its parent's session. */
  readonly artifactRef: SessionRef;
  ended: boolean;
  /** Called while the run closes before its end. */
  readonly closers: Set<() => void | Promise<void>>;
  /** Throws `CONTEXT_CLOSED` once the run has ended. */
  readonly assertOpen: () => void;
  countLlmCall(): void;
  /** An agent begins: its name stands for it from now on. */
  entered(agent: Agent): void;
  commit(event: Event): Promise<Event>;
  show(event: Event): void;
  model(name: string): Llm;
  usesToolset(toolset: Toolset): void;
  runChild(p: ChildRun & { parentState: StateMap }): AsyncIterable<Event>;
}
