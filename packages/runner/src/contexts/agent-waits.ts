import { TholeError } from '@thole/core';
import { assertDuration, invalidInput } from '@thole/core/kit';
import type { RecordedInterrupt } from '@thole/core/kit';
import type { InputRequest, InterruptKind, Json } from '@thole/core';
import { assertInputRequest, inputAnswer } from '../flow/input-answer.ts';
import { inputRequest, requestEvent, timerRequest } from '../flow/interrupt-request.ts';
import type { InterruptRequest } from '../flow/interrupt-request.ts';
import { placeOf } from '../history/progress.ts';
import { RunPaused } from '../hooks/run-paused.ts';
import type { RunTask } from '../invocation/run-task.ts';
import type { AgentContext } from './agent-context.ts';

/** Longest wait that a run does itself. A longer one pauses it. */
const MAX_WAIT_IN_PROCESS_MS = 60_000;

/** The waits of one agent for a person or for the clock: `requestInput`, `sleep` and `sleepUntil` of its context. */
export class AgentWaits {
  readonly #task: RunTask;
  readonly #context: AgentContext;
  #inputs = 0;
  /** Number of sleeps so far by their length. */
  readonly #sleeps = new Map<number, number>();

  constructor(task: RunTask, context: AgentContext) {
    this.#task = task;
    this.#context = context;
  }

  async requestInput(p: InputRequest): Promise<Json> {
    assertInputRequest(p);
    this.#assertResumable('requestInput');
    const recorded = this.#recorded('input')[this.#inputs++];
    if (recorded?.answer) return inputAnswer(recorded, p.message);
    if (!recorded) {
      const { durability, runtime } = this.#task.runner;
      await this.#record(inputRequest({ runtime, call: undefined, ttlMs: p.ttlMs ?? durability.interruptTtlMs }, p));
    }
    return this.#pause(`Agent ${this.#context.agentName} waits for an answer.`);
  }

  async sleep(ms: number): Promise<void> {
    assertDuration('ms', ms);
    const { runtime, signal } = this.#context;
    if (ms <= MAX_WAIT_IN_PROCESS_MS) return runtime.sleep(ms, signal);
    const n = this.#sleeps.get(ms) ?? 0;
    this.#sleeps.set(ms, n + 1);
    const recorded = this.#recorded('timer').filter(({ call }) => call.args['ms'] === ms)[n];
    return this.#waitUntil(runtime.now() + ms / 1_000, recorded, ms);
  }

  async sleepUntil(time: number): Promise<void> {
    if (typeof time !== 'number' || !Number.isFinite(time)) throw invalidInput('time', 'a number of seconds', time);
    const recorded = this.#recorded('timer').find(
      ({ call }) => call.args['wakeAt'] === time && call.args['ms'] === undefined,
    );
    const { runtime, signal } = this.#context;
    const ms = (time - runtime.now()) * 1_000;
    if (!recorded && ms <= MAX_WAIT_IN_PROCESS_MS) return ms > 0 ? runtime.sleep(ms, signal) : undefined;
    return this.#waitUntil(time, recorded, undefined);
  }

  /** Returns the requests of this agent itself, oldest first. */
  #recorded(kind: InterruptKind): RecordedInterrupt[] {
    const { invocationId, interrupts, rootPlace } = this.#task;
    return interrupts
      .ofInvocation(invocationId)
      .filter(
        ({ interrupt, event }) =>
          interrupt.kind === kind &&
          interrupt.functionCallId === undefined &&
          placeOf(event, rootPlace) === this.#context.place,
      );
  }

  async #waitUntil(wakeAt: number, recorded: RecordedInterrupt | undefined, ms: number | undefined): Promise<void> {
    if (recorded?.answer) return;
    this.#assertResumable('A wait of more than 60 s');
    if (!recorded) await this.#record(timerRequest(this.#task.runner.runtime, wakeAt, ms));
    return this.#pause(`Agent ${this.#context.agentName} waits until ${new Date(wakeAt * 1_000).toISOString()}.`);
  }

  async #record(request: InterruptRequest): Promise<void> {
    const { agentName: author, branch, invocationId, runtime } = this.#context;
    const event = this.#context.claim(requestEvent({ author, invocationId, branch, runtime }, [request]));
    const stored = await this.#task.commit(event);
    if (stored) this.#task.output.push(stored);
  }

  #pause(message: string): never {
    this.#task.pauses(this.#context.place);
    throw new RunPaused(message);
  }

  #assertResumable(what: string): void {
    this.#task.state.assertOpen();
    if (this.#task.isResumable) return;
    const reason = this.#task.isChild ? 'a child run' : 'an app with resumability.isResumable: false';
    throw new TholeError('INVALID_INPUT', `${what} is not possible in ${reason}: it cannot pause.`);
  }
}
