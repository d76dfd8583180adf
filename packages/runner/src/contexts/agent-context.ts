import { createEvent } from '@thole/core';
import { assertAgent } from '@thole/core/kit';
import type {
  Agent,
  AgentTree,
  ChildRun,
  Content,
  Event,
  InvocationContext,
  Plugin,
  RunConfig,
  Span,
  SpanAttributes,
  State,
} from '@thole/core';
import { asError } from '../hooks/as-error.ts';
import { callCallbacks, callPlugins, hasHook } from '../hooks/call-hooks.ts';
import type { FlowSupport, WithFlowSupport } from '../hooks/flow-support.ts';
import { notifyPlugins } from '../hooks/notify-plugins.ts';
import { stepInSpan } from '../traces/run-trace.ts';
import { BaseContext } from './base-context.ts';
import type { CallPlace } from './idempotency-key.ts';
import { RunFlowSupport } from './run-flow-support.ts';
import type { RunScope } from '../invocation/run-scope.ts';
import { emptyEvent, storedAs } from '../session/stored-event.ts';
import type { PendingChanges } from './pending-changes.ts';

/** Where an agent runs: its pending changes, its span, its branch, and the context of the agent that runs it. */
export interface AgentContextInit {
  readonly strand: PendingChanges;
  readonly span: Span | undefined;
  readonly branch?: string | undefined;
  readonly parent?: AgentContext | undefined;
}

const UNWIND_DEPTH = 64;

/** The context of one agent in a run. */
export class AgentContext<T = unknown> extends BaseContext<T> implements InvocationContext<T>, WithFlowSupport {
  readonly agent: Agent;
  readonly branch?: string;
  readonly #strand: PendingChanges;
  readonly #parent: AgentContext | undefined;
  /** How many agents run this one, one inside the other. */
  readonly #depth: number;
  #support: FlowSupport | undefined;

  constructor(run: RunScope, agent: Agent, p: AgentContextInit) {
    super(run, agent.name, p.span);
    this.agent = agent;
    this.#strand = p.strand;
    this.#parent = p.parent;
    this.#depth = p.parent ? p.parent.#depth + 1 : 0;
    if (p.branch !== undefined) this.branch = p.branch;
  }

