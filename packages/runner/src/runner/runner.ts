// For programs without the types of Node: declares `Symbol.asyncDispose`.
/// <reference lib="esnext.disposable" preserve="true" />
import { systemRuntime, TholeError } from '@thole/core';
import {
  assertDuration,
  assertName,
  errorFields,
  invalidInput,
  rejectUnknownOptions,
  withTimeLimit,
} from '@thole/core/kit';
import type {
  Agent,
  AgentTree,
  App,
  ArtifactService,
  CompactionOptions,
  Event,
  Interrupt,
  Llm,
  MemoryService,
  ModelFactory,
  Plugin,
  RunConfig,
  Session,
  SessionRef,
  SessionService,
  StateDelta,
  Toolset,
} from '@thole/core';
import type { CompactionResult } from '../compaction/compaction-record.ts';
import { Compactor } from '../compaction/compactor.ts';
import { assertSummarizer, summarizerOf } from '../compaction/summarizer-of.ts';
import { LlmCalls } from '../flow/llm-calls.ts';
import { logFailure } from '../hooks/log-failure.ts';
import { noErrorHookCodes } from '../invocation/close-run.ts';
import { DeadlineTimer } from '../invocation/deadlines.ts';
import { assertOwnApp } from '../invocation/run-request.ts';
import type { ResumeRequest, RunRequest } from '../invocation/run-request.ts';
import { abortedError } from '../invocation/run-state.ts';
import type { RunTask } from '../invocation/run-task.ts';
import { recover, resumeOne } from '../resume/recover.ts';
import type { RecoveredInvocation, RecoverOptions, RecoveryInit, RecoveryResult } from '../resume/recover.ts';
import { WakeTimers } from '../resume/wake-timers.ts';
import type { PausedContext } from '../resume/wake-timers.ts';
import { forkSession } from '../rewind/fork-session.ts';
import type { ForkRequest } from '../rewind/fork-session.ts';
import { inMemorySession } from '../session/in-memory-session.ts';
import { SessionLeases } from '../session/lease.ts';
import type { Concurrency } from '../session/lease.ts';
import { CachedSession, SessionCache } from '../session/session-cache.ts';
import { deleteSession, deleteUserData } from './delete-session.ts';
import type { StoredData } from './delete-session.ts';
import { readOnlyMemory, runChild } from './run-child.ts';
import { RunHandle, readToCompletion } from './run.ts';
import type { Completion, Run } from './run.ts';
import type { RunInit, RunnerDeps } from './runner-deps.ts';
import { checkRunnerOptions, createAgentTree } from './runner-options.ts';
import type { RunnerOptions } from './runner-options.ts';
import { cancelInvocation, readInterrupts, regenerate, rewind, updateState } from './session-requests.ts';
import type { RegenerateRequest, RewindRequest } from './session-requests.ts';

/** Argument of `Runner.compact`. */
export interface CompactRequest {
  readonly userId: string;
  readonly sessionId: string;
  /** True to call no model and to store nothing. */
  readonly dryRun?: boolean | undefined;
}

/** Default of `runConfig.maxLlmCalls`. */
const MAX_LLM_CALLS = 500;
/** Maximum time that `close` waits for active compactions, in milliseconds. */
const COMPACTION_CLOSE_MS = 30_000;
/** Maximum time that `close` waits for a toolset or a plugin to close, in milliseconds. */
const PART_CLOSE_MS = 10_000;

/**
 * Runs an agent tree: processes each message into stored events. A session has one run at a time. Sessions are cached
 * between runs: a run reads only the changes of other writers.
 */
export class Runner {
  readonly appName: string;
  readonly sessionService: SessionService;
  readonly memoryService?: MemoryService | undefined;
  readonly artifactService?: ArtifactService | undefined;
  /** `suggestions` of the app: first messages that a user interface may offer. Empty by default. */
  readonly suggestions: readonly string[];
  readonly #deps: RunnerDeps;
  readonly #cache: SessionCache;
  readonly #leases: SessionLeases;
  readonly #autoCreate: boolean;
  readonly #runs: Set<RunTask> = new Set();
  readonly #toolsets: Set<Toolset> = new Set();
  readonly #models: Map<string, Llm> = new Map();
  readonly #costOf: App['costOf'];
  readonly #wakeTimers: WakeTimers;
  readonly #compactor: Compactor | undefined;
  #tree: AgentTree;
  #closed: Promise<void> | undefined;

