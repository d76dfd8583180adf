import type { Content, Part } from '../content/content.ts';
import type { EventActions } from '../event/event-actions.ts';
import type { Event } from '../event/event.ts';
import type { Json } from '../json/json.ts';
import type { NewMemory, SearchMemoryRequest, SearchMemoryResponse } from '../memory/memory-service.ts';
import type { MemoryEntry } from '../memory/memory-entry.ts';
import type { Runtime, Span } from '../runtime/runtime.ts';
import type { StateDelta } from '../state/scopes.ts';
import type { ReadonlyState, State } from '../state/state.ts';
import type { AgentTree } from './agent-tree.ts';
import type { Agent } from './agent.ts';
import type { EventLog } from './event-log.ts';
import type { RunConfig } from './run-config.ts';

/** What instructions and toolsets may read. `T` is the type of the caller's own `deps`. */
export interface ReadonlyContext<T = unknown> {
  readonly invocationId: string;
  readonly agentName: string;
  readonly appName: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly state: ReadonlyState;
  /** The message that began the invocation. */
  readonly userContent: Content;
  readonly history: EventLog;
  /** Aborted when the run is: give it to every wait. */
  readonly signal: AbortSignal;
  readonly runtime: Runtime;
  /** What the caller gave to `runAsync({deps})`: a database handle, a request. Never stored. */
  readonly deps: T;
}

/** What callbacks may do besides. */
export interface CallbackContext<T = unknown> extends ReadonlyContext<T> {
  readonly state: State;
  /**
   * The piece of work that goes on: the tool call's in a tool and its callbacks, else the agent's. The parent for spans of your
   * own (`runtime.tracer.start(name, attributes, span)`); a silent one where nobody records.
   */
  readonly span: Span;
  /** The new version, which the next event's `artifactDelta` names. `ARTIFACT_NOT_CONFIGURED` without a service. */
  saveArtifact(filename: string, artifact: Part, customMetadata?: { [key: string]: Json }): Promise<number>;
  loadArtifact(filename: string, version?: number): Promise<Part | undefined>;
  listArtifacts(): Promise<string[]>;
  deleteArtifact(filename: string): Promise<void>;
  /** The session as it stands. `MEMORY_NOT_CONFIGURED` without a service. */
  addSessionToMemory(): Promise<void>;
  addEventsToMemory(events: readonly Event[]): Promise<void>;
  /** A note, kept as it is. */
  addMemory(content: string | Content, p?: Partial<Omit<NewMemory, 'content'>>): Promise<MemoryEntry>;
  /** Deletes entries as `MemoryService.deleteMemory` does and returns how many were deleted. */
  deleteMemory(ids: readonly string[]): Promise<number>;
  searchMemory(
    query: string,
    p?: Pick<SearchMemoryRequest, 'limit' | 'filter' | 'minScore' | 'minRelevance' | 'timeZone'>,
  ): Promise<SearchMemoryResponse>;
}

/** What a tool's call may do besides. Closed when the call has ended: then everything that writes is `CONTEXT_CLOSED`. */
export interface ToolContext<T = unknown> extends CallbackContext<T> {
  readonly functionCallId: string;
  /**
   * The same for every attempt at this call, in this process or another, and no other call's: a SHA-256 in hex over app, user,
   * session, its incarnation, the agent's path and the call's id.
   */
  readonly idempotencyKey: string;
  /** Of the event that will carry the answer. `stateDelta` is written through `state`. */
  readonly actions: EventActions;
  /** Asks a person: the call is answered later. */
  requestConfirmation(p: { hint: string; payload?: Json | undefined }): void;
  /** Shown as a partial event, not stored. */
  reportProgress(message: string): void;
  /** Runs an agent in a session of its own. */
  runChild(p: ChildRun): AsyncIterable<Event>;
}

/** An agent to be run in a session of its own, and what it is told. */
export interface ChildRun {
  agent: Agent;
  message: string | Content;
  /** What the child's state begins with; a copy of the parent's without `temp:` unless given. */
  state?: StateDelta | undefined;
}

/** What an agent's `runAsync` gets. */
export interface InvocationContext<T = unknown> extends CallbackContext<T> {
  readonly agent: Agent;
  readonly tree: AgentTree;
  readonly branch?: string | undefined;
  readonly runConfig: RunConfig;
  /**
   * Runs an agent with its hooks and the plugins'. Yield its events on, with `yield*` or in a `for await` loop. An event that is
   * not yielded on is not stored, and the agent goes on as if a plugin had dropped it.
   */
  runAgent(agent: Agent, p?: { branch?: string | undefined }): AsyncGenerator<Event, void, Event | undefined>;
  /** Runs an agent in a session of its own, in memory; state and artifact deltas are the caller's to take over (contract 25). */
  runChild(p: ChildRun): AsyncIterable<Event>;
  /** Stores now, without waiting for the reader, and answers what was stored. Yield it afterwards to hand it over. */
  commit(event: Event): Promise<Event>;
  /** Before each model call: `LLM_CALL_LIMIT` when the invocation has made all it may. */
  countLlmCall(): void;
  /** Called while the run closes before its end, last registered first; the answer takes it back. */
  onClose(fn: () => void | Promise<void>): () => void;
  /** No further agent or step begins. */
  endInvocation(): void;
  readonly ended: boolean;
}
