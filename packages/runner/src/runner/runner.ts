import { systemRuntime, TholeError } from '@thole/core';
import { assertName } from '@thole/core/kit';
import type {
  Agent,
  AgentTree,
  ArtifactService,
  Content,
  Event,
  Llm,
  MemoryService,
  ModelFactory,
  Plugin,
  RunConfig,
  Runtime,
  SessionRef,
  SessionService,
  StateDelta,
  Toolset,
} from '@thole/core';
import { deleteAsRead } from './delete-session.ts';
import { SessionCache } from '../session/session-cache.ts';
import { CachedSession } from '../session/cached-session.ts';
import type { SessionKeeping } from '../session/cached-session.ts';
import { RunLeases } from '../session/lease.ts';
import { LlmCalls } from '../invocation/llm-calls.ts';
import { ownSession, readOnlyMemory, runChild } from './run-child.ts';
import type { RunTask } from '../invocation/run-task.ts';
import type { Run } from './run.ts';
import { RunHost } from './runner-deps.ts';
import type { RunnerDeps, SessionAccess } from './runner-deps.ts';
import { aborted } from '../invocation/run-errors.ts';
import { RunHandle } from './run.ts';
import { checkedSuggestions, checkedTree, checkRunnerOptions } from './runner-options.ts';
import type { RunnerOptions } from './runner-options.ts';
import { DeadlineTimer } from '../invocation/deadlines.ts';
import { toCompletion } from './to-completion.ts';
import type { Completion } from './to-completion.ts';
import { updateThroughPlugins } from './update-state.ts';

/** What one run is given. */
export interface RunRequest<T = unknown> {
  userId: string;
  /** Without one the run creates a session; `run.sessionId` is its id. */
  sessionId?: string | undefined;
  newMessage: string | Content;
  /** State written with the message; `temp:` keys are there for this invocation alone. */
  stateDelta?: StateDelta | undefined;
  runConfig?: RunConfig | undefined;
  abortSignal?: AbortSignal | undefined;
  /** Hands over the user's own event too. */
  yieldUserMessage?: boolean | undefined;
  /** The caller's own, for tools and callbacks; never stored. */
  deps?: T | undefined;
}

/**
 * Turns messages into committed events: one agent tree over its services. One run at a time for each session; sessions are kept
 * in memory between turns and read again only where others have written.
 */
export class Runner {
  readonly appName: string;
  readonly sessionService: SessionService;
  readonly memoryService?: MemoryService | undefined;
  readonly artifactService?: ArtifactService | undefined;
  /** The app's `suggestions`: first messages that a user interface may offer. Empty if the app has none. */
  readonly suggestions: readonly string[];
  readonly #plugins: readonly Plugin[];
  readonly #models: readonly ModelFactory[];
  readonly #runtime: Runtime;
  readonly #keeping: SessionKeeping;
  readonly #sweep: DeadlineTimer;
  readonly #runs: Set<RunTask> = new Set();
  readonly #toolsets: Set<Toolset> = new Set();
  readonly #modelsByName: Map<string, Llm> = new Map();
  readonly #house: RunnerDeps;
  #tree: AgentTree;
  #closed: Promise<void> | undefined;

  /** `INVALID_INPUT`, `DUPLICATE_NAME` or `MODEL_UNKNOWN` for what cannot run. */
  constructor(options: RunnerOptions) {
    const app = checkRunnerOptions(options);
    this.appName = app.name;
    this.sessionService = options.sessionService;
    this.memoryService = options.memoryService;
    this.artifactService = options.artifactService;
    this.suggestions = checkedSuggestions(options.app?.suggestions);
    this.#plugins = app.plugins ?? [];
    this.#models = app.models ?? [];
    this.#runtime = options.runtime ?? systemRuntime();
    this.#keeping = {
      service: options.sessionService,
      leases: new RunLeases(options.sessionService, this.#runtime, options.concurrency ?? {}),
      hot: new SessionCache(options.sessionService, options.hotSessions ?? 1_000),
      autoCreate: options.autoCreateSession ?? false,
    };
    this.#sweep = new DeadlineTimer(this.#runtime);
    this.#tree = checkedTree(app.rootAgent, this.#models);
    this.#house = {
      runtime: this.#runtime,
      plugins: this.#plugins,
      models: this.#models,
      memoryService: this.memoryService,
      artifactService: this.artifactService,
      sweep: this.#sweep,
      forcedTurns: { count: 0 },
      model: (name) => this.#model(name),
      usesToolset: (toolset) => void this.#toolsets.add(toolset),
      runChild,
      began: (run) => {
        if (this.#closed) throw new TholeError('INVALID_INPUT', 'The runner is closed.');
        this.#runs.add(run);
      },
      closed: (run) => void this.#runs.delete(run),
    };
  }

  /** The root agent. Another one serves the runs that begin afterwards. */
  get agent(): Agent {
    return this.#tree.root;
  }
  set agent(agent: Agent) {
    this.#tree = checkedTree(agent, this.#models);
  }

  /**
   * Runs one message. Never throws: what goes wrong comes from the iterable, as a `TholeError`. Begins when it is first read
   * (or `done` is asked for), with `runConfig: {reader: 'detached'}` at once.
   */
  runAsync<T = unknown>(p: RunRequest<T>): Run {
    return this.#run(p);
  }

