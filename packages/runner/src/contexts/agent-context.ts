import { createEvent } from '@thole/core';
import { callInterceptorOf } from '@thole/core/kit';
import type { InterruptLog } from '@thole/core/kit';
import type {
  Agent,
  AgentTree,
  ChildRun,
  ContextCacheHint,
  Event,
  InputRequest,
  InvocationContext,
  Json,
  Llm,
  MaybePromise,
  Plugin,
  RunConfig,
  Span,
  State,
  StepFunction,
  Toolset,
  Usage,
} from '@thole/core';
import { childAnswers, childRequest } from '../flow/child-request.ts';
import { CHANGES_ONLY } from '../history/progress.ts';
import type { ChildLog, Progress } from '../history/progress.ts';
import type { TurnSegment } from '../history/turn-segments.ts';
import { forgetSignIn } from '../hooks/forget-sign-in.ts';
import { RunPaused } from '../hooks/run-paused.ts';
import { modelNameOf } from '../request/find-model.ts';
import { isLlmAgent } from '../request/is-llm-agent.ts';
import type { ChildCall, Durability } from '../runner/runner-deps.ts';
import type { AgentCall, FlowSupport, LoopRounds, OpenToolContext, ToolContextInit } from '../hooks/flow-support.ts';
import type { PendingChanges } from '../invocation/pending-changes.ts';
import type { RunTask } from '../invocation/run-task.ts';
import type { JoinedMessages } from '../resume/join-run.ts';
import { emptyEvent } from '../session/live-session.ts';
import type { RunTrace } from '../traces/run-trace.ts';
import { BaseContext } from './base-context.ts';
import { contextCacheHintOf, idempotencyKeyOf } from './place-keys.ts';
import type { CallPlace } from './place-keys.ts';
import { runAgent } from './run-agent.ts';
import { AgentWaits, EventReplay, NOT_STORED, runStepOnce } from './recorded-work.ts';
import { ToolCallContext } from './tool-call-context.ts';

/** Arguments of `AgentContext`. */
export interface AgentContextInit {
  readonly changes: PendingChanges;
  readonly span: Span | undefined;
  readonly branch?: string | undefined;
  readonly place?: string | undefined;
  /** Context of the agent that runs this agent. */
  readonly parent?: AgentContext | undefined;
}

/** Context of one agent in a run. The runner's own flow uses it too, as `FlowSupport`. */
export class AgentContext<T = unknown> extends BaseContext<T> implements InvocationContext<T>, FlowSupport {
  readonly agent: Agent;
  readonly branch?: string;
  readonly changes: PendingChanges;
  /** Path of this agent's call: the names of the agents from the root, with `#n` for the n-th call by the same parent. */
  readonly place: string;
  /** Number of agents around this agent. */
  readonly depth: number;
  readonly #parent: AgentContext | undefined;
  /** Counts of calls by agent and of steps by name. */
  #counts: Map<string, number> | undefined;
  #replay: EventReplay | undefined;
  /** Ids of the events since the last stored one that were not stored. */
  #notStored: string[] | undefined;
  #waits: AgentWaits | undefined;

  constructor(task: RunTask, agent: Agent, p: AgentContextInit) {
    super(task, agent.name, p.span);
    this.agent = agent;
    this.changes = p.changes;
    this.#parent = p.parent;
    this.place = p.place ?? '';
    this.depth = p.parent ? p.parent.depth + 1 : 0;
    if (p.branch !== undefined) this.branch = p.branch;
  }

  get state(): State {
    return this.changes.state;
  }
  get tree(): AgentTree {
    return this.task.tree;
  }
  get runConfig(): RunConfig {
    return this.task.runConfig;
  }
  get plugins(): readonly Plugin[] {
    return this.task.runner.plugins;
  }
  get ended(): boolean {
    return this.task.ended;
  }

  endInvocation(): void {
    this.task.ended = true;
  }

  countLlmCall(): void {
    this.countModelCall(this.lastSeq);
  }

  onClose(fn: () => void | Promise<void>): () => void {
    const callbacks = (this.task.closeCallbacks ??= new Set());
    callbacks.add(fn);
    return () => void callbacks.delete(fn);
  }

