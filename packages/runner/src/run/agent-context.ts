import { checkAgent, createEvent } from '@thole/core';
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
import { callCallbacks, callPlugins, hasHook } from '../hooks/call-hooks.ts';
import type { FlowSupport, WithFlowSupport } from '../hooks/flow-support.ts';
import { stepInSpan } from '../traces/run-trace.ts';
import { BaseContext } from './base-context.ts';
import { hollow } from './delivery.ts';
import type { CallPlace } from './idempotency-key.ts';
import { RunFlowSupport } from './run-flow-support.ts';
import type { RunScope } from './run-scope.ts';
import { Strand } from './strand.ts';

/** The context of one agent in a run. */
export class AgentContext<T = unknown> extends BaseContext<T> implements InvocationContext<T>, WithFlowSupport {
  readonly agent: Agent;
  readonly branch?: string;
  readonly #strand: Strand;
  readonly #parent: AgentContext | undefined;
  #support: FlowSupport | undefined;

  constructor(
    run: RunScope,
    agent: Agent,
    strand: Strand,
    span: Span | undefined,
    branch?: string,
    parent?: AgentContext,
  ) {
    super(run, agent.name, span);
    this.agent = agent;
    this.#strand = strand;
    this.#parent = parent;
    if (branch !== undefined) this.branch = branch;
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
    this.run.host.calls.count(this.run.invocationId);
  }

  onClose(fn: () => void | Promise<void>): () => void {
    const closers = (this.run.closers ??= new Set());
    closers.add(fn);
    return () => void closers.delete(fn);
  }

  async commit(event: Event): Promise<Event> {
    const stored = await this.run.commit(this.#claim(event));
    this.#strand.state.settle();
    return stored ?? hollow(event);
  }

  runChild(p: ChildRun): AsyncIterable<Event> {
    return this.childOf(p);
  }

  async *runAgent(agent: Agent, p: { branch?: string | undefined } = {}): AsyncGenerator<Event, void, Event> {
    checkAgent(agent);
    if (this.run.ended) return;
    this.run.entered(agent);
    const branch = p.branch ?? this.branch;
    const ownStrand = branch !== this.branch;
    const strand = ownStrand ? new Strand(this.run.live, this.run.temp, this.run.assertOpen) : this.#strand;
    const { trace } = this.run;
    const span = trace?.begin(`invoke_agent ${agent.name}`, attributesOf(agent), this.ownSpan);
    const context = new AgentContext(this.run, agent, strand, span, branch, this);
    let failure: unknown;
    let isLeft = true;
    try {
      const instead = context.#hasHooks('beforeAgentCallback') && (await context.#callHooks('beforeAgentCallback'));
      if (instead) {
        yield context.#claim(context.#answerEvent(instead));
      } else if (!this.run.ended) {
        const steps = agent.runAsync(context);
        let finished = false;
        try {
          let step = await (span ? stepInSpan(span, steps) : steps.next());
          while (!step.done) {
            const stored = yield context.#claim(step.value);
            strand.state.settle();
            step = await (span ? stepInSpan(span, steps, stored) : steps.next(stored));
          }
          finished = true;
        } finally {
          // Not awaited: an agent that ignores its signal must not hold up the end of its run.
          if (!finished) steps.return().catch(noop);
        }
        const more =
          !this.run.ended &&
          context.#hasHooks('afterAgentCallback') &&
          (await context.#callHooks('afterAgentCallback'));
        if (more) yield context.#claim(context.#answerEvent(more));
      }
      strand.state.settle();
      if (ownStrand && strand.hasPending()) yield context.#claim(context.#stateEvent());
      isLeft = false;
    } catch (error) {
      isLeft = false;
      failure = error;
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
    const { agent, run } = this;
    const answer = await callPlugins(run.host.plugins, callback, { agent, callbackContext: this });
    return answer ?? callCallbacks(agent[callback], { agentName: agent.name, callback }, this);
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
