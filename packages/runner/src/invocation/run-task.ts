import { TholeError } from '@thole/core';
import type {
  AgentTree,
  Content,
  Event,
  Lease,
  MaybePromise,
  RunConfig,
  SessionRef,
  Span,
  StateMap,
} from '@thole/core';
import type { UnstoredChanges } from '../contexts/pending-changes.ts';
import type { LlmCalls } from '../flow/llm-calls.ts';
import type { RunInit, RunnerDeps } from '../runner/runner-deps.ts';
import type { LiveSession } from '../session/live-session.ts';
import type { SessionAccess } from '../session/session-cache.ts';
import { inSpan } from '../traces/run-trace.ts';
import type { RunTrace } from '../traces/run-trace.ts';
import { EventLoopTurns } from './busy-loops.ts';
import { closeRun } from './close-run.ts';
import { RunDeadlines } from './deadlines.ts';
import { beginRunTrace, openRun } from './open-run.ts';
import type { OpenRun } from './open-run.ts';
import { OutputQueue } from './output-queue.ts';
import { RunAgents } from './run-agents.ts';
import type { RunRequest } from './run-request.ts';
import { RunState, toRunError } from './run-state.ts';

/** One run, from its first read to the release of its lease. It ends by itself, also if its reader leaves. */
export class RunTask {
  readonly state: RunState;
  readonly invocationId: string;
  /** The unchecked request of the caller. It is checked when the run opens. */
  readonly request: RunRequest;
  readonly runConfig: RunConfig;
  readonly runner: RunnerDeps;
  readonly tree: AgentTree;
  readonly ref: SessionRef;
  readonly sessionAccess: SessionAccess;
  /** Session that the run's artifacts belong to. For a child run: the session of its parent. */
  readonly artifactRef: SessionRef;
  readonly calls: LlmCalls;
  /** Span of the call that runs this run as a child. */
  readonly parentSpan: Span | undefined;
  readonly beforeMessage: RunInit['beforeMessage'];
  readonly agents: RunAgents;
  readonly output: OutputQueue;
  readonly turns: EventLoopTurns;
  readonly deadlines: RunDeadlines;
  /** Values of `temp:` keys. They live as long as the run. */
  readonly temp: StateMap = {};
  /** State and artifact changes in events that are not stored yet. */
  readonly unstored: UnstoredChanges = new Map();
  /** Undefined if nothing is recorded. */
  trace: RunTrace | undefined;
  lease: Lease | undefined;
  /** Undefined until the session is open. */
  opened: OpenRun | undefined;
  /** Callbacks of `context.onClose`. */
  closeCallbacks: Set<() => void | Promise<void>> | undefined;
  /** True if `done` is resolved. */
  isDone: boolean = false;
  removeAbortListener: (() => void) | undefined;
  /** True after `context.endInvocation()`: no other agent begins. */
  ended: boolean = false;
  /** Number of model calls, tool calls and child runs that the run waits for. */
  pendingCalls: number = 0;
  /** True if the run waits for its reader after each event. */
  attached: boolean;
  /** Set if the reader left at a final response. `at` is a time of the monotonic clock. */
  left: { readonly error: TholeError; readonly at: number } | undefined;
  readonly #controller: AbortController = new AbortController();
  #done: PromiseWithResolvers<void> | undefined;

