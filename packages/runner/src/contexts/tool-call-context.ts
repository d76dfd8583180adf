import { createEvent, createEventActions, State, TholeError } from '@thole/core';
import { setOwn } from '@thole/core/kit';
import type { ChildRun, Event, EventActions, Json, Span, ToolContext } from '@thole/core';
import type { ToolContextInit } from '../hooks/flow-support.ts';
import type { RunTask } from '../invocation/run-task.ts';
import type { AgentContext } from './agent-context.ts';
import { BaseContext } from './base-context.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';

/** Context of one tool call. Its changes are stored with the event that contains the answer. */
export class ToolCallContext<T = unknown> extends BaseContext<T> implements ToolContext<T> {
  readonly functionCallId: string;
  readonly actions: EventActions = createEventActions();
  readonly state: State;
  readonly #agentContext: AgentContext;
  readonly #signal: AbortSignal | undefined;
  #idempotencyKey: string | undefined;
  #isClosed = false;

  constructor(task: RunTask, agentContext: AgentContext, span: Span | undefined, p: ToolContextInit) {
    super(task, agentContext.agentName, span);
    this.functionCallId = p.functionCallId;
    this.#agentContext = agentContext;
    this.#signal = p.signal;
    this.state = new State(agentContext.state, { temp: task.temp, guard: () => this.assertOpen() });
  }

  // Computed when it is read: most tools do not use it.
  get idempotencyKey(): string {
    return (this.#idempotencyKey ??= idempotencyKeyOf(
      this.task.session,
      this.#agentContext.callPlace(),
      this.functionCallId,
    ));
  }

  override get signal(): AbortSignal {
    return this.#signal ?? super.signal;
  }

  requestConfirmation(p: { hint: string; payload?: Json | undefined }): void {
    this.assertOpen();
    this.actions.requestedToolConfirmations[this.functionCallId] = {
      hint: p.hint,
      confirmed: false,
      ...(p.payload !== undefined && { payload: p.payload }),
    };
  }

  reportProgress(message: string): void {
    this.assertOpen();
    const { agentName: author, invocationId, runtime } = this;
    const customMetadata = { progress: message, functionCallId: this.functionCallId };
    this.task.show(createEvent({ author, invocationId, partial: true, customMetadata }, runtime));
  }

  runChild(p: ChildRun): AsyncIterable<Event> {
    return this.startChild(p);
  }

  /** Closes the context. Returns the actions for the event with the answer. */
  close(): EventActions {
    this.#isClosed = true;
    const delta = this.state.takeDelta();
    return delta ? { ...this.actions, stateDelta: { ...this.actions.stateDelta, ...delta } } : this.actions;
  }

  protected saved(filename: string, version: number): void {
    if (!this.#isClosed) setOwn(this.actions.artifactDelta, filename, version);
  }

  protected assertOpen(): void {
    if (this.#isClosed) {
      const message = `The context of call ${this.functionCallId} was used after the call had ended.`;
      throw new TholeError('CONTEXT_CLOSED', message);
    }
    this.task.state.assertOpen();
  }
}
