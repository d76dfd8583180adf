import { createEvent, getFunctionCalls, getFunctionResponses, TholeError } from '@thole/core';
import { assertDuration, invalidInput } from '@thole/core/kit';
import type { InterruptLog, RecordedInterrupt } from '@thole/core/kit';
import type {
  Agent,
  AgentTree,
  ChildRun,
  ContextCacheHint,
  Event,
  InputRequest,
  InterruptKind,
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
} from '@thole/core';
import { assertInputRequest, inputAnswer } from '../flow/input-answer.ts';
import { inputRequest, requestEvent, timerRequest } from '../flow/interrupt-request.ts';
import type { InterruptRequest } from '../flow/interrupt-request.ts';
import { placeOf } from '../history/progress.ts';
import type { Progress } from '../history/progress.ts';
import type { TurnSegment } from '../history/turn-segments.ts';
import { RunPaused } from '../hooks/run-paused.ts';
import { isLlmAgent } from '../request/is-llm-agent.ts';
import type { Durability } from '../runner/runner-deps.ts';
import type { AgentCall, FlowSupport, LoopRounds, OpenToolContext, ToolContextInit } from '../hooks/flow-support.ts';
import type { RunTask } from '../invocation/run-task.ts';
import { emptyEvent } from '../session/live-session.ts';
import type { RunTrace } from '../traces/run-trace.ts';
import { BaseContext } from './base-context.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { contextCacheHintOf } from './context-cache-hint.ts';
import type { CallPlace } from './idempotency-key.ts';
import type { PendingChanges } from './pending-changes.ts';
import { runAgent } from './run-agent.ts';
import { runStepOnce } from './run-step-once.ts';
import { ToolCallContext } from './tool-call-context.ts';

/** Longest wait that a run does itself. A longer one pauses it. */
const MAX_WAIT_IN_PROCESS_MS = 60_000;

/** Arguments of `AgentContext`. */
export interface AgentContextInit {
  readonly changes: PendingChanges;
  readonly span: Span | undefined;
  readonly branch?: string | undefined;
  readonly place?: string | undefined;
  /** Context of the agent that runs this agent. */
  readonly parent?: AgentContext | undefined;
}