  async commit(event: Event): Promise<Event> {
    const replayed = this.findReplayed(event);
    if (replayed) return replayed;
    const prepared = this.prepareOwn(event);
    const stored = (await this.task.commit(prepared)) ?? emptyEvent(event);
    this.recordOutcome(prepared, stored);
    return stored;
  }

  async *runAgent(
    agent: Agent,
    p: { branch?: string | undefined } = {},
  ): AsyncGenerator<Event, void, Event | undefined> {
    const { steps, place } = this.callAgent(agent, p);
    yield* steps;
    if (this.isPaused(place)) throw new RunPaused(`Agent ${agent.name} waits for an answer.`);
  }

  async step<R extends Json | undefined | void>(name: string, fn: StepFunction<R>): Promise<R> {
    const n = this.#count(`step ${name}`);
    const { childKey, invocationId } = this.task;
    // Each attempt of a child run has another invocation id, so the key of its call is used instead.
    const stepId = JSON.stringify([...(childKey === undefined ? [invocationId] : []), this.place, name, n]);
    return runStepOnce(
      this.task,
      { path: this.place, name, n },
      {
        fn: interceptedStep(this, { name, n }, fn),
        idempotencyKey: idempotencyKeyOf(this.task, this.callPlace(), stepId),
        signal: this.signal,
        author: this.agentName,
        commit: (event) => this.task.commit(this.prepareEvent(event)),
      },
    );
  }

  requestInput(p: InputRequest): Promise<Json> {
    return this.#waiting().requestInput(p);
  }

  sleep(ms: number): Promise<void> {
    return this.#waiting().sleep(ms);
  }

  sleepUntil(time: number): Promise<void> {
    return this.#waiting().sleepUntil(time);
  }

  runChild(p: ChildRun): AsyncIterable<Event> {
    return this.startChild(p, this.task.isResumable ? this.#childCall() : undefined);
  }

  /** Returns the next child run of this agent. Its log is stored when it ends or pauses, so that ended work does not run again. */
  #childCall(): ChildCall {
    const callId = `agent ${this.place}`;
    const n = this.#count('child');
    const { invocationId, runtime, task } = this;
    const waits = this.#waiting();
    const requests = waits.requestsOfChild(n);
    return {
      key: idempotencyKeyOf(task, this.callPlace(), JSON.stringify([task.childKey ?? invocationId, callId, n])),
      earlier: task.progress?.childOf(callId, n),
      answers: childAnswers(requests, n),
      ...(requests.some(({ isOpen }) => isOpen) && { wait: () => waits.pauseForChild() }),
      completed: (log) => this.storeChildLog({ ...log, callId, n, isComplete: true }),
      pause: async (log, opened) => {
        await this.storeChildLog({ ...log, callId, n });
        const origin = { runtime, call: undefined, n };
        await waits.record(opened.map((each) => childRequest(origin, each)));
        return waits.pauseForChild();
      },
    };
  }

  // ── for the runner's own code

  /** Returns the context of an agent in the same run. */
  withAgent(agent: Agent, p: AgentContextInit): AgentContext {
    return new AgentContext(this.task, agent, p);
  }

  /** Calls a sub-agent at the next free place for its name. */
  callAgent(agent: Agent, p: { branch?: string | undefined } = {}): AgentCall {
    const n = this.#count(`agent ${agent?.name}`);
    const place = `${this.place}/${agent?.name}${n > 1 ? `#${n}` : ''}`;
    return { steps: runAgent(this.task, this, agent, { branch: p.branch ?? this.branch, place }), place };
  }

  transferTo(agent: Agent): AsyncGenerator<Event, void, Event | undefined> {
    const place = isLlmAgent(agent) ? this.place : `${this.place}/${agent.name}`;
    return runAgent(this.task, this, agent, { branch: this.branch, place, isTransfer: true });
  }

  takeSegment(): TurnSegment | undefined {
    return this.task.takeSegment(this.place);
  }

  markPaused(): void {
    this.task.markPaused(this.place);
  }

  isPaused(place: string): boolean {
    return this.task.isPaused(place);
  }

