import type { Content, Part } from '../content/content.ts';
import type { EventActions } from '../event/event-actions.ts';
import type { AuthConfig } from '../credential/auth-config.ts';
import type { AuthCredential } from '../credential/auth-credential.ts';
import type { Optional } from '../errors/optional.ts';
import type { Event } from '../event/event.ts';
import type { Json, JsonObject } from '../json/json.ts';
import type { NewMemory, SearchMemoryRequest, SearchMemoryResponse } from '../memory/memory-service.ts';
import type { MemoryEntry } from '../memory/memory-entry.ts';
import type { Runtime, Span } from '../runtime/runtime.ts';
import type { StateDelta } from '../state/scopes.ts';
import type { ReadonlyState, State } from '../state/state.ts';
import type { AgentTree } from './agent-tree.ts';
import type { Agent, MaybePromise } from './agent.ts';
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
  /** The current span, as in `CallbackContext`. */
  readonly span?: Span | undefined;
  /** The value that the caller passed to `runAsync({deps})`, such as a database handle or a request. Never stored. */
  readonly deps: T;
}

/** The context of callbacks. */
export interface CallbackContext<T = unknown> extends ReadonlyContext<T> {
  readonly state: State;
  /** True if this run continues an invocation after a pause or a crash. */
  readonly resumed: boolean;
  /**
   * The current span: the span of the tool call in a tool and its callbacks, otherwise the span of the agent. Use it as the
   * parent of your own spans (`runtime.tracer.start(name, attributes, span)`). If nothing is recorded, the span is silent.
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
  addMemory(content: string | Content, p?: Optional<Omit<NewMemory, 'content'>>): Promise<MemoryEntry>;
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
  /** Actions of the event with the answer. Write `stateDelta` through `state`. */
  readonly actions: EventActions;
  /** The answer to the last confirmation that was requested for this call. Undefined if there is none. */
  readonly toolConfirmation?: ToolConfirmation | undefined;
  /**
   * Requests a confirmation from a person. The result of this run of the tool is then provisional. After the answer the
   * tool runs again, and `toolConfirmation` contains the answer.
   */
  requestConfirmation(p: { hint: string; payload?: Json | undefined }): void;
  /**
   * Returns the answer of a person. Without an answer it records the request and throws: the call ends without an answer,
   * and the run pauses. After the answer the tool runs again from its start with the same `idempotencyKey`, and the n-th
   * request gets the n-th answer. Throws `INTERRUPT_EXPIRED` if no answer came in time, and `INPUT_DECLINED` if the person
   * has declined. Put effects after the request, or in a `step`.
   */
  requestInput(p: InputRequest): Promise<Json>;
  /**
   * Returns the user's credential. Without a valid credential it requests a sign-in, as `requestInput` requests an
   * answer. Throws `CREDENTIAL_NOT_CONFIGURED` if the runner has no `authenticator`, and `SIGN_IN_DENIED` if the user
   * refused.
   */
  requestCredential(authConfig: AuthConfig): Promise<AuthCredential>;
  /** See `InvocationContext.step`. */
  step<R extends Json | undefined | void>(name: string, fn: StepFunction<R>): Promise<R>;
  /** Shows a message as a partial event. It is not stored. */
  reportProgress(message: string): void;
  /** See `InvocationContext.runChild`. */
  runChild(p: ChildRun): AsyncIterable<Event>;
}

/** The answer to a request for a confirmation. */
export interface ToolConfirmation {
  confirmed: boolean;
  hint?: string | undefined;
  payload?: Json | undefined;
}

/** A question to a person. */
export interface InputRequest {
  /** Text to show. */
  message: string;
  /** JSON Schema of the answer. Another answer leaves the request open. Default: any value. */
  responseSchema?: JsonObject | undefined;
  /** Data to show with the message. */
  payload?: Json | undefined;
  /** Time until the request expires, in milliseconds. Default: `interruptTtlMs` of the app. */
  ttlMs?: number | undefined;
}

/** Work whose result is stored. `idempotencyKey` is the same for each attempt. */
export type StepFunction<R> = (p: { idempotencyKey: string; signal: AbortSignal }) => MaybePromise<R>;

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
  /**
   * Returns the stored result of the n-th step with this name in this agent. If there is none, calls `fn` and stores its
   * result, which must be JSON. `fn` runs at least once; an error that it throws is not stored. Put decisions that depend on
   * state or on other systems into a step, because an agent that is resumed runs again from its first line.
   */
  step<R extends Json | undefined | void>(name: string, fn: StepFunction<R>): Promise<R>;
  /** Returns the answer of a person, as `ToolContext.requestInput` does. The agent runs again from its first line. */
  requestInput(p: InputRequest): Promise<Json>;
  /** Waits for this time in milliseconds, as `sleepUntil` does. */
  sleep(ms: number): Promise<void>;
  /**
   * Waits until this time, in seconds since the epoch. A wait of more than 60 s pauses the run. After this time,
   * `Runner.recover` continues it in any process with this app.
   */
  sleepUntil(time: number): Promise<void>;
  /**
   * Runs an agent in a separate in-memory session. The caller applies its state and artifact deltas (contract 25). If the child
   * pauses, its requests become requests of this agent, which pauses too. In a resumed run, the events of the child so far are
   * yielded again, and a child that has ended does not run again.
   */
  runChild(p: ChildRun): AsyncIterable<Event>;
  /**
   * Stores an event now, without waiting for the reader, and returns the stored event. Yield that event afterwards
   * to return it to the reader.
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
