import { createEvent, createEventActions, State, TholeError } from '@thole/core';
import { setOwn } from '@thole/core/kit';
import type {
  AuthConfig,
  AuthCredential,
  Authenticator,
  ChildRun,
  Event,
  EventActions,
  FunctionCall,
  InputRequest,
  Json,
  JsonObject,
  RunConfig,
  Runtime,
  Span,
  StepFunction,
  ToolConfirmation,
  ToolContext,
  Usage,
} from '@thole/core';
import type { AnsweredRequest } from '../flow/call-attempt.ts';
import { addUsage } from '../flow/add-usage.ts';
import { childAnswers, childRequest } from '../flow/child-request.ts';
import { assertInputRequest, cannotPauseError, declinedError, expiredError } from '../flow/input-answer.ts';
import { credentialRequest, expiryOf, inputRequest } from '../flow/interrupt-request.ts';
import type { InterruptRequest } from '../flow/interrupt-request.ts';
import type { ToolContextInit } from '../hooks/flow-support.ts';
import { RunPaused } from '../hooks/run-paused.ts';
import type { RunTask } from '../invocation/run-task.ts';
import type { ChildLog } from '../history/progress.ts';
import type { ChildCall } from '../runner/runner-deps.ts';
import type { AgentContext } from './agent-context.ts';
import { BaseContext } from './base-context.ts';
import { idempotencyKeyOf } from './place-keys.ts';
import { runStepOnce } from './recorded-work.ts';

/** Context of one tool call. Its changes are stored with the event that contains the answer. */
export class ToolCallContext<T = unknown> extends BaseContext<T> implements ToolContext<T> {
  readonly functionCallId: string;
  readonly actions: EventActions = createEventActions();
  readonly state: State;
  readonly #agentContext: AgentContext;
  readonly #init: ToolContextInit;
  /** Requests of this attempt for input and sign-ins. */
  readonly requests: InterruptRequest[] = [];
  /** Tokens of the child runs of this call. */
  readonly usage: Usage = {};
  readonly #steps: Map<string, number> = new Map();
  /** Logs of child runs that have ended in this attempt and are not stored. */
  readonly #endedChildren: ChildLog[] = [];
  #inputs = 0;
  #children = 0;
  #idempotencyKey: string | undefined;
  #isClosed = false;

  constructor(task: RunTask, agentContext: AgentContext, span: Span | undefined, p: ToolContextInit) {
    super(task, agentContext.agentName, span);
    this.functionCallId = p.functionCallId;
    this.#agentContext = agentContext;
    this.#init = p;
    this.state = new State(agentContext.state, { temp: task.temp, guard: () => this.assertOpen() });
  }