/** Context of one agent in a run. It is also the context that the runner's own flow uses. */
export class AgentContext<T = unknown> extends BaseContext<T> implements InvocationContext<T>, FlowSupport {
  readonly agent: Agent;
  readonly branch?: string;
  readonly changes: PendingChanges;
  /** Path of the call of this agent: each agent's name, and how often its parent has called it. */
  readonly place: string;
  /** Number of agents around this agent. */
  readonly depth: number;
  readonly #parent: AgentContext | undefined;
  /** Counts of calls by agent, of steps by name, and of requests. */
  readonly #counts: Map<string, number> = new Map();
  /** Events of this agent before this run that it has not yielded again. */
  #replay: Event[] | undefined;

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
    this.task.assertMayBegin();
    this.task.modelSees();
    this.task.calls.count(this.task.invocationId);
  }

  onClose(fn: () => void | Promise<void>): () => void {
    const callbacks = (this.task.closeCallbacks ??= new Set());
    callbacks.add(fn);
    return () => void callbacks.delete(fn);
  }

  async commit(event: Event): Promise<Event> {
    return this.replayed(event) ?? (await this.task.commit(this.claim(event))) ?? emptyEvent(event);
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
    return runStepOnce(
      this.task,
      { path: this.place, name, n },
      {
        fn,
        idempotencyKey: idempotencyKeyOf(this.task, this.callPlace(), JSON.stringify([this.place, name, n])),
        signal: this.signal,
        author: this.agentName,
        commit: (event) => this.task.commit(this.claim(event)),
      },
    );
  }

  async requestInput(p: InputRequest): Promise<Json> {
    assertInputRequest(p);
    this.#assertResumable('requestInput');
    const n = this.#count('input');
    const recorded = this.#recorded('input')[n - 1];
    if (recorded?.answer) return inputAnswer(recorded, p.message);
    if (!recorded) {
      const ttlMs = p.ttlMs ?? this.durability.interruptTtlMs;
      await this.#record(inputRequest({ runtime: this.runtime, call: undefined, ttlMs }, p));
    }
    return this.#pause(`Agent ${this.agentName} waits for an answer.`);
  }

  sleep(ms: number): Promise<void> {
    assertDuration('ms', ms);
    if (ms <= MAX_WAIT_IN_PROCESS_MS) return this.runtime.sleep(ms, this.signal);
    const n = this.#count(`sleep ${ms}`);
    const recorded = this.#recorded('timer').filter(({ call }) => call.args['ms'] === ms)[n - 1];
    return this.#waitUntil(this.runtime.now() + ms / 1_000, recorded, ms);
  }

  async sleepUntil(time: number): Promise<void> {
    if (typeof time !== 'number' || !Number.isFinite(time)) throw invalidInput('time', 'a number of seconds', time);
    const recorded = this.#recorded('timer').find(
      ({ call }) => call.args['wakeAt'] === time && call.args['ms'] === undefined,
    );
    const ms = (time - this.runtime.now()) * 1_000;
    if (!recorded && ms <= MAX_WAIT_IN_PROCESS_MS) return ms > 0 ? this.runtime.sleep(ms, this.signal) : undefined;
    return this.#waitUntil(time, recorded, undefined);
  }

  runChild(p: ChildRun): AsyncIterable<Event> {
    return this.startChild(p);
  }

  // ── for the runner's own code

  /** Returns the context of an agent in the same run. */
  withAgent(agent: Agent, p: AgentContextInit): AgentContext {
    return new AgentContext(this.task, agent, p);
  }

  /** Returns the call of an agent below this one, at the next place of this name. */
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

  pauses(): void {
    this.task.pausedPlaces.add(this.place);
  }

  isPaused(place: string): boolean {
    return this.task.isPaused(place);
  }

  /** Sets the events of this agent before this run. It yields them again, and they are not stored again. */
  replays(events: readonly Event[]): void {
    this.#replay = [...events];
  }

  /** True if the agent has not yielded all of its earlier events again. */
  get isReplaying(): boolean {
    return this.#replay !== undefined && this.#replay.length > 0;
  }

  /**
   * Returns the stored event that this event repeats, if the agent runs again. Throws `RESUME_DIVERGED` if they differ in
   * author or kind.
   */
  replayed(event: Event): Event | undefined {
    if (!this.isReplaying || event.partial || event.seq !== undefined) return undefined;
    if (event.nodeInfo?.path !== undefined && event.nodeInfo.path !== this.place) return undefined;
    const stored = this.#replay!.shift()!;
    if (stored.author === event.author && kindOf(stored) === kindOf(event)) return stored;
    throw new TholeError(
      'RESUME_DIVERGED',
      `Agent ${this.agentName} yielded another event than before (${kindOf(event)} of ${event.author} instead of ` +
        `${kindOf(stored)} of ${stored.author}). Put decisions that depend on state or on the outside into context.step().`,
    );
  }

  /** Returns the event as an event of this run and branch, with the pending changes. Returns a stored event unchanged. */
  claim(event: Event): Event {
    if (event.seq !== undefined) return event;
    const { branch, invocationId } = this;
    const isForeign = event.invocationId !== invocationId || (branch !== undefined && event.branch === undefined);
    const own = isForeign ? { ...event, invocationId, branch: event.branch ?? branch } : event;
    return this.changes.addTo(this.#hasPath && !own.nodeInfo?.path ? { ...own, nodeInfo: this.#nodeInfoOf(own) } : own);
  }

  /** Stores an event of a tool call. Changes of hooks and agents stay pending for the event with the answer. */
  commitWithoutChanges(event: Event): MaybePromise<Event | undefined> {
    const { branch } = this;
    const own = branch === undefined ? event : { ...event, branch };
    return this.task.commit(this.#hasPath ? { ...own, nodeInfo: this.#nodeInfoOf(own) } : own);
  }

  /** True if there are changes that no event contains. */
  hasPending(): boolean {
    return this.changes.hasPending();
  }

  /** Returns an event with the pending changes, or undefined if there are none. */
  pendingEvent(): Event | undefined {
    if (!this.hasPending()) return undefined;
    const { agentName: author, invocationId, branch, runtime } = this;
    return this.claim(createEvent({ author, invocationId, branch }, runtime));
  }

  /** Returns the place of this agent's tool calls. An agent that is not in the tree is below the agent that runs it. */
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

  openToolContext(p: ToolContextInit): OpenToolContext {
    const context = new ToolCallContext(this.task, this, p.span ?? this.ownSpan, p);
    return { context, requests: context.requests, close: () => context.close() };
  }

  assertMayBegin(): void {
    this.task.assertMayBegin();
  }

  workBegins(): void {
    this.task.pendingCalls++;
  }

  workEnds(): void {
    this.task.pendingCalls--;
  }

  storedAs(event: Event): Event {
    return this.task.session.storedAs(event);
  }

  loopRounds(): LoopRounds {
    return this.task.turns.loopRounds(this.agentName, this.task.calls);
  }

  show(event: Event): void {
    this.task.show(event);
  }

  usesToolset(toolset: Toolset): void {
    this.task.runner.addToolset(toolset);
  }

  protected saved(filename: string, version: number): void {
    this.changes.saved(filename, version);
  }

  protected assertOpen(): void {
    this.task.state.assertOpen();
  }

  /** True if events of this agent name their place. Those of the agent that began the invocation do not. */
  get #hasPath(): boolean {
    return this.place !== this.task.rootPlace && this.place !== '' && this.task.isResumable;
  }

  #nodeInfoOf({ nodeInfo }: Event): Event['nodeInfo'] {
    return { ...nodeInfo, path: this.place };
  }

  #count(what: string): number {
    const n = (this.#counts.get(what) ?? 0) + 1;
    this.#counts.set(what, n);
    return n;
  }

  /** Returns the requests of this agent itself, oldest first. */
  #recorded(kind: InterruptKind): RecordedInterrupt[] {
    const { invocationId, interrupts, rootPlace } = this.task;
    return interrupts
      .ofInvocation(invocationId)
      .filter(
        ({ interrupt, event }) =>
          interrupt.kind === kind && interrupt.functionCallId === undefined && placeOf(event, rootPlace) === this.place,
      );
  }

  async #waitUntil(wakeAt: number, recorded: RecordedInterrupt | undefined, ms: number | undefined): Promise<void> {
    if (recorded?.answer) return;
    this.#assertResumable('A wait of more than 60 s');
    if (!recorded) await this.#record(timerRequest(this.runtime, wakeAt, ms));
    return this.#pause(`Agent ${this.agentName} waits until ${new Date(wakeAt * 1_000).toISOString()}.`);
  }

  async #record(request: InterruptRequest): Promise<void> {
    const { agentName: author, branch, invocationId, runtime } = this;
    const event = this.claim(requestEvent({ author, invocationId, branch, runtime }, [request]));
    const stored = await this.task.commit(event);
    if (stored) this.task.output.push(stored);
  }

  #pause(message: string): never {
    this.pauses();
    throw new RunPaused(message);
  }

  #assertResumable(what: string): void {
    this.assertOpen();
    if (this.task.isResumable) return;
    const reason = this.task.isChild ? 'an agent that runs as a tool' : 'an app with resumability.isResumable: false';
    throw new TholeError('INVALID_INPUT', `${what} is not possible in ${reason}: it cannot pause.`);
  }

  #path(): string[] {
    const { agent, tree } = this;
    if (tree.find(agent.name) !== agent) return [...(this.#parent ? this.#parent.#path() : []), agent.name];
    const path: string[] = [];
    for (let each: Agent | undefined = agent; each; each = tree.parentOf(each)) path.unshift(each.name);
    return path;
  }
}

/** The kind of an event: what its parts are. */
function kindOf(event: Event): string {
  if (getFunctionCalls(event).length > 0) return 'calls';
  if (getFunctionResponses(event).length > 0) return 'function responses';
  return event.content ? 'content' : 'an event without content';
}