  /** Runs one message to its end: the last answer's text, its parsed form where the agent has an `outputSchema`, all stored events, usage. */
  runToCompletion<O = unknown, T = unknown>(p: RunRequest<T>): Promise<Completion<O>> {
    return toCompletion<O>(this.#run(p), this.#tree);
  }

  /** Runs one message in a session of its own that is gone afterwards: reads memory and writes none, keeps no artifacts. */
  runEphemeral<T = unknown>(p: Omit<RunRequest<T>, 'sessionId'>): Run {
    const ref = { appName: this.appName, userId: p?.userId, sessionId: this.#runtime.newId('session') };
    const memoryService = this.memoryService && readOnlyMemory(this.memoryService);
    const house: RunnerDeps = { ...this.#house, memoryService, artifactService: undefined };
    const host = this.#hostFor(ref, p?.runConfig, house, ownSession(this.#runtime, ref, {}));
    return new RunHandle(host, p, ref.sessionId);
  }

  /** Writes state from outside a run, also while one is going on; plugins are called with the event. */
  async updateState(p: {
    userId: string;
    sessionId: string;
    stateDelta: StateDelta;
    signal?: AbortSignal | undefined;
  }): Promise<Event> {
    const ref = this.#ref(p);
    return updateThroughPlugins(ref, p.stateDelta, this.#hostFor(ref, undefined), p.signal);
  }

  /** The same as `updateState`: its name in earlier versions. */
  updateSessionState(p: Parameters<Runner['updateState']>[0]): Promise<Event> {
    return this.updateState(p);
  }

  /**
   * Deletes a session with its artifacts, and with `memory: true` what memory keeps of it. Whether there was one. With memory
   * `SESSION_BUSY`, and nothing deleted, for one in which something is said all the while.
   */
  async deleteSession(p: { userId: string; sessionId: string; memory?: boolean | undefined }): Promise<boolean> {
    const ref = this.#ref(p);
    if (p.memory && !this.memoryService?.deleteSessionMemory) {
      throw new TholeError('MEMORY_NOT_CONFIGURED', 'The runner has no memoryService that can forget a session.');
    }
    const { was, events } = await (p.memory
      ? deleteAsRead(this.sessionService, ref)
      : this.sessionService.deleteSession(ref).then((isDeleted) => ({ was: isDeleted, events: undefined })));
    this.#keeping.hot.forget(ref);
    await this.artifactService?.deleteSessionArtifacts(ref);
    // Who takes sessions into memory may have read this one by now: none of its events is to arrive there later.
    if (p.memory) await this.memoryService?.deleteSessionMemory?.({ ...ref, events });
    return was;
  }

  /** Deletes everything of one user: sessions, user state, artifacts and memory. */
  async deleteUserData(p: { userId: string }): Promise<void> {
    assertName('userId', p.userId);
    const user = { appName: this.appName, userId: p.userId };
    if (this.memoryService && !this.memoryService.deleteUserMemory) {
      throw new TholeError('MEMORY_NOT_CONFIGURED', "The runner's memoryService has no deleteUserMemory.");
    }
    await this.sessionService.deleteUserData(user);
    this.#keeping.hot.forgetUser(user);
    await this.artifactService?.deleteUserArtifacts(user);
    await this.memoryService?.deleteUserMemory?.(user);
  }

  /** Asks the run that holds a session to stop; false when none does, or another one than named. */
  async cancel(p: { userId: string; sessionId: string; invocationId?: string | undefined }): Promise<boolean> {
    return this.#keeping.leases.stop(this.#ref(p), p.invocationId);
  }

  /** Resolves when no run is going on. */
  async idle(): Promise<void> {
    while (this.#runs.size > 0) await Promise.all([...this.#runs].map((run) => run.closed));
  }

  /** Ends all runs, then closes toolsets and plugins. No run begins afterwards. */
  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    for (const run of this.#runs) run.stop(aborted(run.invocationId, 'The runner was closed.'));
    await this.idle();
    this.#sweep.close();
    const closing = [...this.#toolsets, ...this.#plugins].map(async (each) => each.close?.());
    for (const result of await Promise.allSettled(closing)) {
      if (result.status === 'rejected') this.#runtime.logger.error('Closing failed.', { error: String(result.reason) });
    }
  }

  // Nothing is thrown here, whatever was given: the run checks it, and throws from the iterable.
  #run<T>(p: RunRequest<T>): RunHandle {
    const makes = p?.sessionId === undefined;
    const sessionId = makes ? this.#runtime.newId('session') : (p.sessionId as string);
    const ref = { appName: this.appName, userId: p?.userId, sessionId };
    const session = new CachedSession(makes ? { ...this.#keeping, autoCreate: true } : this.#keeping, ref);
    return new RunHandle(this.#hostFor(ref, p?.runConfig, this.#house, session), p, sessionId);
  }

  #ref(p: { userId: string; sessionId: string }): SessionRef {
    assertName('userId', p.userId);
    assertName('sessionId', p.sessionId);
    return { appName: this.appName, userId: p.userId, sessionId: p.sessionId };
  }

  #hostFor(
    ref: SessionRef,
    runConfig: RunConfig | undefined,
    house: RunnerDeps = this.#house,
    session: SessionAccess = new CachedSession(this.#keeping, ref),
  ): RunHost {
    const calls = new LlmCalls(runConfig?.maxLlmCalls ?? 500);
    return new RunHost({ house, session, tree: this.#tree, calls, artifactRef: ref });
  }

  #model(name: string): Llm {
    let model = this.#modelsByName.get(name);
    if (!model) {
      const factory = this.#models.find((each) => each.supports(name));
      if (!factory) throw new TholeError('MODEL_UNKNOWN', `No model is called ${name}.`);
      this.#modelsByName.set(name, (model = factory.create(name)));
    }
    return model;
  }
}