  /** Throws `INVALID_INPUT`, `DUPLICATE_NAME` or `MODEL_UNKNOWN` for wrong options or agents. */
  constructor(options: RunnerOptions) {
    const { name, models, plugins, rootAgent, suggestions, compaction, contextCache, costOf, durability } =
      checkRunnerOptions(options);
    const { artifactService, concurrency = {}, memoryService, sessionService } = options;
    const runtime = options.runtime ?? systemRuntime();
    this.appName = name;
    this.sessionService = sessionService;
    this.memoryService = memoryService;
    this.artifactService = artifactService;
    this.suggestions = suggestions;
    this.#cache = new SessionCache(sessionService, options.maxCachedSessions ?? 1_000);
    this.#leases = new SessionLeases(sessionService, runtime, concurrency);
    this.#autoCreate = options.autoCreateSession ?? false;
    this.#costOf = costOf;
    this.#tree = createAgentTree(rootAgent, models);
    this.#deps = {
      runtime,
      plugins,
      models,
      durability,
      authenticator: options.authenticator,
      contextCache,
      memoryService,
      artifactService,
      deadlineTimer: new DeadlineTimer(runtime),
      forcedTurns: { count: 0 },
      findModel: (model) => this.#findModel(model, models),
      addToolset: (toolset) => void this.#toolsets.add(toolset),
      runChild,
      addRun: (task) => {
        if (this.#closed) throw new TholeError('INVALID_INPUT', 'The runner is closed.');
        this.#runs.add(task);
      },
      removeRun: (task) => {
        this.#runs.delete(task);
        this.#compactor?.afterRun(task);
        if (!this.#closed) this.#wakeTimers.afterRun(task);
      },
    };
    this.#wakeTimers = new WakeTimers(runtime, (invocation, context) => {
      if (!this.#closed) void this.#wake(invocation, context);
    });
    this.#compactor = compaction && this.#createCompactor(compaction);
  }