  /** Called if the agent runs again, with its stored events. */
  startReplay(events: readonly Event[]): void {
    this.#replay = new EventReplay(this.agentName, this.place, events);
  }

  /** True if the agent has not yielded all of its earlier events again. */
  get isReplaying(): boolean {
    return this.#replay?.isActive === true;
  }

  /** Returns the stored event that this event repeats. Throws `RESUME_DIVERGED` if they differ. */
  findReplayed(event: Event): Event | undefined {
    if (event.seq === undefined) return this.#replay?.next(event);
    // An event that `commit` has returned. The reader of an earlier run has received it.
    const { seqAtStart, session } = this.task;
    return this.#replay && event.seq <= seqAtStart && session.contains(event) ? event : undefined;
  }

  /** Sets the invocation, branch and path of a new event and adds the pending changes. Returns a stored event unchanged. */
  prepareEvent(event: Event): Event {
    if (event.seq !== undefined) return event;
    const { branch, invocationId } = this;
    const isForeign = event.invocationId !== invocationId || (branch !== undefined && event.branch === undefined);
    const own = isForeign ? { ...event, invocationId, branch: event.branch ?? branch } : event;
    return this.changes.addTo(this.#hasPath && !own.nodeInfo?.path ? { ...own, nodeInfo: this.#nodeInfoOf(own) } : own);
  }

  /** Prepares an event that the agent yields. It names the events before it that were not stored, so that a replay skips them. */
  prepareOwn(event: Event): Event {
    const prepared = this.prepareEvent(event);
    if (!this.#notStored || prepared.seq !== undefined || prepared.partial || !this.#isOwn(prepared)) return prepared;
    return { ...prepared, nodeInfo: { ...prepared.nodeInfo, [NOT_STORED]: this.#notStored } };
  }

  /** Records whether an event was stored. `stored` has no `seq` if it was not. */
  recordOutcome(prepared: Event, stored: Event): void {
    if (prepared.partial || !this.#isOwn(prepared) || !this.task.isResumable) return;
    if (stored.seq === undefined) (this.#notStored ??= []).push(prepared.id);
    else this.#notStored = undefined;
  }

  /** True unless the event is an event of an agent that this agent runs. */
  #isOwn({ nodeInfo }: Event): boolean {
    return nodeInfo?.path === undefined ? !this.#hasPath : nodeInfo.path === this.place;
  }

  /** Stores an event of a tool call. Changes of hooks and agents stay pending for the event with the answer. */
  commitWithoutChanges(event: Event): MaybePromise<Event | undefined> {
    const { branch } = this;
    const own = branch === undefined ? event : { ...event, branch };
    return this.task.commit(this.#hasPath ? { ...own, nodeInfo: this.#nodeInfoOf(own) } : own);
  }

  /** Stores the log of a child run. */
  async storeChildLog(log: ChildLog): Promise<void> {
    const { agentName: author, invocationId, runtime } = this;
    const customMetadata = { child: log as unknown as Json };
    await this.commitWithoutChanges(createEvent({ author, invocationId, customMetadata }, runtime));
  }

  /** True if there are changes that no event contains. */
  hasPending(): boolean {
    return this.changes.hasPending();
  }

  /** Returns an event with the pending changes, or undefined if there are none. */
  pendingEvent(): Event | undefined {
    if (!this.hasPending()) return undefined;
    const { agentName: author, invocationId, branch, runtime } = this;
    const nodeInfo = { [CHANGES_ONLY]: true };
    return this.prepareEvent(createEvent({ author, invocationId, branch, nodeInfo }, runtime));
  }

  /** Returns the place of this agent's tool calls. The parent of an agent outside the tree is the agent that runs it. */
  callPlace(): CallPlace {
    return { agents: this.#path(), branch: this.branch };
  }

  // ── FlowSupport

  get flowSupport(): FlowSupport {
    return this;
  }
  get progress(): Progress | undefined {
    return this.task.progress;
  }
  get interrupts(): InterruptLog {
    return this.task.interrupts;
  }
  get durability(): Durability {
    return this.task.runner.durability;
  }
  get isResumable(): boolean {
    return this.task.isResumable;
  }
  get updatedCalls(): ReadonlySet<string> {
    return this.task.updatedCalls;
  }
  get seqAtStart(): number {
    return this.task.seqAtStart;
  }
  get lastSeq(): number {
    return this.task.session.lastSeq;
  }
  get joined(): JoinedMessages {
    return this.task.joined;
  }
  get isShutDown(): boolean {
    return this.task.isShutDown;
  }
  get trace(): RunTrace | undefined {
    return this.task.trace;
  }
  get folds(): Map<string, unknown> {
    return this.task.session.folds;
  }

  contextCacheHint(): ContextCacheHint | undefined {
    const { runner, session } = this.task;
    return runner.contextCache && contextCacheHintOf(session, this.callPlace(), runner.contextCache);
  }

  model(name: string): Llm {
    return this.task.runner.findModel(name);
  }

  supportsModel(name: string): boolean {
    return this.task.runner.models.some((factory) => factory.supports(name));
  }

  openToolContext(p: ToolContextInit): OpenToolContext {
    const context = new ToolCallContext(this.task, this, p.span ?? this.ownSpan, p);
    const { requests, usage } = context;
    return { context, requests, usage, close: () => context.close(), storeChildren: () => context.storeChildren() };
  }

  forgetSignIn(interruptId: string): Promise<void> {
    return forgetSignIn(this.task, interruptId);
  }

  countModelCall(lastSeq: number): void {
    this.task.assertMayBegin();
    this.task.joined.markSeen(lastSeq);
    this.task.calls.count(this.task.invocationId);
  }

  holdUsage(usage: Usage, { modelVersion }: Pick<Event, 'modelVersion'>): () => void {
    return this.task.calls.holdUsage(usage, () => modelNameOf({ author: this.agentName, modelVersion }, this.task));
  }

  assertMayBegin(): void {
    this.task.assertMayBegin();
  }

  beginCall(): void {
    this.task.pendingCalls++;
  }

  endCall(): void {
    this.task.pendingCalls--;
  }

  storedAs(event: Event): Event {
    return this.task.session.storedAs(event);
  }

  loopRounds(): LoopRounds {
    return this.task.turns.loopRounds(this.agentName, this.task.calls);
  }

  addToolset(toolset: Toolset): void {
    this.task.runner.addToolset(toolset);
  }

  protected addArtifactVersion(filename: string, version: number): void {
    this.changes.addArtifactVersion(filename, version);
  }

  protected assertOpen(): void {
    this.task.state.assertOpen();
  }

  /** True if events of this agent contain their path. Events of the agent that began the invocation do not. */
  get #hasPath(): boolean {
    return this.place !== this.task.rootPlace && this.place !== '' && this.task.isResumable;
  }

  #nodeInfoOf({ nodeInfo }: Event): Event['nodeInfo'] {
    return { ...nodeInfo, path: this.place };
  }

  #count(what: string): number {
    const counts = (this.#counts ??= new Map());
    const n = (counts.get(what) ?? 0) + 1;
    counts.set(what, n);
    return n;
  }

  #waiting(): AgentWaits {
    return (this.#waits ??= new AgentWaits(this.task, this));
  }

  #path(): string[] {
    const { agent, tree } = this;
    if (tree.find(agent.name) !== agent) return [...(this.#parent ? this.#parent.#path() : []), agent.name];
    const path: string[] = [];
    for (let each: Agent | undefined = agent; each; each = tree.parentOf(each)) path.unshift(each.name);
    return path;
  }
}

/** Returns the function of a step, which the interceptor of the runtime calls if there is one. */
function interceptedStep<R extends Json | undefined | void>(
  { agentName: agent, changes, place: path, runtime, signal }: AgentContext,
  step: { readonly name: string; readonly n: number },
  fn: StepFunction<R>,
): StepFunction<R> {
  const interceptor = callInterceptorOf(runtime);
  if (!interceptor || typeof fn !== 'function') return fn;
  return (p) => {
    const run = async (): Promise<Json | undefined> => (await fn(p)) as Json | undefined;
    return interceptor.runStep({ ...step, agent, path, changes, run, signal }) as Promise<R>;
  };
}
