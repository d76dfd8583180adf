import type {
  ArtifactRef,
  ArtifactVersion,
  CallOptions,
  Content,
  Event,
  EventWindow,
  JsonObject,
  MemoryEntry,
  MemoryFilter,
  NewMemory,
  Part,
  Session,
  SessionRef,
  SessionSummary,
  StateDelta,
  StateMap,
  UserRef,
} from '@thole/core';
import type { AppGraph, AppInfo, DotGraph, ServerVersion, TraceSpan } from './answers.ts';
import type { ClientRun, ResumeRequest, RunRequest } from './client-run.ts';

/** What every call takes: a signal that ends it (`ABORTED`), and its own time limit (`TIMEOUT`). */
export interface ClientCallOptions extends CallOptions {
  /** Instead of the client's `timeoutMs`; `Infinity` is none. */
  timeoutMs?: number | undefined;
}

/**
 * The HTTP API of a Thole server. Every method rejects with a `ClientError` alone: `status` and `detail` are the server's
 * answer, or `code` says what kept one from coming. Nothing is sent twice but what `run` and `resume` read again after a cut.
 */
export interface Client {
  readonly apps: AppsClient;
  readonly sessions: SessionsClient;
  readonly artifacts: ArtifactsClient;
  readonly memory: MemoryClient;
  readonly traces: TracesClient;
  readonly graphs: GraphsClient;
  /**
   * Begins a run at once and answers its events as they come: partials (with `streaming: true`) and committed ones, each of these
   * once and in order. A connection that is cut is taken up again.
   */
  run(request: RunRequest): ClientRun;
  /** Reads a run that was begun before, running or finished: after a reload of the page, or in another process. */
  resume(request: ResumeRequest): ClientRun;
  /** A run's committed events, when it has ended. Its time limit is ten minutes unless `timeoutMs` is given. */
  runToCompletion(request: Omit<RunRequest, 'streaming' | 'onReconnect'>): Promise<Event[]>;
  /** Resolves when the server answers. */
  health(call?: ClientCallOptions): Promise<void>;
  version(call?: ClientCallOptions): Promise<ServerVersion>;
}

/** The apps that the server has. */
export interface AppsClient {
  /** Their names, sorted. */
  list(call?: ClientCallOptions): Promise<string[]>;
  listDetailed(call?: ClientCallOptions): Promise<AppInfo[]>;
  /** 404 for an app that the server has not. */
  info(p: { appName: string } & ClientCallOptions): Promise<AppInfo>;
}

/** Which sessions to list, and which page of them: by `limit` with `offset`, or with `page` from 1 on. */
export interface ListSessions extends UserRef, ClientCallOptions {
  limit?: number | undefined;
  offset?: number | undefined;
  page?: number | undefined;
  /** By the time of the last event: oldest first (`asc`) unless told otherwise. */
  order?: 'asc' | 'desc' | undefined;
}

/** Sessions without their events, and how many there are in all. */
export interface SessionsPage {
  sessions: SessionSummary[];
  totalItems: number;
}

/** What a session is made of elsewhere: its own state and its events. Plain JSON, for a file. */
export interface SessionFile {
  state: StateMap;
  events: Event[];
}

/** The sessions of a user. */
export interface SessionsClient {
  list(p: ListSessions): Promise<SessionsPage>;
  /** With its events, all or those of the window. 404 for an unknown one. */
  get(p: SessionRef & Omit<EventWindow, 'afterSeq'> & ClientCallOptions): Promise<Session>;
  /**
   * Without an id one is made; 409 for a taken one. With `events` it begins with these (an import): 400 for events that carry
   * what the runtime alone may write.
   */
  create(
    p: UserRef & {
      sessionId?: string | undefined;
      state?: StateDelta | undefined;
      events?: readonly Event[] | undefined;
    } & ClientCallOptions,
  ): Promise<Session>;
  /** Writes state as one committed event; null deletes a key. 403 for a scope that clients may not write. */
  updateState(p: SessionRef & { stateDelta: StateDelta } & ClientCallOptions): Promise<Session>;
  /** Gives it a name to show, under `__session_metadata__` in its state, as ADK's web UI does. */
  rename(p: SessionRef & { displayName: string } & ClientCallOptions): Promise<Session>;
  /** With its artifacts, and with `memory` what is remembered of it. Also when it is not there. */
  delete(p: SessionRef & { memory?: boolean | undefined } & ClientCallOptions): Promise<void>;
  /** What `create` takes to make it anew: its events, and its state without that of the user and the app. */
  export(p: SessionRef & ClientCallOptions): Promise<SessionFile>;
}

