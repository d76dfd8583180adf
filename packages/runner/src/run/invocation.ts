import { TholeError } from '@thole/core';
import type { Agent, Content, Event, Lease, MaybePromise, RunConfig, StateMap } from '@thole/core';
import { hasHook } from '../hooks/call-hooks.ts';
import { inSpan, RunTrace } from '../traces/run-trace.ts';
import type { AgentContext } from './agent-context.ts';
import { checkRunInput } from './check-run.ts';
import { canStoreAfter, closeRun, isQuiet } from './close-run.ts';
import { hollow } from './delivery.ts';
import { drive } from './drive.ts';
import type { LiveSession } from './live-session.ts';
import type { Reader } from './reader.ts';
import type { RunHost, RunOptions, WithinParent } from './run-host.ts';
import { RunLimits } from './run-limits.ts';
import { aborted, toRunError, toStoreError } from './run-errors.ts';
import type { RunScope } from './run-scope.ts';
import { RunWork } from './run-work.ts';
import type { Swept } from './sweep.ts';

/** The task behind a run: from the lease to the last commit. It lives until it has closed, whoever reads. */
export class Invocation implements RunScope, Swept {
  readonly invocationId: string;
  readonly temp: StateMap = {};
  readonly runConfig: RunConfig;
  readonly host: RunHost;
  readonly deps: unknown;
  readonly reader: Reader;
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
  /** Whether it waits for its reader, event by event. */
  attached: boolean;

  readonly #options: RunOptions;
  readonly #controller: AbortController = new AbortController();
  readonly #limits: RunLimits;
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
  #work: RunWork | undefined;
  #current: Agent | undefined;

  constructor(host: RunHost, options: RunOptions, reader: Reader) {
    this.host = host;
    this.deps = options.deps;
    this.#options = options;
    this.runConfig = options.runConfig ?? {};
    this.invocationId = host.runtime.newId('invocation');
    this.attached = this.runConfig.reader !== 'detached';
    this.reader = reader;
    this.#limits = new RunLimits(this);
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
  get signal(): AbortSignal {
    return this.#controller.signal;
  }
  get stopReason(): TholeError | undefined {
    return this.#stop;
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
    this.#work = new RunWork(this, live, undefined);
    return (await this.#work.committer.commit(event)) ?? hollow(event);
  }

  // ── the task

  #drive(): void {
    drive(
      () => this.#prepare(),
      (event) => this.#work!.delivery.emit(event),
    ).then(
      () => this.#end(),
      (error: unknown) => this.#end(error),
    );
  }

  #beginTrace(): RunTrace | undefined {
    const { artifactRef, parentSpan, runtime } = this.host;
    if (runtime.tracer.isSilent) return undefined;
    // Not checked yet: a run that is refused has its span too.
    const [userId, sessionId] = [this.#options.userId, this.#options.sessionId].map(String) as [string, string];
    const run = { invocationId: this.invocationId, appName: artifactRef.appName, userId, sessionId };
    return new RunTrace(runtime, run, parentSpan);
  }

  /** All that comes before the agent; answers its steps, unless a plugin has answered in its place. */
  async #prepare(): Promise<AsyncGenerator<Event, void, Event> | undefined> {
    this.host.house.began(this);
    const input = checkRunInput(this.#options, this.host.artifactRef.appName);
    this.#listenToCaller();
    const work = await this.#open();
    await work.takeMessage(input, { yieldsMessage: this.#options.yieldUserMessage === true });
    if (hasHook(this.host.plugins, 'beforeRunCallback') && (await work.isAnsweredInstead())) return undefined;
    return work.begin();
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

  async #open(): Promise<RunWork> {
    const { cleanupMs = 5_000 } = this.runConfig;
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
    return (this.#work = new RunWork(this, live, lease && this.host.session.fenceOf(lease)));
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
    if (failure !== undefined) this.#stop ??= toRunError(failure, this.#speaker);
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
      const failure = await closeRun({ run: this, root, committer, reader: this.reader, stop, record });
      if (failure !== undefined) this.#stop ??= toRunError(failure, author);
    }
    this.#close();
  }

  #close(): void {
    this.#phase = 'closed';
    const { house, runtime, session } = this.host;
    const [stop, work] = [this.#stop, this.#work];
    const isUnsure = stop !== undefined && (!canStoreAfter(stop) || !work?.isRecorded || work.committer.isBusy);
    if (isUnsure) session.forget();
    if (!this.#lease) return this.#over();
    // A store that does not answer keeps the lease until it runs out, but not the run.
    this.#overAt = runtime.monotonic() + (this.runConfig.cleanupMs ?? 5_000);
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
    this.host.house.sweep.remove(this);
    this.host.house.closed(this);
    this.trace?.close(this.#stop);
    this.reader.end(this.#stop && this.#stop.code !== 'RUN_LEFT' ? this.#stop : undefined);
    this.#waiting?.resolve();
  }
}

function noop(): void {}
