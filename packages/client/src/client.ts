import type {
  ArtifactRef,
  ArtifactVersion,
  CallOptions,
  Content,
  Event,
  EventWindow,
  Interrupt,
  InterruptKind,
  Json,
  JsonObject,
  MemoryEntry,
  MemoryFilter,
  MemoryRef,
  NewMemory,
  Optional,
  Part,
  Session,
  SessionRef,
  SessionSummary,
  StateDelta,
  StateMap,
  UserRef,
} from '@thole/core';
import type { AppGraph, AppInfo, DotGraph, ServerVersion, TraceSpan } from './responses.ts';
import type { ClientRun, ResumeRequest, RunRequest } from './client-run.ts';

/** Options of every call: a signal that aborts it (`ABORTED`), and a time limit (`TIMEOUT`). */
export interface ClientCallOptions extends CallOptions {
  /** Time limit of the call in milliseconds. `Infinity` means no limit. Default: the client's `timeoutMs`. */
  timeoutMs?: number | undefined;
}

/**
 * The HTTP API of a Thole server. All methods reject with a `ClientError` only: with the `status` and `detail` of the server's
 * response, or with a `code` that names the reason why there is no response. No request is sent twice, except that a run is read
 * again after a lost connection.
 */
export interface Client {
  readonly apps: AppsClient;
  readonly sessions: SessionsClient;
  readonly interrupts: InterruptsClient;
  readonly artifacts: ArtifactsClient;
  readonly memory: MemoryClient;
  readonly traces: TracesClient;
  readonly graphs: GraphsClient;
  /**
   * Starts a run immediately and returns its events: partial events (with `streaming: true`), and stored events, each once and in
   * order. After a lost connection the client reconnects.
   */
  run(request: RunRequest): ClientRun;
  /** Answers interrupts and returns the events of their invocation, as `run` does. */
  answer(request: AnswerRequest): ClientRun;
  /** Reads an active or finished run again: after a reload of the page, or in another process. */
  resume(request: ResumeRequest): ClientRun;
  /** Returns the stored events of a run when it has ended. The default of `timeoutMs` is 600,000. */
  runToCompletion(request: Omit<RunRequest, 'streaming' | 'onReconnect'>): Promise<Event[]>;
  /** Resolves if the server accepts new work. Rejects with status 503 while it closes. */
  health(call?: ClientCallOptions): Promise<void>;
  version(call?: ClientCallOptions): Promise<ServerVersion>;
}

/** The apps of the server. */
export interface AppsClient {
  /** Returns the names of the apps, sorted. */
  list(call?: ClientCallOptions): Promise<string[]>;
  listDetailed(call?: ClientCallOptions): Promise<AppInfo[]>;
  /** Rejects with status 404 for an unknown app. */
  info(p: { appName: string } & ClientCallOptions): Promise<AppInfo>;
}

/**
 * The sessions to list, and the page: `limit` with `offset`, or with `page`, which starts at 1. Without all four options, the newest
 * sessions are returned, at most the server's `limits.listItems` (default: 1,000).
 */
export interface ListSessions extends UserRef, ClientCallOptions {
  /** Maximum number of sessions. Default with one of the other options: 50. */
  limit?: number | undefined;
  offset?: number | undefined;
  page?: number | undefined;
  /** Order by the time of the last event: oldest first (`asc`) or newest first (`desc`). Default: `asc`. */
  order?: 'asc' | 'desc' | undefined;
}

/** Sessions without their events. */
export interface SessionsPage {
  sessions: SessionSummary[];
  /** Number of all sessions of the user. Without paging options: the number of returned sessions. */
  totalItems: number;
}

/** The content of an exported session: its own state and its events, as JSON for a file. `create` accepts it. */
export interface SessionFile {
  state: StateMap;
  events: Event[];
}