/** A user's files in a session; names may hold slashes, and a name that begins with `user:` is the user's in every session. */
export interface ArtifactsClient {
  /** Names, sorted. */
  list(p: SessionRef & ClientCallOptions): Promise<string[]>;
  /** The newest version unless one is named, as a part with `inlineData` (base64) or `text`. 404 where there is none. */
  load(p: ArtifactRef & { version?: number | undefined } & ClientCallOptions): Promise<Part>;
  /** Their numbers. 404 where there is none. */
  versions(p: ArtifactRef & ClientCallOptions): Promise<number[]>;
  /** What is known of a version besides its bytes; the newest unless one is named. */
  metadata(p: ArtifactRef & { version?: number | undefined } & ClientCallOptions): Promise<ArtifactVersion>;
  /** The same of every version. */
  listMetadata(p: ArtifactRef & ClientCallOptions): Promise<ArtifactVersion[]>;
  save(
    p: ArtifactRef & { artifact: Part; customMetadata?: JsonObject | undefined } & ClientCallOptions,
  ): Promise<ArtifactVersion>;
  /** All versions. */
  delete(p: ArtifactRef & ClientCallOptions): Promise<void>;
}

/** Which entries are looked for or listed: all given conditions must hold. */
export type MemoryConditions = Omit<MemoryFilter, 'metadata'>;

/** What is remembered of a user over all sessions of an app. 400 where the app has no memory. */
export interface MemoryClient {
  /** Best first, each with its `score`, and with `explain` what gave how much to it, where the service can tell. */
  search(
    p: UserRef & {
      query: string;
      limit?: number | undefined;
      minScore?: number | undefined;
      /** Smallest `relevance` of a result, from 0 to 1. Default: the service's. */
      minRelevance?: number | undefined;
      /** IANA name of the time zone of dates in the query. Default: UTC. */
      timeZone?: string | undefined;
      explain?: boolean | undefined;
      filter?: MemoryConditions | undefined;
    } & ClientCallOptions,
  ): Promise<MemoryEntry[]>;
  /** Newest last; `next` is the cursor of the following page, absent on the last one. */
  list(
    p: UserRef & {
      limit?: number | undefined;
      cursor?: string | undefined;
      filter?: MemoryConditions | undefined;
    } & ClientCallOptions,
  ): Promise<{ memories: MemoryEntry[]; next?: string | undefined }>;
  /** Keeps entries as they are, and answers them with their ids. One with the id of another takes its place. */
  add(p: UserRef & { memories: readonly NewMemory[] } & ClientCallOptions): Promise<MemoryEntry[]>;
  /** Corrects an entry: the members that are given take the place of its own. 404 for an unknown one. */
  update(
    p: UserRef & { id: string; change: Partial<Omit<MemoryEntry, 'id' | 'score'>> } & ClientCallOptions,
  ): Promise<MemoryEntry>;
  /** One entry, which does not come back by itself; with a fact goes its evidence, unless that is to be kept. */
  forget(p: UserRef & { id: string; keepEvidence?: boolean | undefined } & ClientCallOptions): Promise<void>;
  /** Everything. */
  forgetAll(p: UserRef & ClientCallOptions): Promise<void>;
  /** Adds what was said in a session; what is there already stays as it is. 404 for an unknown session. */
  saveSession(p: SessionRef & ClientCallOptions): Promise<void>;
}

/** What the server recorded of runs; it keeps the newest alone. */
export interface TracesClient {
  /** Empty where nothing was recorded. */
  ofSession(p: { appName: string; sessionId: string } & ClientCallOptions): Promise<TraceSpan[]>;
  /** The attributes of the span that an event came from; 404 where nothing was recorded. */
  ofEvent(p: { appName: string; eventId: string } & ClientCallOptions): Promise<JsonObject>;
}

/** How an app's agents and tools hang together. */
export interface GraphsClient {
  ofApp(p: { appName: string } & ClientCallOptions): Promise<AppGraph>;
  /** As a drawing in Graphviz's language; from the agent `node` on, if it is named (404 for an unknown one). */
  dot(
    p: { appName: string; darkMode?: boolean | undefined; node?: string | undefined } & ClientCallOptions,
  ): Promise<DotGraph>;
  /** The whole with what the event did marked. 404 for an unknown event. */
  ofEvent(p: SessionRef & { eventId: string; darkMode?: boolean | undefined } & ClientCallOptions): Promise<DotGraph>;
}

/** A message to send: a text, or a content of `user`. */
export type NewMessage = string | Content;