  #createCompactor(options: CompactionOptions): Compactor {
    assertSummarizer(options, this.#tree);
    return new Compactor({
      options,
      service: this.sessionService,
      leases: this.#leases,
      summarizer: () => options.summarizer ?? summarizerOf(this.#tree, this.#deps),
      initOf: (ref) => this.#initOf(ref),
    });
  }

  /** The root agent. A new value applies to runs that begin later. */
  get agent(): Agent {
    return this.#tree.root;
  }
  set agent(agent: Agent) {
    this.#tree = createAgentTree(agent, this.#deps.models);
  }

  /**
   * Runs the agents for one message. Never throws: the iterable throws all errors, as `TholeError`. The run begins when the
   * iterable or `done` is first read; with `runConfig: { reader: 'detached' }` it begins at once.
   */
  runAsync<T = unknown>(p: RunRequest<T>): Run {
    return this.#run(p);
  }

  /** Runs the agents for one message and resolves with the last answer and all events. Rejects with the error of the run. */
  runToCompletion<O = unknown, T = unknown>(p: RunRequest<T>): Promise<Completion<O>> {
    return readToCompletion<O>(this.#run(p), this.#tree);
  }

  /**
   * Continues an invocation that is paused, failed or unfinished, with answers by interrupt id. Default of `invocationId`: the
   * invocation of the answers, otherwise the only one that is unfinished or paused. The iterable throws `INTERRUPT_NOT_FOUND`,
   * `INTERRUPT_ANSWERED`, `INTERRUPT_EXPIRED`, `INTERRUPT_MISMATCH`, `ANSWER_INVALID`, `ARGUMENTS_NOT_EDITABLE`,
   * `INVOCATION_NOT_FOUND` or `INVOCATION_ENDED` before anything is stored.
   */
  resume<T = unknown>(p: ResumeRequest<T>): Run {
    const { answers = {}, ...request } = p ?? {};
    const { invocationId, runConfig, sessionId, userId } = request;
    const init = this.#initOf({ appName: this.appName, userId, sessionId }, runConfig);
    return new RunHandle({ ...init, resume: { invocationId, answers } }, request);
  }

  /** Returns the open interrupts of a session, oldest first. Throws `SESSION_NOT_FOUND`. */
  async pendingInterrupts(p: {
    userId: string;
    sessionId: string;
    signal?: AbortSignal | undefined;
  }): Promise<Interrupt[]> {
    return readInterrupts(this.sessionService, this.#refOf('pendingInterrupts', p, { signal: true }), p.signal);
  }

  /** Runs the agents in a new session that is not stored. Memory is only read, and artifacts are not available. */
  runEphemeral<T = unknown>(p: Omit<RunRequest<T>, 'sessionId' | 'invocationId' | 'answeredBy'>): Run {
    const { runtime } = this.#deps;
    const ref = { appName: this.appName, userId: p?.userId, sessionId: runtime.newId('session') };
    const memoryService = this.memoryService && readOnlyMemory(this.memoryService);
    const init = this.#initOf(ref, p?.runConfig);
    const runner: RunnerDeps = { ...this.#deps, memoryService, artifactService: undefined };
    const sessionAccess = inMemorySession(runtime, ref, {});
    return new RunHandle({ ...init, method: 'runEphemeral', runner, sessionAccess }, p);
  }

  /**
   * Writes state outside of a run and returns the stored event. May be called during a run. Plugins receive the event. Throws
   * `SESSION_NOT_FOUND` for a session that does not exist, also with `autoCreateSession`.
   */
  async updateState(p: {
    userId: string;
    sessionId: string;
    stateDelta: StateDelta;
    signal?: AbortSignal | undefined;
  }): Promise<Event> {
    const ref = this.#refOf('updateState', p, { stateDelta: true, signal: true });
    return updateState(this.#initOf(ref), p.stateDelta, p.signal);
  }

  /** Alias of `updateState`. */
  updateSessionState(p: Parameters<Runner['updateState']>[0]): Promise<Event> {
    return this.updateState(p);
  }

  /**
   * Deletes a session and its artifacts, and with `memory: true` its memory. Returns true if the session existed. Its open
   * interrupts are closed: a later answer throws `SESSION_NOT_FOUND`. With `memory` it throws `SESSION_BUSY`, and deletes
   * nothing, if new events keep arriving.
   */
  async deleteSession(p: { userId: string; sessionId: string; memory?: boolean | undefined }): Promise<boolean> {
    const ref = this.#refOf('deleteSession', p, { memory: true });
    return deleteSession(this.#storedData, ref, { memory: p.memory === true });
  }

  /** Deletes all data of a user: sessions, state, artifacts, memory and credentials. */
  async deleteUserData(p: { userId: string }): Promise<void> {
    rejectUnknownOptions(p, ['appName', 'userId'], 'deleteUserData');
    assertOwnApp(p, this.appName);
    assertName('userId', p.userId);
    return deleteUserData(this.#storedData, { appName: this.appName, userId: p.userId });
  }

  /**
   * Signals the active run of a session to stop. Otherwise, if `invocationId` names a paused or unfinished invocation, ends it
   * with `RUN_ABORTED` and closes its interrupts. Returns false if there is nothing to cancel. The process of the run may have
   * died on another machine before it received the signal. Then `recover` continues the invocation after the lease has
   * expired, unless `cancel` is called again with `invocationId`.
   */
  async cancel(p: { userId: string; sessionId: string; invocationId?: string | undefined }): Promise<boolean> {
    const ref = this.#refOf('cancel', p, { invocationId: true });
    if (await this.#leases.requestStop(ref, p.invocationId)) return true;
    if (p.invocationId === undefined || !this.#deps.durability.isResumable) return false;
    return cancelInvocation(this.#initOf(ref), p.invocationId);
  }

  /**
   * Resumes the invocations of this app that crashed processes left unfinished, and those with due timers or expired
   * interrupts. Skips sessions with an active run. Call it when the process starts, and regularly afterwards. Throws
   * `LEASING_NOT_SUPPORTED` if the session service has no leases or no list of waiting sessions.
   */
  recover<T = unknown>(options: RecoverOptions<T> = {}): AsyncIterable<RecoveryResult> {
    return recover(this.#recovery, options as RecoverOptions);
  }

  /** Resumes an invocation whose interrupt is due. Logs its error, because there is no caller that receives it. */
  async #wake(invocation: RecoveredInvocation, context: PausedContext): Promise<void> {
    const { error } = await resumeOne(this.#recovery, invocation, { contextFor: () => context });
    if (!error || noErrorHookCodes.has(error.code)) return;
    const where = { ...invocation.ref, invocationId: invocation.invocationId, runtime: this.#deps.runtime };
    logFailure(where, 'An invocation could not continue when it was due.', error);
  }

  get #recovery(): RecoveryInit {
    return {
      appName: this.appName,
      service: this.sessionService,
      runtime: this.#deps.runtime,
      createRun: (ref, request, resume) => {
        const init = this.#initOf(ref, request.runConfig, false, { policy: 'reject' });
        return new RunHandle({ ...init, resume }, request);
      },
    };
  }

  /**
   * Removes an invocation and everything after its first event: prompts, the choice of the agent and memory ignore these
   * events. Restores the session's own state and its artifacts; `user:` and `app:` state stays. Waits for an active run.
   * Returns the stored marker. Throws `INVOCATION_NOT_FOUND`, and `REWIND_SPLITS_CALL` if the rewind would remove the answer of
   * a call but not the call. Stores nothing if it throws.
   */
  async rewind(p: RewindRequest): Promise<Event> {
    const names = { rewindBeforeInvocationId: true, keepMemory: true, signal: true } as const;
    return rewind(this.#initOf(this.#refOf('rewind', p, names)), p);
  }

  /**
   * Removes an invocation, as `rewind` does, and answers its message or `newMessage`, in one run under one lease. The run
   * throws the errors of `rewind` before anything is stored.
   */
  regenerate<T = unknown>(p: RegenerateRequest<T>): Run {
    const ref = { appName: this.appName, userId: p?.userId, sessionId: p?.sessionId };
    return regenerate(this.#initOf(ref, p?.runConfig), p);
  }

  /**
   * Copies a session with its events, its own state and the artifacts that the events name. May be called during a run. In the copy,
   * calls without an answer, interrupts and timers are closed. Throws `SESSION_NOT_FOUND`, `INVOCATION_NOT_FOUND`,
   * `SESSION_ALREADY_EXISTS`, `ARTIFACT_NOT_CONFIGURED` or `INVALID_INPUT` before anything is stored.
   */
  async fork(p: ForkRequest): Promise<Session> {
    const { artifactService, sessionService } = this;
    const { runtime } = this.#deps;
    const names = { beforeInvocationId: true, uptoSeq: true, newSessionId: true, signal: true } as const;
    const ref = this.#refOf('fork', p, names);
    return forkSession({ artifactService, runtime, sessionService }, ref, p);
  }

  /**
   * Summarizes older events of a session now, whether or not a rule of `App.compaction` is due. Returns one result for each
   * branch, and an empty list if there is nothing to summarize. With `dryRun` it calls no model and stores nothing. Throws
   * `SESSION_NOT_FOUND`, `COMPACTION_FAILED` if the summarizer fails, and `INVALID_INPUT` if the app has no `compaction`.
   */
  async compact(p: CompactRequest): Promise<CompactionResult[]> {
    const ref = this.#refOf('compact', p, { dryRun: true });
    if (!this.#compactor)
      throw new TholeError('INVALID_INPUT', 'compact() needs the option compaction in the app of the runner.');
    return this.#compactor.compact(ref, p.dryRun === true);
  }

  /** Resolves when no run and no compaction is active. */
  async idle(): Promise<void> {
    while (this.#runs.size > 0 || this.#compactor?.isBusy) {
      await Promise.all([...this.#runs].map((task) => task.done));
      await this.#compactor?.idle();
    }
  }

  /**
   * Stops all runs, then closes toolsets and plugins, and waits for each of them at most 10 seconds. Later runs end with
   * `INVALID_INPUT`. With a durable session service a run stops after its next stored event, at the latest after `timeoutMs`
   * (default 0), and another process may continue it.
   */
  async close(p: { timeoutMs?: number | undefined } = {}): Promise<void> {
    rejectUnknownOptions(p, ['timeoutMs'], 'close');
    const { timeoutMs = 0 } = p;
    if (timeoutMs !== 0) assertDuration('timeoutMs', timeoutMs);
    return (this.#closed ??= this.#close(timeoutMs));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(timeoutMs: number): Promise<void> {
    const { deadlineTimer, plugins, runtime } = this.#deps;
    for (const task of this.#runs) task.shutDown(timeoutMs, abortedError(task.invocationId, 'The runner was closed.'));
    await this.#compactor?.close(runtime, COMPACTION_CLOSE_MS);
    await this.idle();
    deadlineTimer.close();
    this.#wakeTimers.close();
    const closing = [...this.#toolsets, ...plugins].map((part) =>
      withTimeLimit({ runtime, ms: PART_CLOSE_MS, timeoutError: () => closeTimeout(part) }, async () => part.close?.()),
    );
    for (const result of await Promise.allSettled(closing)) {
      if (result.status === 'rejected')
        runtime.logger.error('Closing a toolset or plugin failed.', { ...errorFields(result.reason) });
    }
  }

  // Does not check the request: the run checks it, so that the iterable throws the error.
  #run(p: RunRequest): RunHandle {
    const isNew = p?.sessionId === undefined;
    const sessionId = isNew ? this.#deps.runtime.newId('session') : (p.sessionId as string);
    const ref = { appName: this.appName, userId: p?.userId, sessionId };
    const init = this.#initOf(ref, p?.runConfig, isNew || this.#autoCreate);
    const isResume =
      this.#deps.durability.isResumable && (p?.invocationId !== undefined || hasResponses(p?.newMessage));
    return new RunHandle(isResume ? { ...init, resume: { invocationId: p?.invocationId, answers: {} } } : init, p);
  }

  #initOf(ref: SessionRef, runConfig?: RunConfig, autoCreate = false, concurrency?: Concurrency): RunInit {
    const { maxLlmCalls = MAX_LLM_CALLS, limits } = runConfig ?? {};
    const calls = new LlmCalls({ maxCalls: maxLlmCalls, limits, costOf: this.#costOf });
    const sessionAccess = new CachedSession(this.#cache, this.#leases, ref, { autoCreate, concurrency });
    return { runner: this.#deps, ref, sessionAccess, tree: this.#tree, calls, artifactRef: ref };
  }

  /** Returns the session of a request. `others`: the options of the method other than `appName`, `userId` and `sessionId`. */
  #refOf<P extends { userId: string; sessionId: string }>(
    method: string,
    p: P,
    others: Record<Exclude<keyof P, 'userId' | 'sessionId'>, true>,
  ): SessionRef {
    rejectUnknownOptions(p, ['appName', 'userId', 'sessionId', ...Object.keys(others)], method);
    assertOwnApp(p, this.appName);
    assertName('userId', p.userId);
    assertName('sessionId', p.sessionId);
    return { appName: this.appName, userId: p.userId, sessionId: p.sessionId };
  }

  get #storedData(): StoredData {
    const { artifactService, memoryService, sessionService } = this;
    const { authenticator } = this.#deps;
    const inMemory = { cache: this.#cache, wakeTimers: this.#wakeTimers };
    return { artifactService, authenticator, memoryService, sessionService, ...inMemory };
  }

  #findModel(name: string, factories: readonly ModelFactory[]): Llm {
    let model = this.#models.get(name);
    if (!model) {
      const factory = factories.find((each) => each.supports(name));
      if (!factory) throw new TholeError('MODEL_UNKNOWN', `No model factory of the runner supports "${name}".`);
      model = factory.create(name);
      if (typeof model?.generateContentAsync !== 'function')
        throw invalidInput(`The result of create of the model factory for "${name}"`, 'a model', model);
      this.#models.set(name, model);
    }
    return model;
  }
}

function closeTimeout(part: Toolset | Plugin): TholeError {
  const message = (name: string): string => `close() of ${name} did not end within ${PART_CLOSE_MS} ms.`;
  if ('getTools' in part) return new TholeError('TOOL_FAILED', message('a toolset'));
  return new TholeError('PLUGIN_FAILED', message(`the plugin "${part.name}"`));
}

function hasResponses(message: RunRequest['newMessage']): boolean {
  if (typeof message !== 'object' || message === null || !Array.isArray(message.parts)) return false;
  return message.parts.some((part) => Boolean(part?.functionResponse));
}