/** The sessions of a user. */
export interface SessionsClient {
  list(p: ListSessions): Promise<SessionsPage>;
  /**
   * Returns a session with all its events, or with the events that the options select. Rejects with status 404 for an unknown
   * session.
   */
  get(p: SessionRef & Omit<EventWindow, 'afterSeq'> & ClientCallOptions): Promise<Session>;
  /**
   * Creates a session. Without `sessionId` the server chooses an id. Rejects with status 409 if the id exists. `events` are
   * imported. Rejects with status 400 for events with content that only the runtime may write.
   */
  create(
    p: UserRef & {
      sessionId?: string | undefined;
      state?: StateDelta | undefined;
      events?: readonly Event[] | undefined;
    } & ClientCallOptions,
  ): Promise<Session>;
  /**
   * Writes state as one stored event. Null deletes a key. Rejects with status 403 for a scope that clients may not
   * write.
   */
  updateState(p: SessionRef & { stateDelta: StateDelta } & ClientCallOptions): Promise<Session>;
  /** Sets a display name, under `__session_metadata__` in the state, as ADK's web UI does. */
  rename(p: SessionRef & { displayName: string } & ClientCallOptions): Promise<Session>;
  /**
   * Deletes a session with its artifacts, and with `memory` also its memory entries. Succeeds for an unknown session
   * too.
   */
  delete(p: SessionRef & { memory?: boolean | undefined } & ClientCallOptions): Promise<void>;
  /**
   * Removes an invocation and everything after it, and returns the session. Rejects with status 404 for an unknown invocation,
   * and with 409 if the answer of a remaining call would be removed. `keepMemory` keeps the memory entries of the removed events.
   */
  rewind(
    p: SessionRef & { rewindBeforeInvocationId: string; keepMemory?: boolean | undefined } & ClientCallOptions,
  ): Promise<Session>;
  /**
   * Copies a session: the events before an invocation, the events up to a `seq`, or all events. Returns the copy, in which open
   * calls and interrupts are closed. Rejects with status 409 if a session with the new id exists already.
   */
  fork(
    p: SessionRef & {
      beforeInvocationId?: string | undefined;
      uptoSeq?: number | undefined;
      newSessionId?: string | undefined;
    } & ClientCallOptions,
  ): Promise<Session>;
  /**
   * Returns the content of a session for `create`: its events, and its state without `user:` and `app:` keys. Rewound events, requests
   * to users and their answers, and members that only the server may write are left out.
   */
  export(p: SessionRef & ClientCallOptions): Promise<SessionFile>;
}

/** An interrupt with the session that it belongs to. */
export interface InboxInterrupt extends Interrupt {
  userId: string;
  sessionId: string;
}

/** The open interrupts to list. */
export interface InboxQuery extends ClientCallOptions {
  appName: string;
  /** Default: all users that the client may act for. */
  userId?: string | undefined;
  kind?: InterruptKind | undefined;
  /** Maximum number of sessions on a page. Default: the server's, 50. */
  limit?: number | undefined;
}

/** Open interrupts: requests that wait for an answer. */
export interface InterruptsClient {
  /** Returns the open interrupts of a session, oldest first. Rejects with status 404 for an unknown session. */
  list(p: SessionRef & ClientCallOptions): Promise<Interrupt[]>;
  /** Yields the open interrupts of an app, ordered by the last event of their sessions. Reads further pages when needed. */
  inbox(p: InboxQuery): AsyncIterable<InboxInterrupt>;
  /** Returns one page. Pass `next` as `after` to get the next page. A page may be empty although there is a next one. */
  page(
    p: InboxQuery & { after?: string | undefined },
  ): Promise<{ interrupts: InboxInterrupt[]; next?: string | undefined }>;
}

/** An answer to an interrupt. */
export interface InterruptAnswer {
  /** The interrupt, as `interrupts` returned it. */
  interrupt: Interrupt;
  /**
   * For `confirmation`: true, false or `{confirmed, payload?, editedArguments?}`. For `input`: a value that fits its schema. For
   * `longRunning`: the result of the call. For `credential`: the sign-in's `{authResponseUri, redirectUri}`, or its auth config.
   */
  value: Json;
}

/** Answers to interrupts of one invocation. */
export interface AnswerRequest extends Omit<RunRequest, 'newMessage' | 'invocationId' | 'messageId'> {
  answers: readonly InterruptAnswer[];
}

/**
 * The artifacts of a session. Names may contain slashes. A name that starts with `user:` belongs to all sessions of the
 * user.
 */
export interface ArtifactsClient {
  /** Returns the names, sorted. */
  list(p: SessionRef & ClientCallOptions): Promise<string[]>;
  /**
   * Returns the newest version, or the given one, as a part with `inlineData` (base64) or `text`. Rejects with status
   * 404 if there is none.
   */
  load(p: ArtifactRef & { version?: number | undefined } & ClientCallOptions): Promise<Part>;
  /** Returns the version numbers. Rejects with status 404 if there is none. */
  versions(p: ArtifactRef & ClientCallOptions): Promise<number[]>;
  /** Returns the metadata of the newest version, or of the given one. */
  metadata(p: ArtifactRef & { version?: number | undefined } & ClientCallOptions): Promise<ArtifactVersion>;
  /** Returns the metadata of all versions. */
  listMetadata(p: ArtifactRef & ClientCallOptions): Promise<ArtifactVersion[]>;
  save(
    p: ArtifactRef & { artifact: Part; customMetadata?: JsonObject | undefined } & ClientCallOptions,
  ): Promise<ArtifactVersion>;
  /** Deletes all versions. */
  delete(p: ArtifactRef & ClientCallOptions): Promise<void>;
}

