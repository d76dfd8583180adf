import { createEvent, createEventActions, State, TholeError } from '@thole/core';
import { setOwn } from '@thole/core/kit';
import type { ChildRun, Event, EventActions, Json, ToolContext } from '@thole/core';
import type { StateView } from '@thole/core/kit';
import type { ToolContextInit } from '../hooks/flow-support.ts';
import { BaseContext } from './base-context.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import type { CallPlace } from './idempotency-key.ts';
import type { RunScope } from '../invocation/run-scope.ts';

/** The context of one tool call: its writes go with the event that carries the call's answer. */
export class ToolCallContext<T = unknown> extends BaseContext<T> implements ToolContext<T> {
  readonly functionCallId: string;
  readonly actions: EventActions = createEventActions();
  readonly state: State;
  readonly #signal: AbortSignal | undefined;
  readonly #placeOf: () => CallPlace;
  #idempotencyKey: string | undefined;
  #closed = false;

  constructor(run: RunScope, agentName: string, view: StateView, p: ToolContextInit, placeOf: () => CallPlace) {
    super(run, agentName, p.span);
    this.functionCallId = p.functionCallId;
    this.#signal = p.signal;
    this.#placeOf = placeOf;
    this.state = new State(view, { temp: run.temp, guard: () => this.assertOpen() });
  }

  // Made when a tool asks for it: most do not.
  get idempotencyKey(): string {
    return (this.#idempotencyKey ??= idempotencyKeyOf(this.run.live, this.#placeOf(), this.functionCallId));
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
