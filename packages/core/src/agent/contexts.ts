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

/** The context of instructions and toolsets: read only. `T` is the type of the caller's `deps`. */
export interface ReadonlyContext<T = unknown> {
  readonly invocationId: string;
  readonly agentName: string;
  readonly appName: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly state: ReadonlyState;
  /** The message that started the invocation. */
  readonly userContent: Content;
  readonly history: EventLog;
  /** Aborted when the run is aborted. Pass it to every wait. */
  readonly signal: AbortSignal;
  readonly runtime: Runtime;
  /** The value that the caller passed to `runAsync({deps})`, such as a database handle or a request. Never stored. */
  readonly deps: T;
}

/** The context of callbacks. */
export interface CallbackContext<T = unknown> extends ReadonlyContext<T> {
  readonly state: State;
  /**
   * The current span: that of the tool call in a tool and its callbacks, otherwise that of the agent. Use it as the
   * parent of your own spans (`runtime.tracer.start(name, attributes, span)`). A silent span if nothing is recorded.
   */
  readonly span: Span;
  /**
   * Saves a new version and returns its number. The next event's `artifactDelta` names it. Throws
   * `ARTIFACT_NOT_CONFIGURED` without an artifact service.
   */
  saveArtifact(filename: string, artifact: Part, customMetadata?: { [key: string]: Json }): Promise<number>;
  loadArtifact(filename: string, version?: number): Promise<Part | undefined>;
  listArtifacts(): Promise<string[]>;
  deleteArtifact(filename: string): Promise<void>;
  /** Adds the session to memory in its current state. Throws `MEMORY_NOT_CONFIGURED` without a memory service. */
  addSessionToMemory(): Promise<void>;
  addEventsToMemory(events: readonly Event[]): Promise<void>;
  /** Adds a note to memory, unchanged. */
  addMemory(content: string | Content, p?: Partial<Omit<NewMemory, 'content'>>): Promise<MemoryEntry>;
  /** Deletes entries as `MemoryService.deleteMemory` does and returns the number of deleted entries. */
  deleteMemory(ids: readonly string[]): Promise<number>;
  searchMemory(
    query: string,
    p?: Pick<SearchMemoryRequest, 'limit' | 'filter' | 'minScore' | 'minRelevance' | 'timeZone'>,
  ): Promise<SearchMemoryResponse>;
}

/**
 * The context of one tool call. It closes when the call has ended; after that, all its writing methods throw
 * `CONTEXT_CLOSED`.
 */
export interface ToolContext<T = unknown> extends CallbackContext<T> {
  readonly functionCallId: string;
  /**
   * Identifies this call: the same for every attempt in any process, different for every other call. A SHA-256 in
   * hex over app, user, session, the session's incarnation, the agent's path and the call's id.
   */
  readonly idempotencyKey: string;
  /** Actions of the event that will hold the answer. Write `stateDelta` through `state`. */
  readonly actions: EventActions;
  /** Requests a confirmation from a person. The call is answered later. */
  requestConfirmation(p: { hint: string; payload?: Json | undefined }): void;
  /** Shows a message as a partial event. It is not stored. */
  reportProgress(message: string): void;
  /** Runs an agent in a separate session. */
  runChild(p: ChildRun): AsyncIterable<Event>;
}

/** An agent to run in a separate session, and its message. */
export interface ChildRun {
  agent: Agent;
  message: string | Content;
  /** Initial state of the child. Default: a copy of the parent's state without `temp:` keys. */
  state?: StateDelta | undefined;
}

/** The context that an agent's `runAsync` receives. */
export interface InvocationContext<T = unknown> extends CallbackContext<T> {
  readonly agent: Agent;
  readonly tree: AgentTree;
  readonly branch?: string | undefined;
  readonly runConfig: RunConfig;
  /**
   * Runs an agent with its hooks and the plugins' hooks. Yield its events, with `yield*` or in a `for await` loop.
   * An event that is not yielded is not stored, and the agent continues as if a plugin had dropped it.
   */
  runAgent(agent: Agent, p?: { branch?: string | undefined }): AsyncGenerator<Event, void, Event | undefined>;
  /** Runs an agent in a separate in-memory session. The caller applies its state and artifact deltas (contract 25). */
  runChild(p: ChildRun): AsyncIterable<Event>;
  /**
   * Stores an event now, without waiting for the reader, and returns the stored event. Yield that event afterwards
   * to show it.
   */
  commit(event: Event): Promise<Event>;
  /** Call before each model call. Throws `LLM_CALL_LIMIT` if the invocation has made all its model calls. */
  countLlmCall(): void;
  /**
   * Registers a function that is called if the run closes before its end, last registered first. Returns a function
   * that removes it.
   */
  onClose(fn: () => void | Promise<void>): () => void;
  /** Prevents further agents and steps from starting. */
  endInvocation(): void;
  readonly ended: boolean;
}