  // Computed at the first read, because most tools do not use it.
  get idempotencyKey(): string {
    return (this.#idempotencyKey ??= idempotencyKeyOf(this.task, this.#agentContext.callPlace(), this.functionCallId));
  }

  override get signal(): AbortSignal {
    return this.#init.signal ?? super.signal;
  }

  /** Not in the interface. `ReflectAndRetryToolPlugin` reads it. */
  get runConfig(): RunConfig {
    return this.task.runConfig;
  }

  get toolConfirmation(): ToolConfirmation | undefined {
    return this.#init.attempt?.confirmation?.answer;
  }

  async requestInput(p: InputRequest): Promise<Json> {
    assertInputRequest(p);
    this.#assertMayPause('requestInput');
    const answered = this.#init.attempt?.inputs[this.#inputs++];
    if (answered?.hasExpired) throw expiredError(p.message);
    if (answered?.isDeclined) throw declinedError(p.message, answered.value as JsonObject);
    if (answered) return answered.value;
    return this.#request(inputRequest(this.#origin(p.ttlMs), p));
  }

  async requestCredential(authConfig: AuthConfig): Promise<AuthCredential> {
    this.#assertMayPause('requestCredential');
    const { authenticator } = this.task.runner;
    if (!authenticator)
      throw new TholeError(
        'CREDENTIAL_NOT_CONFIGURED',
        'The runner has no authenticator. Set the option authenticator.',
      );
    const { appName, userId, signal } = this;
    const credential = await authenticator.loadCredential({ appName, userId, authConfig, signal });
    if (credential) return credential;
    const answered = await this.#lastSignIn(authenticator, authConfig);
    if (answered?.hasExpired) throw expiredError('sign-in');
    const { status, error } = (answered?.value ?? {}) as { status?: Json; error?: Json };
    if (status === 'denied')
      throw new TholeError(
        'SIGN_IN_DENIED',
        `The sign-in was refused: ${typeof error === 'string' ? error : 'no reason'}.`,
      );
    const interruptId = this.runtime.newId('call');
    const origin = this.#origin(undefined);
    const expiresAt = expiryOf(origin);
    const shown = await authenticator.beginSignIn({ appName, userId, interruptId, authConfig, expiresAt, signal });
    return this.#request(credentialRequest(origin, interruptId, shown as unknown as JsonObject));
  }

  async step<R extends Json | undefined | void>(name: string, fn: StepFunction<R>): Promise<R> {
    this.assertOpen();
    const n = (this.#steps.get(name) ?? 0) + 1;
    this.#steps.set(name, n);
    const { functionCallId: callId } = this;
    const key = JSON.stringify([callId, name, n]);
    return runStepOnce(
      this.task,
      { path: this.#agentContext.place, name, n, callId },
      {
        fn,
        idempotencyKey: idempotencyKeyOf(this.task, this.#agentContext.callPlace(), key),
        signal: this.signal,
        author: this.agentName,
        commit: (event) => this.#agentContext.commitWithoutChanges(event),
      },
    );
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
    const call = this.task.isResumable && this.#init.call ? this.#childCall() : undefined;
    return this.#counted(this.startChild(p, call));
  }

  async *#counted(events: AsyncIterable<Event>): AsyncGenerator<Event, void> {
    for await (const event of events) {
      if (!event.partial) addUsage(this.usage, event.usageMetadata);
      yield event;
    }
  }

  /** Closes the context. Returns the actions for the event with the answer. */
  close(): EventActions {
    this.#isClosed = true;
    const delta = this.state.takeDelta();
    return delta ? { ...this.actions, stateDelta: { ...this.actions.stateDelta, ...delta } } : this.actions;
  }

  /** Stores the logs of ended child runs. Called when the call pauses, so that they do not run again with the call. */
  async storeChildren(): Promise<void> {
    for (const log of this.#endedChildren.splice(0)) await this.#agentContext.storeChildLog(log);
  }

  #childCall(): ChildCall {
    const n = ++this.#children;
    const { functionCallId: callId, runtime, task } = this;
    return {
      key: `${this.idempotencyKey} ${n}`,
      earlier: task.progress?.childOf(callId, n),
      answers: childAnswers(task.interrupts.ofCall(callId), n),
      completed: async (log) => void this.#endedChildren.push({ ...log, callId, n, isComplete: true }),
      pause: async (log, requests) => {
        await this.storeChildren();
        await this.#agentContext.storeChildLog({ ...log, callId, n });
        const origin = { runtime, call: this.#init.call!, n };
        this.requests.push(...requests.map((each) => childRequest(origin, each)));
        throw new RunPaused(`Call ${callId} waits for an answer.`);
      },
    };
  }

  #origin(ttlMs: number | undefined): { runtime: Runtime; call: FunctionCall | undefined; ttlMs: number | undefined } {
    return { runtime: this.runtime, call: this.#init.call, ttlMs: ttlMs ?? this.#init.ttlMs };
  }

  /** Returns the last answer to a sign-in for this credential. A call may need several credentials. */
  async #lastSignIn(authenticator: Authenticator, authConfig: AuthConfig): Promise<AnsweredRequest | undefined> {
    const answered = this.#init.attempt?.credentials ?? [];
    if (answered.length === 0) return undefined;
    const key = await authenticator.credentialKey(authConfig);
    return answered.findLast(({ payload }) => (payload as JsonObject | undefined)?.['credentialKey'] === key);
  }

  async #request(request: InterruptRequest): Promise<never> {
    await this.storeChildren();
    this.requests.push(request);
    throw new RunPaused(`Call ${this.functionCallId} waits for an answer.`);
  }

  #assertMayPause(method: string): void {
    this.assertOpen();
    if (this.task.isResumable && this.#init.call) return;
    throw cannotPauseError(method, this.task.runner.durability);
  }

  protected addArtifactVersion(filename: string, version: number): void {
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