  constructor(init: RunInit, request: RunRequest) {
    const { runtime, forcedTurns } = init.runner;
    this.runner = init.runner;
    this.tree = init.tree;
    this.ref = init.ref;
    this.sessionAccess = init.sessionAccess;
    this.artifactRef = init.artifactRef;
    this.calls = init.calls;
    this.parentSpan = init.parentSpan;
    this.beforeMessage = init.beforeMessage;
    this.request = request;
    this.runConfig = request?.runConfig ?? {};
    this.invocationId = runtime.newId('invocation');
    this.state = new RunState(this.invocationId);
    this.attached = this.runConfig.reader !== 'detached';
    this.agents = new RunAgents(init.tree);
    this.output = new OutputQueue(runtime);
    this.turns = new EventLoopTurns(runtime, forcedTurns);
    this.deadlines = new RunDeadlines(this);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }
  get cleanupMs(): number {
    return this.runConfig.cleanupMs ?? 5_000;
  }
  get session(): LiveSession {
    return this.opened!.session;
  }
  get userContent(): Content {
    return this.opened!.userContent;
  }
  /** Resolves when the run is closed and its lease is released. Never rejects. */
  get done(): Promise<void> {
    if (this.isDone) return Promise.resolve();
    return (this.#done ??= Promise.withResolvers()).promise;
  }

  /** Begins the run if it is new. */
  begin(): void {
    if (!this.state.open()) return;
    this.deadlines.start();
    // The span begins in the reader's call, so that the reader's active span is its parent.
    this.trace = beginRunTrace(this);
    if (this.trace) inSpan(this.trace.root, () => this.#start());
    else this.#start();
  }

  /** Stops the run with this error: the signal of models and tools is aborted at once. A new run never begins. */
  stop(reason: unknown): void {
    const { state } = this;
    if (state.phase === 'new') {
      state.fail(toRunError(reason, this.agents.currentAuthor));
      void closeRun(this);
    } else if (state.phase === 'open' && !state.error) {
      const error = toRunError(reason, this.agents.currentAuthor);
      state.fail(error);
      this.#controller.abort(error);
      // The run does not wait for agents that ignore the signal, and stores nothing of them.
      queueMicrotask(() => this.#end());
    }
  }

  /**
   * Called when the reader leaves. At a final response the agents may end by themselves. The run stops with `RUN_LEFT` if
   * they use a model, a tool or another agent, or if they take longer than half of `cleanupMs`.
   */
  leave(p: { atFinalResponse: boolean }): void {
    const error = new TholeError('RUN_LEFT', 'The reader left the run.');
    const mayEnd = p.atFinalResponse && this.state.phase === 'open' && !this.state.error && this.pendingCalls === 0;
    if (!mayEnd) return this.stop(error);
    this.left = { error, at: this.runner.runtime.monotonic() };
    this.deadlines.after(this.cleanupMs / 2, () => this.stop(error));
  }

  /** Throws the reason if no agent, model call or tool call may begin: the run was stopped, or its reader left. */
  assertMayBegin(): void {
    this.signal.throwIfAborted();
    if (!this.left) return;
    this.stop(this.left.error);
    throw this.left.error;
  }

  /** Returns the stored event, or undefined if a plugin dropped it. Returns a partial event unchanged. */
  commit(event: Event): MaybePromise<Event | undefined> {
    this.state.throwIfStopped();
    return event.partial ? event : this.opened!.committer.commit(event);
  }

  /** Passes a partial event to the reader without waiting for it. */
  show(event: Event): void {
    if (this.state.phase !== 'open' || this.state.error) return;
    this.opened!.delivery.show(event, (error) => this.stop(error));
  }

  #start(): void {
    this.#execute().then(
      () => this.#end(),
      (error: unknown) => this.#end(error),
    );
  }

  async #execute(): Promise<void> {
    const steps = await openRun(this);
    if (!steps) return;
    let step = await steps.next();
    while (!step.done) {
      const turn = this.turns.next();
      if (turn) await turn;
      step = await steps.next(await this.opened!.delivery.emit(step.value));
    }
  }

  /** Called when the agents have ended, and after a stop. Only the first call counts. */
  #end(failure?: unknown): void {
    if (!this.state.beginClosing()) return;
    if (failure !== undefined && !this.state.error) {
      this.agents.endWith(failure);
      this.state.fail(toRunError(failure, this.agents.currentAuthor));
    }
    const { error } = this.state;
    if (error && !this.signal.aborted) this.#controller.abort(error);
    void closeRun(this);
  }

  /** Called when the lease is released, or when that takes too long. The reader gets the outcome. */
  finish(): void {
    if (this.isDone) return;
    this.isDone = true;
    this.removeAbortListener?.();
    this.deadlines.close();
    this.runner.deadlineTimer.remove(this);
    this.runner.removeRun(this);
    const { outcome } = this.state;
    const error = outcome?.status === 'failed' ? outcome.error : undefined;
    this.trace?.close(error);
    this.output.end(error?.code === 'RUN_LEFT' ? undefined : error);
    this.#done?.resolve();
  }
}
