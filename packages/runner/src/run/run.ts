import { createEvent, getFunctionResponses, setOwn, StatePrefix, TholeError } from '@thole/core';
import type {
  Agent,
  AgentTree,
  ArtifactService,
  ChildRun,
  Content,
  Event,
  Lease,
  Llm,
  MemoryService,
  Plugin,
  RunConfig,
  Runtime,
  SessionRef,
  StateMap,
  Toolset,
} from '@thole/core';
import { callPlugins } from '../hooks/call-hooks.ts';
import { AgentContext } from './agent-context.ts';
import { checkRunInput } from './check-run.ts';
import type { CheckedInput } from './check-run.ts';
import { canStoreAfter, closeRun } from './close-run.ts';
import { Committer } from './commit.ts';
import { drive } from './drive.ts';
import { checkAnswers, findAgentToRun } from './find-agent-to-run.ts';
import type { LiveSession } from './live-session.ts';
import { Reader } from './reader.ts';
import type { RunHost, RunOptions } from './run-host.ts';
import { RunLimits } from './run-limits.ts';
import type { RunScope } from './run-scope.ts';
import { saveInputBlobs } from './save-input-blobs.ts';
import { Strand } from './strand.ts';
import type { Swept } from './sweep.ts';
import { textsOf } from './texts-of.ts';

/** One invocation: its events as they happen. Errors come from the iterable; there is one reader. */
export interface Run extends AsyncIterableIterator<Event> {
  readonly invocationId: string;
  /** Resolves when the run has closed; never rejects. Without a reader it lets the run go on by itself. */
  readonly done: Promise<void>;
  /** Ends the run: `RUN_ABORTED`, with the reason as its cause. */
  abort(reason?: unknown): void;
  /** The run as text: partial texts as they come, whole ones where there were none. */
  text(): AsyncIterable<string>;
}

/** A run is a task that is read through an iterable: it lives until it has closed, whoever reads. */
export class RunTask implements Run, RunScope, Swept {
  readonly invocationId: string;
  readonly temp: StateMap = {};
  readonly runConfig: RunConfig;
  readonly closers: Set<() => void | Promise<void>> = new Set();
  readonly assertOpen: () => void = () => {
    if (this.#phase === 'closed') throw new TholeError('CONTEXT_CLOSED', `A context of invocation ${this.invocationId} was used after the run had ended.`);
  };
  ended: boolean = false;
  userContent: Content = {};

  readonly #host: RunHost;
  readonly #options: RunOptions;
  readonly #controller: AbortController = new AbortController();
  readonly #reader: Reader;
  readonly #limits: RunLimits;
  readonly #agents: Map<string, Agent> = new Map();
  readonly #closing: PromiseWithResolvers<void> = Promise.withResolvers();
  readonly #stopping: PromiseWithResolvers<never> = Promise.withResolvers();
  #phase: 'new' | 'open' | 'closing' | 'closed' = 'new';
  #attached: boolean;
  #hasReader: boolean = false;
  #recorded: boolean = false;
  #stop: TholeError | undefined;
  #live: LiveSession | undefined;
  #lease: Lease | undefined;
  #committer: Committer | undefined;
  #root: AgentContext | undefined;
  #current: Agent | undefined;
  #steps: AsyncGenerator<Event, void, Event> | undefined;

  constructor(host: RunHost, options: RunOptions) {
    this.#host = host;
    this.#options = options;
    this.runConfig = options.runConfig ?? {};
    this.invocationId = host.runtime.newId('invocation');
    this.#attached = this.runConfig.reader !== 'detached';
    this.#reader = new Reader(() => host.runtime.monotonic());
    this.#limits = new RunLimits({
      invocationId: this.invocationId,
      runtime: host.runtime,
      config: this.runConfig,
      reader: this.#reader,
      isAttached: () => this.#attached,
      stop: (error) => this.#stopWith(error),
    });
    if (!this.#attached) queueMicrotask(() => this.#begin());
  }

  // ── the reader's side

