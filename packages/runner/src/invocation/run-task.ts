import { TholeError } from '@thole/core';
import type { InterruptLog } from '@thole/core/kit';
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
import type { UnstoredChanges } from './pending-changes.ts';
import type { LlmCalls } from '../flow/llm-calls.ts';
import { interruptsOf } from '../history/interrupt-fold.ts';
import { isBelow } from '../history/progress.ts';
import type { Progress } from '../history/progress.ts';
import { segmentsOf } from '../history/turn-segments.ts';
import type { TurnSegment } from '../history/turn-segments.ts';
import type { RunInit, RunnerDeps } from '../runner/runner-deps.ts';
import type { LiveSession } from '../session/live-session.ts';
import type { SessionAccess } from '../session/session-cache.ts';
import { inSpan } from '../traces/run-trace.ts';
import type { RunTrace } from '../traces/run-trace.ts';
import { closeRun } from './close-run.ts';
import { EventLoopTurns, RunDeadlines } from './deadlines.ts';
import { OutputQueue } from './delivery.ts';
import { beginRunTrace, continueInvocation, openRun } from './open-run.ts';
import type { AgentSteps, OpenRun } from './open-run.ts';
import { JoinedMessages } from '../resume/join-run.ts';
import type { RunRequest } from './run-request.ts';
import { RunAgents, RunState, toRunError } from './run-state.ts';

/** Shared by all runs: most of them have no paused agents and no updated calls. */
const emptySet: ReadonlySet<string> = new Set();

