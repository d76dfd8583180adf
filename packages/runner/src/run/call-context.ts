import { createEvent, createEventActions, setOwn, State, TholeError } from '@thole/core';
import type { ChildRun, Event, EventActions, Json, StateView, ToolContext } from '@thole/core';
import type { ToolContextInit } from '../hooks/flow-support.ts';
import { BaseContext } from './base-context.ts';
import type { RunScope } from './run-scope.ts';

/** The context of one tool call: its writes go with the event that carries the call's answer. */
export class CallContext<T = unknown> extends BaseContext<T> implements ToolContext<T> {
  readonly functionCallId: string;
  readonly idempotencyKey: string;
  readonly actions: EventActions = createEventActions();
  readonly state: State;
  readonly #signal: AbortSignal | undefined;
  #closed = false;

  constructor(run: RunScope, agentName: string, view: StateView, p: ToolContextInit) {
    super(run, agentName, p.span);
    this.functionCallId = p.functionCallId;
    this.idempotencyKey = p.idempotencyKey;
    this.#signal = p.signal;
    this.state = new State(view, { temp: run.temp, guard: () => this.assertOpen() });
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
    const customMetadata = { progress: message, functionCallId: this.functionCallId };
    this.run.show(
      createEvent(
        { author: this.agentName, invocationId: this.invocationId, partial: true, customMetadata },
        this.runtime,
      ),
    );
  }

  runChild(p: ChildRun): AsyncIterable<Event> {
    return this.childOf(p);
  }

  close(): EventActions {
    this.#closed = true;
    const delta = this.state.takeDelta();
    return delta ? { ...this.actions, stateDelta: { ...this.actions.stateDelta, ...delta } } : this.actions;
  }

  protected saved(filename: string, version: number): void {
    if (!this.#closed) setOwn(this.actions.artifactDelta, filename, version);
  }

  protected assertOpen(): void {
    if (this.#closed)
      throw new TholeError(
        'CONTEXT_CLOSED',
        `The context of call ${this.functionCallId} was used after the call had ended.`,
      );
    this.run.assertOpen();
  }
}
