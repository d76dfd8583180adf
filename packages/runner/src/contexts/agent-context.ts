import { createEvent } from '@thole/core';
import type {
  Agent,
  AgentTree,
  ChildRun,
  Event,
  InvocationContext,
  Llm,
  Plugin,
  RunConfig,
  Span,
  State,
  Toolset,
} from '@thole/core';
import type { FlowSupport, LoopRounds, OpenToolContext, ToolContextInit } from '../hooks/flow-support.ts';
import type { RunTask } from '../invocation/run-task.ts';
import { emptyEvent } from '../session/live-session.ts';
import type { RunTrace } from '../traces/run-trace.ts';
import { BaseContext } from './base-context.ts';
import type { CallPlace } from './idempotency-key.ts';
import type { PendingChanges } from './pending-changes.ts';
import { runAgent } from './run-agent.ts';
import { ToolCallContext } from './tool-call-context.ts';

/** Arguments of `AgentContext`. */
export interface AgentContextInit {
  readonly changes: PendingChanges;
  readonly span: Span | undefined;
  readonly branch?: string | undefined;
  /** Context of the agent that runs this agent. */
  readonly parent?: AgentContext | undefined;
}

/** Context of one agent in a run. It is also the context that the runner's own flow uses. */
export class AgentContext<T = unknown> extends BaseContext<T> implements InvocationContext<T>, FlowSupport {
  readonly agent: Agent;
  readonly branch?: string;
  readonly changes: PendingChanges;
  /** Number of agents around this agent. */
  readonly depth: number;
  readonly #parent: AgentContext | undefined;

  constructor(task: RunTask, agent: Agent, p: AgentContextInit) {
    super(task, agent.name, p.span);
    this.agent = agent;
    this.changes = p.changes;
    this.#parent = p.parent;
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
    this.task.calls.count(this.task.invocationId);
  }

  onClose(fn: () => void | Promise<void>): () => void {
    const callbacks = (this.task.closeCallbacks ??= new Set());
    callbacks.add(fn);
    return () => void callbacks.delete(fn);
  }

  async commit(event: Event): Promise<Event> {
    return (await this.task.commit(this.claim(event))) ?? emptyEvent(event);
  }

  runAgent(agent: Agent, p: { branch?: string | undefined } = {}): AsyncGenerator<Event, void, Event | undefined> {
    return runAgent(this.task, this, agent, p.branch ?? this.branch);
  }

  runChild(p: ChildRun): AsyncIterable<Event> {
    return this.startChild(p);
  }

  // ── for the runner's own code

  /** Returns the context of an agent in the same run. */
  withAgent(agent: Agent, p: AgentContextInit): AgentContext {
    return new AgentContext(this.task, agent, p);
  }

  /** Returns the event as an event of this run and branch, with the pending changes. Returns a stored event unchanged. */
  claim(event: Event): Event {
    if (event.seq !== undefined) return event;
    const { branch, invocationId } = this;
    const isForeign = event.invocationId !== invocationId || (branch !== undefined && event.branch === undefined);
    return this.changes.addTo(isForeign ? { ...event, invocationId, branch: event.branch ?? branch } : event);
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
  get trace(): RunTrace | undefined {
    return this.task.trace;
  }
  get folds(): Map<string, unknown> {
    return this.task.session.folds;
  }

  model(name: string): Llm {
    return this.task.runner.findModel(name);
  }

  openToolContext(p: ToolContextInit): OpenToolContext {
    const context = new ToolCallContext(this.task, this, p.span ?? this.ownSpan, p);
    return { context, close: () => context.close() };
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

  #path(): string[] {
    const { agent, tree } = this;
    if (tree.find(agent.name) !== agent) return [...(this.#parent ? this.#parent.#path() : []), agent.name];
    const path: string[] = [];
    for (let each: Agent | undefined = agent; each; each = tree.parentOf(each)) path.unshift(each.name);
    return path;
  }
}