/** One run, from its first read to the release of its lease. It also ends if its reader leaves. */
export class RunTask {
  readonly state: RunState;
  /** Id of this run in its process. An invocation needs several runs after a pause or a crash. */
  readonly runId: string;
  /** Id of the invocation. For a resumed run without `invocationId` it is set when the run opens. */
  invocationId: string;
  /** The unchecked request of the caller. It is checked when the run opens. */
  readonly request: RunRequest;
  runConfig: RunConfig;
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
  readonly assertRepeated: RunInit['assertRepeated'];
  /** Set for a child run that can pause. */
  readonly childKey: string | undefined;
  readonly method: RunInit['method'];
  /** Set if the run continues an invocation. */
  resume: RunInit['resume'];
  /** Progress of the invocation before this run. Undefined in its first run. */
  progress: Progress | undefined;
  /** `seq` of the newest event when the session was opened. */
  seqAtStart: number = 0;
  /** Place (path) of the agent that began the invocation. Its events have no `nodeInfo.path`. */
  rootPlace: string = '';
  /** Messages and answers that other callers have added to this run. */
  readonly joined: JoinedMessages = new JoinedMessages();
  /** Ids of long-running calls that got an update in this run, if the model must see the update. */
  updatedCalls: ReadonlySet<string> = emptySet;
  /** True if the session is marked as having this unfinished invocation. */
  isMarked: boolean = false;
  /** True if the stored marks may not match the interrupts. The marks are then stored again with the next event. */
  hasUncertainMarks: boolean = false;
  /** Another unfinished invocation of the session. Its mark is stored again when the lease is released. */
  otherUnfinished: string | null = null;
  /** True if recovery does not continue the invocation now. */
  isSkipped: boolean = false;
  /** True if the run stops because its runner is closed, and another process may continue it. */
  isShutDown: boolean = false;
  readonly agents: RunAgents;
  readonly output: OutputQueue;
  readonly turns: EventLoopTurns;
  readonly deadlines: RunDeadlines;
  /** Values of `temp:` keys. They are dropped when the run ends. */
  readonly temp: StateMap = {};
  /** State and artifact changes in events that are not stored yet. Most runs have none. */
  unstored: UnstoredChanges | undefined;
  /** Ids of events with the answer of an `LlmAgent`'s `afterAgentCallback`, which is not the agent's output. Most runs have none. */
  additions: Set<string> | undefined;
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
  /**
   * Error that the reader receives at the end, although this run has not failed: another caller answered an interrupt first, at
   * the same time, or the run that this run has joined failed.
   */
  errorAtEnd: TholeError | undefined;
  /** Set if the reader left at a final response. `at` is a time of the monotonic clock. */
  readerExit: { readonly error: TholeError; readonly at: number } | undefined;
  /** Segments of earlier events by place, without those that `takeSegment` has returned. */
  #segments: Map<string, TurnSegment[]> | undefined;
  /** Places of the agents that wait for an answer from outside. */
  #paused: Set<string> | undefined;
  #shutDownReason: unknown;
  readonly #controller: AbortController = new AbortController();
  #done: PromiseWithResolvers<void> | undefined;
  #opened: PromiseWithResolvers<void> | undefined;
  /** True if the session is open and the invocation is known. */
  #isOpenReported = false;

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
    this.assertRepeated = init.assertRepeated;
    this.method = init.method;
    this.resume = init.resume;
    this.childKey = init.childKey;
    this.request = request;
    this.runConfig = request?.runConfig ?? {};
    this.runId = runtime.newId('run');
    this.invocationId = init.resume?.invocationId ?? runtime.newId('invocation');
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
  /** True if this run can pause. */
  get isResumable(): boolean {
    return this.runner.durability.isResumable && (!this.isChild || this.childKey !== undefined);
  }
  get isChild(): boolean {
    return this.artifactRef !== this.ref;
  }
  /** The interrupts of the session. */
  get interrupts(): InterruptLog {
    return interruptsOf(this.session);
  }
  /** True if an interrupt of this invocation is open. */
  get hasOpenInterrupts(): boolean {
    if (!this.opened) return false;
    for (const { interrupt } of this.interrupts.open) if (interrupt.invocationId === this.invocationId) return true;
    return false;
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

  /** Resolves when the session is open and the invocation is known. Rejects if the run ends before that. */
  get whenOpened(): Promise<void> {
    if (!this.#opened) {
      this.#opened = Promise.withResolvers();
      this.#opened.promise.catch(noop);
      if (this.#isOpenReported) this.#opened.resolve();
      else if (this.isDone) this.#rejectOpened();
    }
    return this.#opened.promise;
  }

  reportOpened(): void {
    this.#isOpenReported = true;
    this.#opened?.resolve();
  }

  #rejectOpened(): void {
    const { error } = this.state;
    this.#opened?.reject(error ?? new TholeError('RUN_ABORTED', `Invocation ${this.invocationId} has ended.`));
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
      // The run does not wait for agents that ignore the signal, and does not store their events.
      queueMicrotask(() => this.#end());
    }
  }

  /**
   * Stops the run because its runner is closed. In a durable session it stops after its next stored event, at the latest after
   * `timeoutMs`, and another process may continue it.
   */
  shutDown(timeoutMs: number, reason: unknown): void {
    this.isShutDown = this.isResumable && this.sessionAccess.isDurable;
    if (!this.isShutDown || timeoutMs === 0) return this.stop(reason);
    this.#shutDownReason = reason;
    this.deadlines.after(timeoutMs, () => this.stop(reason));
  }

  /** Called when an event was stored. */
  handleStoredEvent(): void {
    if (this.#shutDownReason !== undefined) this.stop(this.#shutDownReason);
  }

  /**
   * Called when the reader leaves. After a final response, the agents may end normally. The run stops with `RUN_LEFT` if they then
   * use a model, a tool or another agent, or take longer than half of `cleanupMs`. Before one, it stops at once.
   */
  leave(p: { atFinalResponse: boolean }): void {
    const error = new TholeError('RUN_LEFT', 'The reader left the run.');
    const mayEnd = p.atFinalResponse && this.state.phase === 'open' && !this.state.error && this.pendingCalls === 0;
    if (!mayEnd) return this.stop(error);
    this.readerExit = { error, at: this.runner.runtime.monotonic() };
    this.deadlines.after(this.cleanupMs / 2, () => this.stop(error));
  }

  /** Throws the reason if no agent, model call or tool call may begin: the run was stopped, or its reader left. */
  assertMayBegin(): void {
    this.signal.throwIfAborted();
    if (!this.readerExit) return;
    this.stop(this.readerExit.error);
    throw this.readerExit.error;
  }

  /** Called when the agent at this place waits for an answer. */
  markPaused(place: string): void {
    (this.#paused ??= new Set()).add(place);
  }

  /** True if an agent at this place or below it waits for an answer. */
  isPaused(place: string): boolean {
    for (const each of this.#paused ?? emptySet) if (isBelow(each, place)) return true;
    return false;
  }

  /**
   * Returns the earlier events of the next agent at this place. The first call returns the events of the first agent there, the
   * next call those of the agent to which it transferred. Undefined if there are no more events.
   */
  takeSegment(place: string): TurnSegment | undefined {
    return this.#segmentsAt(place)?.shift();
  }

  /** True if the next agent at this place has events. */
  hasSegment(place: string): boolean {
    return (this.#segmentsAt(place)?.[0]?.events.length ?? 0) > 0;
  }

  #segmentsAt(place: string): TurnSegment[] | undefined {
    if (!this.progress) return undefined;
    const known = (this.#segments ??= new Map());
    let segments = known.get(place);
    if (!segments) known.set(place, (segments = segmentsOf(this.progress.at(place))));
    return segments;
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
    this.#endAfter(this.#run(openRun));
  }

  #endAfter(running: Promise<void>): void {
    running.then(
      () => this.#end(),
      (error: unknown) => this.#end(error ?? new Error('undefined was thrown.')),
    );
  }

  /** Runs the steps that `begin` returns, and continues the invocation while messages join that no model has seen. */
  async #run(begin: (task: RunTask) => MaybePromise<AgentSteps | undefined>): Promise<void> {
    for (let steps = await begin(this); steps; steps = this.hasUnseenMessage ? continueInvocation(this) : undefined) {
      let step = await steps.next();
      while (!step.done) {
        const turn = this.turns.next();
        if (turn) await turn;
        const event = await this.opened!.delivery.emit(step.value);
        // The run may have been stopped while it waited for its reader.
        this.state.throwIfStopped();
        step = await steps.next(event);
      }
    }
  }

  /** True if an answer has joined, or a message that no model has seen. */
  get hasUnseenMessage(): boolean {
    return this.joined.hasUnseen && !this.ended;
  }

  /** Sets the earlier progress of the invocation. Agents that begin after this call continue from it. */
  setProgress(progress: Progress): void {
    this.progress = progress;
    this.#segments = undefined;
    this.joined.clear();
    this.#paused = undefined;
  }

  /** Continues the run: a message has joined while it closed. */
  reopen(): void {
    if (!this.state.reopen()) return;
    this.deadlines.limitRelease(Infinity);
    this.#endAfter(this.#run(continueInvocation));
  }

  /** Called when the agents have ended, and after a stop. Only the first call has an effect. */
  #end(failure?: unknown): void {
    if (!this.state.beginClosing()) return;
    if (failure !== undefined && !this.state.error) {
      this.agents.setFinalError(failure);
      this.state.fail(toRunError(failure, this.agents.currentAuthor));
    }
    const { error } = this.state;
    if (error && !this.signal.aborted) this.#controller.abort(error);
    void closeRun(this);
  }

  /** Called when the lease is released, or when the release takes too long. Passes the outcome to the reader. */
  finish(): void {
    if (this.isDone) return;
    this.isDone = true;
    this.removeAbortListener?.();
    this.deadlines.close();
    this.runner.deadlineTimer.remove(this);
    this.runner.removeRun(this);
    const { outcome } = this.state;
    const error = outcome?.status === 'failed' ? outcome.error : this.errorAtEnd;
    this.trace?.close(error);
    this.output.end(error?.code === 'RUN_LEFT' ? undefined : error);
    this.#done?.resolve();
    if (!this.#isOpenReported) this.#rejectOpened();
  }
}

function noop(): void {}