  get state(): State {
    return this.#strand.state;
  }
  get tree(): AgentTree {
    return this.run.host.tree;
  }
  get runConfig(): RunConfig {
    return this.run.runConfig;
  }
  get plugins(): readonly Plugin[] {
    return this.run.host.plugins;
  }
  get ended(): boolean {
    return this.run.ended;
  }
  get flowSupport(): FlowSupport {
    const placeOf = (): CallPlace => ({ agents: this.#path(), branch: this.branch });
    return (this.#support ??= new RunFlowSupport(this.run, this.agentName, this.#strand, this.ownSpan, placeOf));
  }

  endInvocation(): void {
    this.run.ended = true;
  }

  countLlmCall(): void {
    this.run.assertMayBegin();
    this.run.host.calls.count(this.run.invocationId);
  }

  onClose(fn: () => void | Promise<void>): () => void {
    const closers = (this.run.closers ??= new Set());
    closers.add(fn);
    return () => void closers.delete(fn);
  }

  async commit(event: Event): Promise<Event> {
    return (await this.run.commit(this.#claim(event))) ?? emptyEvent(event);
  }

  runChild(p: ChildRun): AsyncIterable<Event> {
    return this.childOf(p);
  }

  async *runAgent(
    agent: Agent,
    p: { branch?: string | undefined } = {},
  ): AsyncGenerator<Event, void, Event | undefined> {
    assertAgent(agent);
    if (this.run.ended) return;
    const turn = this.run.eventLoopTurn();
    if (turn) await turn;
    this.run.assertMayBegin();
    this.run.entered(agent);
    const branch = p.branch ?? this.branch;
    const ownStrand = branch !== this.branch;
    const strand = ownStrand ? this.#strand.branch() : this.#strand;
    const { trace } = this.run;
    const span = trace?.begin(`invoke_agent ${agent.name}`, attributesOf(agent), this.ownSpan);
    const context = new AgentContext(this.run, agent, { strand, span, branch, parent: this });
    const unwinds = context.#depth % UNWIND_DEPTH === 0;
    let failure: unknown;
    let isLeft = true;
    try {
      const instead = context.#hasHooks('beforeAgentCallback') && (await context.#callHooks('beforeAgentCallback'));
      this.signal.throwIfAborted();
      if (instead) {
        const event = context.#claim(context.#answerEvent(instead));
        context.#storedAs(event, yield event);
      } else if (!this.run.ended) {
        const steps = agent.runAsync(context);
        let finished = false;
        try {
          let step = await (span ? stepInSpan(span, steps) : steps.next());
          while (!step.done) {
            const event = context.#claim(step.value);
            const stored = context.#storedAs(event, yield event);
            // Each agent's step calls that of the agent below: a long chain of transfers would overflow the stack.
            if (unwinds) await Promise.resolve();
            step = await (span ? stepInSpan(span, steps, stored) : steps.next(stored));
          }
          finished = true;
        } finally {
          // Not awaited: an agent that ignores its signal must not hold up the end of its run.
          if (!finished) steps.return().catch(noop);
        }
        this.signal.throwIfAborted();
        const more =
          !this.run.ended &&
          context.#hasHooks('afterAgentCallback') &&
          (await context.#callHooks('afterAgentCallback'));
        if (more) {
          const event = context.#claim(context.#answerEvent(more));
          context.#storedAs(event, yield event);
        }
      }
      if (ownStrand && strand.hasPending()) {
        const event = context.#claim(context.#stateEvent());
        context.#storedAs(event, yield event);
      }
      isLeft = false;
    } catch (error) {
      isLeft = false;
      failure = error;
      await context.#failed(error);
      throw error;
    } finally {
      if (span) trace?.end(span, isLeft && this.signal.aborted ? this.signal.reason : failure);
    }
  }

  /** Whether something waits that no event has taken. */
  hasPending(): boolean {
    return this.#strand.hasPending();
  }

  /** The event that carries what no other event took; undefined when nothing waits. */
  pendingEvent(): Event | undefined {
    return this.hasPending() ? this.#claim(this.#stateEvent()) : undefined;
  }

  protected saved(filename: string, version: number): void {
    this.#strand.saved(filename, version);
  }

  protected assertOpen(): void {
    this.run.assertOpen();
  }

  // What nobody listens to is not waited for: there is a wait less in every turn.
  #hasHooks(callback: 'beforeAgentCallback' | 'afterAgentCallback'): boolean {
    return this.agent[callback] !== undefined || hasHook(this.run.host.plugins, callback);
  }

  async #callHooks(callback: 'beforeAgentCallback' | 'afterAgentCallback'): Promise<Content | undefined> {
    const { agent, run, signal } = this;
    const answer = await callPlugins(run.host.plugins, callback, { agent, callbackContext: this }, signal);
    return answer ?? callCallbacks(agent[callback], { agentName: agent.name, callback, signal }, this);
  }

  // An agent that was stopped with its run has not failed.
  async #failed(error: unknown): Promise<void> {
    const { agent, run } = this;
    if (this.signal.aborted) return;
    run.failedIn(agent, error);
    if (!hasHook(run.host.plugins, 'onAgentErrorCallback')) return;
    await notifyPlugins(this, 'onAgentErrorCallback', { agent, callbackContext: this, error: asError(error) });
  }

  /**
   * What became of an event: `answer` is what the caller gave to `next()`. A caller that gave nothing (`for await`) may have
   * yielded the event on or not: then the stored event is looked up, and without one the agent goes on as if a plugin had
   * dropped its event. Changes that an unstored event had taken wait for the next event.
   */
  #storedAs(event: Event, answer: Event | undefined): Event {
    const taken = this.run.unstored.size > 0 ? this.run.unstored.get(event.id) : undefined;
    if (taken) {
      this.run.unstored.delete(event.id);
      for (const each of taken) each.restore();
    }
    return answer ?? storedAs(this.run.live, event);
  }

  #answerEvent(content: Content): Event {
    const { invocationId, branch, runtime } = this;
    return createEvent(
      { author: this.agentName, invocationId, branch, content: { role: 'model', ...content } },
      runtime,
    );
  }

  #stateEvent(): Event {
    const { invocationId, branch, runtime } = this;
    return createEvent({ author: this.agentName, invocationId, branch }, runtime);
  }

  /** The names from the root to this agent. An agent outside the tree is below the one that ran it. */
  #path(): string[] {
    const { agent, tree } = this;
    if (tree.find(agent.name) !== agent) return [...(this.#parent ? this.#parent.#path() : []), agent.name];
    const path: string[] = [];
    for (let each: Agent | undefined = agent; each; each = tree.parentOf(each)) path.unshift(each.name);
    return path;
  }

  // Makes an event one of this run: its invocation and branch, and what waits in the strand.
  #claim(event: Event): Event {
    if (event.seq !== undefined) return event;
    const foreign =
      event.invocationId !== this.invocationId || (this.branch !== undefined && event.branch === undefined);
    const own = foreign ? { ...event, invocationId: this.invocationId, branch: event.branch ?? this.branch } : event;
    return this.#strand.giveTo(own);
  }
}

function attributesOf({ name, description }: Agent): SpanAttributes {
  return {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': name,
    'gen_ai.agent.description': description,
  };
}

function noop(): void {}