  next(): Promise<IteratorResult<Event>> {
    if (this.#reader.asking) return Promise.reject(secondReader());
    this.#begin();
    return this.#reader.next();
  }

  async return(): Promise<IteratorResult<Event>> {
    this.#reader.leave();
    if (this.#phase === 'new') this.#close();
    else if (this.#phase === 'open') this.#stopWith(new TholeError('RUN_LEFT', 'The reader left the run.'));
    await this.#closing.promise;
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    if (this.#hasReader) throw secondReader();
    this.#hasReader = true;
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  text(): AsyncIterable<string> {
    const reader = this[Symbol.asyncIterator]();
    return textsOf({ [Symbol.asyncIterator]: () => reader });
  }

  get done(): Promise<void> {
    if (!this.#hasReader && this.#phase === 'new') this.#attached = false;
    this.#begin();
    return this.#closing.promise;
  }

  abort(reason?: unknown): void {
    this.stop(new TholeError('RUN_ABORTED', `Invocation ${this.invocationId} was aborted.`, { cause: reason }));
  }

  /** Ends the run with this error: model and tools hear the signal at once. */
  stop(error: TholeError): void {
    if (this.#phase === 'new') {
      this.#phase = 'open';
      this.#stop = error;
      this.#close();
    } else if (this.#phase === 'open') {
      this.#stopWith(error);
    }
  }

  // ── what contexts share

  get live(): LiveSession {
    return this.#live!;
  }
  get signal(): AbortSignal {
    return this.#controller.signal;
  }
  get runtime(): Runtime {
    return this.#host.runtime;
  }
  get deps(): unknown {
    return this.#options.deps;
  }
  get tree(): AgentTree {
    return this.#host.tree;
  }
  get plugins(): readonly Plugin[] {
    return this.#host.plugins;
  }
  get memoryService(): MemoryService | undefined {
    return this.#host.memoryService;
  }
  get artifactService(): ArtifactService | undefined {
    return this.#host.artifactService;
  }
  get artifactRef(): SessionRef {
    return this.#host.artifactRef;
  }

  countLlmCall(): void {
    const { calls } = this.#host;
    if (calls.made >= calls.most) {
      throw new TholeError('LLM_CALL_LIMIT', `Invocation ${this.invocationId} has made ${calls.most} model calls, all that maxLlmCalls allows.`);
    }
    calls.made++;
  }

  entered(agent: Agent): void {
    this.#current = agent;
    if (this.tree.find(agent.name) !== agent) this.#agents.set(agent.name, agent);
  }

  async commit(event: Event): Promise<Event> {
    this.#throwIfStopped();
    if (event.partial) return event;
    return (await this.#committer!.commit(event)) ?? hollow(event);
  }

  show(event: Event): void {
    if (this.#phase !== 'open' || this.#stop) return;
    if (!this.#committer!.listened) return this.#reader.push(event);
    this.#committer!.hear(event).then(
      (heard) => heard && this.#reader.push(heard),
      (error: unknown) => this.#stopWith(error),
    );
  }

  model(name: string): Llm {
    return this.#host.model(name);
  }

  usesToolset(toolset: Toolset): void {
    this.#host.usesToolset(toolset);
  }

  runChild(p: ChildRun & { parentState: StateMap }): AsyncIterable<Event> {
    return this.#host.runChild(this, p);
  }

  sweep(now: number): number {
    return this.#phase === 'open' ? this.#limits.check(now) : Infinity;
  }

  /** One event, outside any run, on the way that all events go. */
  async commitAlone(live: LiveSession, event: Event): Promise<Event> {
    this.#use(live, undefined);
    return (await this.#committer!.commit(event)) ?? hollow(event);
  }

  // ── the task

  #begin(): void {
    if (this.#phase !== 'new') return;
    this.#phase = 'open';
    this.#stopping.promise.catch(noop);
    void this.#main();
  }

  async #main(): Promise<void> {
    let failure: unknown;
    try {
      this.#host.began(this);
      await Promise.race([this.#work(), this.#stopping.promise]);
    } catch (error) {
      failure = error;
    }
    if (failure !== undefined) this.#stop ??= toTholeError(failure, (this.#current ?? this.tree.root).name);
    await this.#finish();
  }

  async #work(): Promise<void> {
    const input = checkRunInput(this.#options);
    this.#listenToCaller();
    await this.#open();
    checkAnswers(this.live.log, input.message);
    this.#recorded = true;
    const message = await this.#commitMessage(input);
    const instead = this.plugins.length > 0 && (await callPlugins(this.plugins, 'beforeRunCallback', { invocationContext: this.#root! }));
    if (instead) {
      const event = createEvent({ author: this.tree.root.name, invocationId: this.invocationId, content: { role: 'model', ...instead } }, this.runtime);
      const stored = await this.#root!.commit(event);
      await this.#handOver(stored);
      return;
    }
    const agent = findAgentToRun(this.live.log, this.tree, message);
    this.#steps = this.#root!.runAgent(agent);
    await drive(this.#steps, (event) => this.#emit(event));
  }

  #listenToCaller(): void {
    const { abortSignal } = this.#options;
    if (!abortSignal) return;
    const abort = (): void => this.abort(abortSignal.reason);
    if (abortSignal.aborted) {
      abort();
      this.#throwIfStopped();
    }
    abortSignal.addEventListener('abort', abort, { once: true });
    void this.#closing.promise.then(() => abortSignal.removeEventListener('abort', abort));
  }

  async #open(): Promise<void> {
    const { cleanupMs = 5_000 } = this.runConfig;
    const taking = this.#host.takeLease({ invocationId: this.invocationId, cleanupMs, signal: this.signal });
    const lease = await taking;
    if (this.#phase !== 'open') {
      await lease?.release();
      this.#throwIfStopped();
    }
    if (lease) this.#hold(lease);
    this.#use(await this.#host.open(lease, this.signal), lease && this.#host.fenceOf(lease));
  }

  #use(live: LiveSession, fence: string | undefined): void {
    this.#live = live;
    this.#root = new AgentContext(this, this.tree.root, new Strand(live, this.temp, this.assertOpen));
    this.#current = this.tree.root;
    this.#committer = new Committer({
      service: this.#host.sessionService,
      live,
      fence,
      plugins: this.plugins,
      runtime: this.runtime,
      customMetadata: this.runConfig.customMetadata,
      agentNamed: (author) => this.#agents.get(author) ?? this.tree.find(author),
      context: () => this.#root!,
      keepTemp: (event) => this.#keepTemp(event),
    });
  }

  #hold(lease: Lease): void {
    this.#lease = lease;
    this.#limits.renew(lease);
    for (const signal of [lease.stop, lease.lost]) {
      if (signal.aborted) this.#stopWith(signal.reason);
      else signal.addEventListener('abort', () => this.#stopWith(signal.reason), { once: true });
    }
    this.#host.sweep.add(this);
  }

  async #commitMessage(input: CheckedInput): Promise<Content> {
    this.userContent = input.message;
    const replaced = this.plugins.length > 0 && (await callPlugins(this.plugins, 'onUserMessageCallback', { invocationContext: this.#root!, userMessage: input.message }));
    let message: Content = replaced ? { ...replaced, role: 'user' } : input.message;
    if (this.runConfig.saveInputBlobsAsArtifacts) message = await saveInputBlobs(this.#root!, message);
    this.userContent = message;
    const event = createEvent(
      { author: 'user', invocationId: this.invocationId, content: message, actions: { stateDelta: input.stateDelta } },
      this.runtime,
    );
    const stored = await this.#root!.commit(event);
    if (stored.content) this.userContent = stored.content;
    if (this.#options.yieldUserMessage && stored.seq !== undefined) await this.#handOver(stored);
    return this.userContent;
  }

  async #emit(event: Event): Promise<Event> {
    if (this.#stop) throw this.#stop;
    if (event.partial) {
      const heard = this.#committer!.listened ? await this.#committer!.hear(event) : event;
      if (heard) await this.#handOver(heard);
      return heard ?? event;
    }
    const stored = this.#isStored(event) ? event : await this.#committer!.commit(event);
    if (!stored) return hollow(event);
    this.#throwIfStopped();
    await this.#handOver(stored);
    return stored;
  }

  /** Whether an agent yields what it has committed before: then it is only handed over. */
  #isStored(event: Event): boolean {
    if (event.seq === undefined) return false;
    const { log, lastSeq } = this.live;
    return log.at(log.length - 1 - (lastSeq - event.seq)) === event;
  }

  async #handOver(event: Event): Promise<void> {
    if (!this.#attached || holdsOnlyAnswers(event)) return this.#reader.push(event);
    await this.#reader.pushAndWait(event);
    this.#throwIfStopped();
  }

  #keepTemp(event: Event): void {
    const delta = event.actions.stateDelta;
    for (const key in delta) {
      if (!key.startsWith(StatePrefix.TEMP)) continue;
      if (delta[key] === null) delete this.temp[key];
      else setOwn(this.temp, key, delta[key]!);
    }
  }

  #throwIfStopped(): void {
    if (this.#stop && this.#phase !== 'closing') throw this.#stop;
    if (this.#phase === 'closed') throw this.#stop ?? new TholeError('CONTEXT_CLOSED', `Invocation ${this.invocationId} has ended.`);
  }

  #stopWith(reason: unknown): void {
    if (this.#stop || this.#phase !== 'open') return;
    const error = toTholeError(reason, (this.#current ?? this.tree.root).name);
    this.#stop = error;
    this.#controller.abort(error);
    this.#stopping.reject(error);
  }

  // ── the end

  async #finish(): Promise<void> {
    this.#phase = 'closing';
    const stop = this.#stop;
    if (stop && !this.signal.aborted) this.#controller.abort(stop);
    // Not awaited: an agent that ignores its signal must not hold up the end of its run.
    if (stop) this.#steps?.return().catch(noop);
    if (this.#committer) {
      const closing = { run: this, root: this.#root!, committer: this.#committer, reader: this.#reader, stop };
      const author = (this.#current ?? this.tree.root).name;
      const failure = await closeRun({ ...closing, record: this.#recorded ? author : undefined });
      if (failure !== undefined) this.#stop ??= toTholeError(failure, author);
    }
    this.#close();
  }

  #close(): void {
    this.#phase = 'closed';
    const stop = this.#stop;
    if (stop && (!canStoreAfter(stop) || !this.#recorded)) this.#host.forget();
    this.#host.sweep.remove(this);
    const release = this.#lease?.release() ?? Promise.resolve();
    const finish = (): void => {
      this.#host.closed(this);
      this.#reader.end(stop && stop.code !== 'RUN_LEFT' ? stop : undefined);
      this.#closing.resolve();
    };
    release.then(finish, (error: unknown) => {
      this.runtime.logger.warn('A lease was not let go.', { invocationId: this.invocationId, error: String(error) });
      finish();
    });
  }
}

function holdsOnlyAnswers(event: Event): boolean {
  const parts = event.content?.parts;
  return parts !== undefined && parts.length > 0 && getFunctionResponses(event).length === parts.length;
}

/** What the agent goes on with when a plugin dropped its event: as if it had said and done nothing. */
function hollow(event: Event): Event {
  return createEvent({ id: event.id, author: event.author, invocationId: event.invocationId, timestamp: event.timestamp });
}

function toTholeError(error: unknown, agentName: string): TholeError {
  if (TholeError.is(error)) return error;
  return new TholeError('AGENT_FAILED', `Agent ${agentName} failed with an error of its own; it is the cause.`, { cause: error });
}

function secondReader(): TholeError {
  return new TholeError('INVALID_INPUT', 'A run has one reader, and this one is being read already.');
}

function noop(): void {}
