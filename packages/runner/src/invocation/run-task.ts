import { TholeError } from '@thole/core';
import type { Agent, Content, Event, Lease, MaybePromise, RunConfig, StateMap, Usage } from '@thole/core';
import { hasHook } from '../hooks/call-hooks.ts';
import { inSpan, RunTrace } from '../traces/run-trace.ts';
import type { AgentContext } from '../contexts/agent-context.ts';
import { checkRunInput } from './run-request.ts';
import { canStoreAfter, closeRun, isQuiet } from './close-run.ts';
import { emptyEvent } from '../session/stored-event.ts';
import { drive } from './drive.ts';
import { EventLoopTurns } from './event-loop-turns.ts';
import type { LiveSession } from '../session/live-session.ts';
import type { OutputQueue } from './output-queue.ts';
import type { RunHost, RunOptions, WithinParent } from '../runner/runner-deps.ts';
import { RunLimits } from './run-limits.ts';
import { aborted, toRunError, toStoreError } from './run-errors.ts';
import type { RunScope } from './run-scope.ts';
import { OpenRun } from './open-run.ts';
import type { UnstoredChanges } from '../contexts/pending-changes.ts';
import type { HasDeadline } from './deadlines.ts';

/** The task behind a run: from the lease to the last commit. It lives until it has closed, whoever reads. */
export class RunTask implements RunScope, HasDeadline {
  readonly invocationId: string;
  readonly temp: StateMap = {};
  readonly runConfig: RunConfig;
  readonly host: RunHost;
  readonly deps: unknown;
  readonly reader: OutputQueue;
  trace: RunTrace | undefined;
  closers: Set<() => void | Promise<void>> | undefined;
  readonly assertOpen: () => void = () => {
    if (this.#isClosed)
      throw new TholeError(
        'CONTEXT_CLOSED',
        `A context of invocation ${this.invocationId} was used after the run had ended.`,
      );
  };
  ended: boolean = false;
  readonly unstored: UnstoredChanges = new Map();
  underWay: number = 0;
  /** Whether it waits for its reader, event by event. */
  attached: boolean;

  readonly #options: RunOptions;
  readonly #sessionId: string;
  readonly #controller: AbortController = new AbortController();
  readonly #limits: RunLimits;
  readonly #turns: EventLoopTurns;
  /** Aborted when the run is over: ends the timers that hold the process for it. */
  #timers: AbortController | undefined;
  /** The reader left at a final response, at this time of the monotonic clock. */
  #left: { readonly error: TholeError; readonly at: number } | undefined;
  #failure: { readonly error: unknown; readonly agent: Agent } | undefined;
  /** Agents that ran and are not in the tree. */
  #strangers: Map<string, Agent> | undefined;
  /** For those that wait for the end, if anyone does. */
  #waiting: PromiseWithResolvers<void> | undefined;
  #unlisten: () => void = noop;
  /** When it is over even if the store has not taken the lease back. */
  #overAt: number = Infinity;
  #phase: 'new' | 'open' | 'closing' | 'closed' | 'over' = 'new';
  #stop: TholeError | undefined;
  #lease: Lease | undefined;
  #work: OpenRun | undefined;
  #current: Agent | undefined;

  constructor(host: RunHost, options: RunOptions, { reader, sessionId }: { reader: OutputQueue; sessionId: string }) {
    this.host = host;
    this.#options = options;
    this.#sessionId = sessionId;
    // Not checked yet, so it may be anything.
    this.deps = options?.deps;
    this.runConfig = options?.runConfig ?? {};
    this.invocationId = host.runtime.newId('invocation');
    this.attached = this.runConfig.reader !== 'detached';
    this.reader = reader;
    this.#limits = new RunLimits(this);
    this.#turns = new EventLoopTurns(host.runtime, host.house.forcedTurns);
  }

  /** Resolves when the invocation has closed; never rejects. */
  get closed(): Promise<void> {
    if (this.#phase === 'over') return Promise.resolve();
    return (this.#waiting ??= Promise.withResolvers()).promise;
  }

  get isNew(): boolean {
    return this.#phase === 'new';
  }

  begin(): void {
    if (this.#phase !== 'new') return;
    this.#phase = 'open';
    this.#limitTime();
    // The span begins where the reader is, so that what is active there is above it.
    this.trace = this.#beginTrace();
    if (this.trace) inSpan(this.trace.root, () => this.#drive());
    else this.#drive();
  }

  /** Ends it with this error: model and tools hear the signal at once. One that has not begun never will. */
  stop(reason: unknown): void {
    if (this.#phase === 'new') {
      this.#stop = toRunError(reason, this.#speaker);
      this.#close();
    } else {
      this.#stopWith(reason);
    }
  }

  /**
   * The reader has left. At a final response the agents may end by themselves: then so did the run. It is stopped with `RUN_LEFT`
   * where a model, a tool or another agent is under way or asked for, or where the agents take half of `cleanupMs`.
   */
  leave(p: { atFinalResponse: boolean }): void {
    const error = new TholeError('RUN_LEFT', 'The reader left the run.');
    if (!p.atFinalResponse || this.#phase !== 'open' || this.#stop || this.underWay > 0) return this.stop(error);
    this.#left = { error, at: this.host.runtime.monotonic() };
    this.#after(this.#cleanupMs / 2, () => this.stop(error));
  }

  // ── what contexts share

  get live(): LiveSession {
    return this.#work!.live;
  }
  get root(): AgentContext {
    return this.#work!.root;
  }
  get userContent(): Content {
    return this.#work!.userContent;
  }
  get usage(): Usage {
    return this.host.calls.usage;
  }
  get signal(): AbortSignal {
    return this.#controller.signal;
  }
  get stopReason(): TholeError | undefined {
    return this.#stop;
  }

  assertMayBegin(): void {
    this.signal.throwIfAborted();
    if (!this.#left) return;
    this.stop(this.#left.error);
    throw this.#left.error;
  }

  eventLoopTurn(): Promise<void> | undefined {
    return this.#turns.next();
  }

  failedIn(agent: Agent, error: unknown): void {
    if (this.#failure?.error !== error) this.#failure = { error, agent };
  }

  entered(agent: Agent): void {
    this.#current = agent;
    if (this.host.tree.find(agent.name) !== agent) (this.#strangers ??= new Map()).set(agent.name, agent);
  }

  agentNamed(author: string): Agent | undefined {
    return this.#strangers?.get(author) ?? this.host.tree.find(author);
  }

  commit(event: Event): MaybePromise<Event | undefined> {
    this.throwIfStopped();
    return event.partial ? event : this.#work!.committer.commit(event);
  }

  show(event: Event): void {
    if (this.#phase !== 'open' || this.#stop) return;
    this.#work!.delivery.show(event, (error) => this.#stopWith(error));
  }

  runChild(p: WithinParent): AsyncIterable<Event> {
    return this.host.house.runChild(this, p);
  }

  sweep(now: number): number {
    if (this.#phase === 'open') return this.#limits.check(now);
    if (now >= this.#overAt) this.#over();
    return this.#phase === 'closed' ? this.#overAt : Infinity;
  }

  /** One event, outside any run, on the way that all events go. */
  async commitAlone(live: LiveSession, event: Event): Promise<Event> {
    this.#work = new OpenRun(this, live, undefined);
    return (await this.#work.committer.commit(event)) ?? emptyEvent(event);
  }

  // ── the task

  #drive(): void {
    drive(
      () => this.#prepare(),
      (event) => this.#work!.delivery.emit(event),
      () => this.#turns.next(),
    ).then(
      () => this.#end(),
      (error: unknown) => this.#end(error),
    );
  }

  #beginTrace(): RunTrace | undefined {
    const { artifactRef, parentSpan, runtime } = this.host;
    if (runtime.tracer.isSilent) return undefined;
    // Not checked yet: a run that is refused has its span too.
    const [userId, sessionId] = [this.#options?.userId, this.#sessionId].map(String) as [string, string];
    const run = { invocationId: this.invocationId, appName: artifactRef.appName, userId, sessionId };
    return new RunTrace(runtime, run, parentSpan);
  }

  /** All that comes before the agent; answers its steps, unless a plugin has answered in its place. */
  async #prepare(): Promise<AsyncGenerator<Event, void, Event> | undefined> {
    this.host.house.began(this);
    const { appName } = this.host.artifactRef;
    const input = checkRunInput(this.#options, { appName, sessionId: this.#sessionId });
    this.#listenToCaller();
    const work = await this.#open();
    await work.takeMessage(input, { yieldsMessage: this.#options.yieldUserMessage === true });
    if (hasHook(this.host.plugins, 'beforeRunCallback') && (await work.isAnsweredInstead())) return undefined;
    return work.begin();
  }

  get #cleanupMs(): number {
    return this.runConfig.cleanupMs ?? 5_000;
  }

  #limitTime(): void {
    const limitMs = this.runConfig.timeLimitMs;
    if (limitMs === undefined) return;
    const error = (): TholeError =>
      new TholeError('RUN_TIME_LIMIT', `Invocation ${this.invocationId} took longer than ${limitMs} ms.`);
    this.#after(limitMs, () => this.#stopWith(error()));
  }

  // A sleep holds the process: a run whose time is limited does not vanish with a process that has nothing else to do.
  #after(ms: number, work: () => void): void {
    this.#timers ??= new AbortController();
    this.host.runtime.sleep(ms, this.#timers.signal).then(work, noop);
  }

  #listenToCaller(): void {
    const { abortSignal } = this.#options;
    if (!abortSignal) return;
    const abort = (): void => this.stop(aborted(this.invocationId, abortSignal.reason));
    if (abortSignal.aborted) {
      abort();
      this.throwIfStopped();
    }
    abortSignal.addEventListener('abort', abort, { once: true });
    this.#unlisten = () => abortSignal.removeEventListener('abort', abort);
  }

  async #open(): Promise<OpenRun> {
    const cleanupMs = this.#cleanupMs;
    const lease = await this.host.session.takeLease({
      invocationId: this.invocationId,
      cleanupMs,
      signal: this.signal,
      onEnd: (error) => this.#stopWith(error),
    });
    if (this.#phase !== 'open') {
      await lease?.release();
      this.throwIfStopped();
    }
    this.#lease = lease;
    if (lease) this.#limits.renew(lease);
    this.host.house.sweep.add(this);
    const live = await this.host.session.open(lease, this.signal).catch((error: unknown) => {
      throw toStoreError(error);
    });
    this.#current = this.host.tree.root;
    return (this.#work = new OpenRun(this, live, lease && this.host.session.fenceOf(lease)));
  }

  /** Throws why the run ends, or has ended; what cleans up behind it may go on. */
  throwIfStopped(): void {
    if (this.#stop && this.#phase !== 'closing') throw this.#stop;
    if (this.#isClosed)
      throw this.#stop ?? new TholeError('CONTEXT_CLOSED', `Invocation ${this.invocationId} has ended.`);
  }

  // The work itself may go on for a while after a stop: nothing waits for it, and nothing of it is stored.
  #stopWith(reason: unknown): void {
    if (this.#stop || this.#phase !== 'open') return;
    this.#stop = toRunError(reason, this.#speaker);
    this.#controller.abort(this.#stop);
    queueMicrotask(() => this.#end());
  }

  get #isClosed(): boolean {
    return this.#phase === 'closed' || this.#phase === 'over';
  }

  get #speaker(): string {
    return (this.#current ?? this.host.tree.root).name;
  }

  // ── the end

  /** The work has ended, or was stopped: what comes first counts. */
  #end(failure?: unknown): void {
    if (this.#phase !== 'open') return;
    if (failure !== undefined && !this.#stop) {
      if (this.#failure?.error === failure) this.#current = this.#failure.agent;
      this.#stop = toRunError(failure, this.#speaker);
    }
    void this.#finish();
  }

  async #finish(): Promise<void> {
    this.#phase = 'closing';
    const stop = this.#stop;
    if (stop && !this.signal.aborted) this.#controller.abort(stop);
    // Not awaited: an agent that ignores its signal must not hold up the end of its run.
    const work = this.#work;
    if (stop) work?.steps?.return().catch(noop);
    if (work && !(isQuiet({ run: this, stop }) && !work.root.hasPending())) {
      const { root, committer, isRecorded } = work;
      const author = this.#speaker;
      const record = isRecorded ? author : undefined;
      const spentMs = this.#left ? this.host.runtime.monotonic() - this.#left.at : 0;
      const limitMs = this.#cleanupMs - Math.min(spentMs, this.#cleanupMs / 2);
      const closing = { run: this, root, committer, reader: this.reader, stop, record, limitMs };
      const failure = await closeRun(closing);
      if (failure !== undefined) this.#stop ??= toRunError(failure, author);
    }
    this.#close();
  }

  #close(): void {
    this.#phase = 'closed';
    const { house, runtime, session } = this.host;
    const [stop, work] = [this.#stop, this.#work];
    const isUnsure = stop !== undefined && (!canStoreAfter(stop) || !work?.isRecorded || work.committer.isBusy);
    if (!this.#lease) return this.#over();
    if (isUnsure) session.forget();
    // A store that does not answer keeps the lease until it runs out, but not the run.
    this.#overAt = runtime.monotonic() + this.#cleanupMs;
    house.sweep.add(this);
    this.#lease.release().then(
      () => this.#over(),
      (error: unknown) => {
        runtime.logger.warn('A lease was not let go.', { invocationId: this.invocationId, error: String(error) });
        this.#over();
      },
    );
  }

  #over(): void {
    if (this.#phase === 'over') return;
    this.#phase = 'over';
    this.#unlisten();
    this.#timers?.abort('over');
    this.host.house.sweep.remove(this);
    this.host.house.closed(this);
    this.trace?.close(this.#stop);
    this.reader.end(this.#stop && this.#stop.code !== 'RUN_LEFT' ? this.#stop : undefined);
    this.#waiting?.resolve();
  }
}

function noop(): void {}
