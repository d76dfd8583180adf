import { createEvent, getFunctionCalls, getFunctionResponses, TholeError } from '@thole/core';
import { assertSeconds, failInvalidJson, invalidInput, JsonCopier, MAX_SECONDS } from '@thole/core/kit';
import type { RecordedInterrupt } from '@thole/core/kit';
import type { Event, InputRequest, InterruptKind, Json, MaybePromise, StepFunction } from '@thole/core';
import { assertInputRequest, cannotPauseError, inputAnswer } from '../flow/input-answer.ts';
import { childNumberOf } from '../flow/child-request.ts';
import { inputRequest, requestEvent, timerRequest } from '../flow/interrupt-request.ts';
import type { InterruptRequest } from '../flow/interrupt-request.ts';
import { placeOf } from '../history/progress.ts';
import { RunPaused } from '../hooks/run-paused.ts';
import type { RunTask } from '../invocation/run-task.ts';
import { emptyEvent } from '../session/live-session.ts';
import type { AgentContext } from './agent-context.ts';

// A resumed run does not repeat waits that have an answer, steps that have a result, and events that are stored.

/** Longest wait during which the run stays active, in milliseconds. A longer wait pauses the run. */
const MAX_WAIT_IN_PROCESS_MS = 60_000;

/**
 * Name in `nodeInfo` of the ids of events that an agent yielded before this event, and that were not stored: a plugin dropped them,
 * or the caller of the agent did not pass them on.
 */
export const NOT_STORED = 'notStored';

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
      await this.record([inputRequest({ runtime, call: undefined, ttlMs: p.ttlMs ?? durability.interruptTtlMs }, p)]);
    }
    return this.#pause(`Agent ${this.#context.agentName} waits for an answer.`);
  }

  async sleep(ms: number): Promise<void> {
    if (!(typeof ms === 'number' && ms > 0 && ms < Infinity))
      throw new TholeError('INVALID_INPUT', 'ms must be a finite number of milliseconds above 0.');
    const { runtime, signal } = this.#context;
    if (ms <= MAX_WAIT_IN_PROCESS_MS) return runtime.sleep(ms, signal);
    assertReachable(runtime.now() + ms / 1_000);
    const n = this.#sleeps.get(ms) ?? 0;
    this.#sleeps.set(ms, n + 1);
    const recorded = this.#recorded('timer').filter(({ call }) => call.args['ms'] === ms)[n];
    return this.#waitUntil(runtime.now() + ms / 1_000, recorded, ms);
  }

  async sleepUntil(time: number): Promise<void> {
    assertSeconds('time', time);
    const recorded = this.#recorded('timer').find(
      ({ call }) => call.args['wakeAt'] === time && call.args['ms'] === undefined,
    );
    const { runtime, signal } = this.#context;
    const ms = (time - runtime.now()) * 1_000;
    if (!recorded && ms <= MAX_WAIT_IN_PROCESS_MS) return ms > 0 ? runtime.sleep(ms, signal) : undefined;
    return this.#waitUntil(time, recorded, undefined);
  }

  pauseForChild(): never {
    return this.#pause(`A child run of agent ${this.#context.agentName} waits for an answer.`);
  }

  /** Returns the requests of the n-th child run of this agent, oldest first. */
  requestsOfChild(n: number): RecordedInterrupt[] {
    return this.#ownRequests().filter(({ call }) => childNumberOf(call) === n);
  }

  /** Returns the requests that this agent itself has made, oldest first. */
  #recorded(kind: InterruptKind): RecordedInterrupt[] {
    return this.#ownRequests().filter(
      ({ call, interrupt }) => interrupt.kind === kind && childNumberOf(call) === undefined,
    );
  }

  /** Returns the requests of this agent and its child runs, without those of its tools. */
  #ownRequests(): RecordedInterrupt[] {
    const { invocationId, interrupts, rootPlace } = this.#task;
    return interrupts
      .ofInvocation(invocationId)
      .filter(
        ({ interrupt, event }) =>
          interrupt.functionCallId === undefined && placeOf(event, rootPlace) === this.#context.place,
      );
  }

  async #waitUntil(wakeAt: number, recorded: RecordedInterrupt | undefined, ms: number | undefined): Promise<void> {
    if (recorded?.answer) return;
    this.#assertResumable('A wait of more than 60 s');
    if (!recorded) await this.record([timerRequest(this.#task.runner.runtime, wakeAt, ms)]);
    return this.#pause(`Agent ${this.#context.agentName} waits until ${new Date(wakeAt * 1_000).toISOString()}.`);
  }

  /** Stores requests of this agent or of its child runs. */
  async record(requests: readonly InterruptRequest[]): Promise<void> {
    const { agentName: author, branch, invocationId, runtime } = this.#context;
    const event = this.#context.prepareEvent(requestEvent({ author, invocationId, branch, runtime }, requests));
    const stored = await this.#task.commit(event);
    if (stored) this.#task.output.push(stored);
  }

  #pause(message: string): never {
    this.#task.markPaused(this.#context.place);
    throw new RunPaused(message);
  }

  #assertResumable(what: string): void {
    this.#task.state.assertOpen();
    if (!this.#task.isResumable) throw cannotPauseError(what, this.#task.runner.durability);
  }
}