/** Conditions of a search or list. All given conditions must match. */
export type MemoryConditions = Omit<MemoryFilter, 'metadata'>;

/**
 * The memory of a user across all sessions of an app, or with `scope` the memory of a team or an agent. Rejects with
 * status 400 if the app has no memory, and with 403 for a scope that the client may not use.
 */
export interface MemoryClient {
  /** Returns matching entries, best first, each with its `score`, and with `explain` the parts of the score. */
  search(
    p: MemoryRef & {
      query: string;
      limit?: number | undefined;
      minScore?: number | undefined;
      /** Minimum `relevance` of a result, from 0 to 1. Default: the service's. */
      minRelevance?: number | undefined;
      /** IANA name of the time zone of dates in the query. Default: UTC. */
      timeZone?: string | undefined;
      explain?: boolean | undefined;
      filter?: MemoryConditions | undefined;
    } & ClientCallOptions,
  ): Promise<MemoryEntry[]>;
  /** Returns a page of entries, newest last. `next` is the cursor of the following page. */
  list(
    p: MemoryRef & {
      limit?: number | undefined;
      cursor?: string | undefined;
      filter?: MemoryConditions | undefined;
    } & ClientCallOptions,
  ): Promise<{ memories: MemoryEntry[]; next?: string | undefined }>;
  /**
   * Adds entries unchanged and returns them with their ids. A string is the text of a note. An entry with an existing
   * id replaces it.
   */
  add(
    p: MemoryRef & { memories: readonly (string | Omit<NewMemory, 'scope'>)[] } & ClientCallOptions,
  ): Promise<MemoryEntry[]>;
  /** Returns one entry. Rejects with status 404 for an unknown one. */
  get(p: MemoryRef & { id: string } & ClientCallOptions): Promise<MemoryEntry>;
  /**
   * Returns other entries with the same content as an entry or its other versions, most similar first. Call it before you delete
   * the entry, and offer to delete the result too.
   */
  findSame(p: MemoryRef & { id: string } & ClientCallOptions): Promise<MemoryEntry[]>;
  /** Changes the given members of an entry. Rejects with status 404 for an unknown one. */
  update(
    p: MemoryRef & {
      id: string;
      change: Optional<Omit<MemoryEntry, 'id' | 'score'>>;
    } & ClientCallOptions,
  ): Promise<MemoryEntry>;
  /**
   * Deletes one entry. Later ingestion does not restore it. The evidence of a fact is deleted too, unless
   * `keepEvidence` is set.
   */
  forget(p: MemoryRef & { id: string; keepEvidence?: boolean | undefined } & ClientCallOptions): Promise<void>;
  /** Deletes several entries as `forget` does, and returns the number of deleted entries. Unknown ids are ignored. */
  forgetMany(
    p: MemoryRef & { ids: readonly string[]; keepEvidence?: boolean | undefined } & ClientCallOptions,
  ): Promise<number>;
  /** Deletes the complete memory. */
  forgetAll(p: MemoryRef & ClientCallOptions): Promise<void>;
  /**
   * Adds the turns of a session to the user's memory. Existing entries stay unchanged. Rejects with status 404 for an
   * unknown session.
   */
  saveSession(p: SessionRef & ClientCallOptions): Promise<void>;
}

/** The recorded spans of runs. The server keeps only the newest ones. */
export interface TracesClient {
  /** Returns the spans of a session, or an empty list if nothing was recorded. */
  ofSession(p: { appName: string; sessionId: string } & ClientCallOptions): Promise<TraceSpan[]>;
  /** Returns the attributes of the span that created an event. Rejects with status 404 if nothing was recorded. */
  ofEvent(p: { appName: string; eventId: string } & ClientCallOptions): Promise<JsonObject>;
}

/** Graphs of an app's agents and tools. */
export interface GraphsClient {
  ofApp(p: { appName: string } & ClientCallOptions): Promise<AppGraph>;
  /**
   * Returns the graph in Graphviz's language; with `node` only that agent and its sub-agents. Rejects with status 404
   * for an unknown agent.
   */
  dot(
    p: { appName: string; darkMode?: boolean | undefined; node?: string | undefined } & ClientCallOptions,
  ): Promise<DotGraph>;
  /** Returns the graph with the calls of an event highlighted. Rejects with status 404 for an unknown event. */
  ofEvent(p: SessionRef & { eventId: string; darkMode?: boolean | undefined } & ClientCallOptions): Promise<DotGraph>;
}

/** A message to send: a text, or a content with role `user`. */
export type NewMessage = string | Content;