/** Throws `INVALID_INPUT` unless a timer of `sleep(ms)` can end at this time, in seconds. */
function assertReachable(time: number): void {
  if (time <= MAX_SECONDS) return;
  throw new TholeError('INVALID_INPUT', 'ms must end before the year 10000. To wait for an answer, use requestInput.');
}

/** The place of a step in its invocation. */
interface StepPlace {
  readonly path: string;
  readonly name: string;
  readonly n: number;
  readonly callId?: string | undefined;
}

/**
 * Returns the stored result of a step, or runs it and stores its result as an event without content. Throws `INVALID_INPUT` for
 * a result that is not JSON.
 */
export async function runStepOnce<R extends Json | undefined | void>(
  task: RunTask,
  step: StepPlace,
  p: {
    fn: StepFunction<R>;
    idempotencyKey: string;
    signal: AbortSignal;
    author: string;
    commit: (event: Event) => MaybePromise<Event | undefined>;
  },
): Promise<R> {
  if (typeof step.name !== 'string' || step.name === '')
    throw invalidInput("A step's name", 'a string that is not empty', step.name);
  if (typeof p.fn !== 'function') throw invalidInput(`Step ${step.name}`, 'a function', p.fn);
  const stored = task.progress?.resultOf(step);
  if (stored !== undefined) return stored as R;
  p.signal.throwIfAborted();
  const value = await p.fn({ idempotencyKey: p.idempotencyKey, signal: p.signal });
  p.signal.throwIfAborted();
  const result = new JsonCopier(failInvalidJson).copy((value ?? null) as Json, `The result of step ${step.name}`);
  const { invocationId, runner } = task;
  const customMetadata = { step: { ...step, callId: step.callId ?? null, result } };
  const event = createEvent({ author: p.author, invocationId, customMetadata }, runner.runtime);
  const committed = await p.commit(event);
  if (!committed?.customMetadata?.['step'])
    throw new TholeError('PLUGIN_FAILED', `A plugin dropped or changed the event of step ${step.name}.`);
  return result as R;
}

/** The stored events of an agent that runs again. Events that it yields again are compared with them instead of stored. */
export class EventReplay {
  readonly #agentName: string;
  readonly #place: string;
  /** The next events. Undefined for an event that was not stored. */
  readonly #events: (Event | undefined)[];

  constructor(agentName: string, place: string, events: readonly Event[]) {
    this.#agentName = agentName;
    this.#place = place;
    const stored = new Set(events.map(({ id }) => id));
    this.#events = events.flatMap((event) => [
      ...notStoredBefore(event)
        .filter((id) => !stored.has(id))
        .map(() => undefined),
      event,
    ]);
  }

  /** True if the agent has not yielded all of its earlier events again. */
  get isActive(): boolean {
    return this.#events.length > 0;
  }

  /**
   * Returns the stored event that this event repeats, or undefined for a new event. An event that was not stored before is not
   * stored now either. Throws `RESUME_DIVERGED` if the events differ in author or kind.
   */
  next(event: Event): Event | undefined {
    if (!this.isActive || event.partial) return undefined;
    if (event.nodeInfo?.path !== undefined && event.nodeInfo.path !== this.#place) return undefined;
    const stored = this.#events.shift();
    if (!stored) return emptyEvent(event);
    if (stored.author === event.author && kindOf(stored) === kindOf(event)) return stored;
    throw new TholeError(
      'RESUME_DIVERGED',
      `Agent ${this.#agentName} yielded another event than before (${kindOf(event)} of ${event.author} instead of ` +
        `${kindOf(stored)} of ${stored.author}). Put decisions that depend on state or on the outside into context.step().`,
    );
  }
}

/** Returns the ids of the events that the agent yielded before this event, and that were not stored. */
function notStoredBefore({ nodeInfo }: Event): readonly string[] {
  const ids = nodeInfo?.[NOT_STORED];
  return Array.isArray(ids) ? (ids as string[]) : [];
}

/** Returns the kind of an event by its parts. */
function kindOf(event: Event): string {
  if (getFunctionCalls(event).length > 0) return 'calls';
  if (getFunctionResponses(event).length > 0) return 'function responses';
  return event.content ? 'content' : 'an event without content';
}
