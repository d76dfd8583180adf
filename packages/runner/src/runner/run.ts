import { getFunctionResponses, isFinalResponse, textOf, TholeError } from '@thole/core';
import type { Agent, AgentTree, Event, FunctionCall, Interrupt, Usage } from '@thole/core';
import type { RunRequest } from '../invocation/run-request.ts';
import { abortedError } from '../invocation/run-state.ts';
import { RunTask } from '../invocation/run-task.ts';
import type { RunInit } from './runner-deps.ts';

/** A run, as an iterable of its events. If the run failed, the iterable throws the error after the last event. It can be read once. */
export interface Run extends AsyncIterableIterator<Event> {
  /** Id of the invocation. For a resumed run that was started without `invocationId`, the id is valid after `opened` resolves. */
  readonly invocationId: string;
  /** Id of this run. An invocation has several runs after a pause or a crash. */
  readonly runId: string;
  /**
   * Resolves when the session is open, before the first event. Rejects if the run fails before that. Reading this
   * property does not begin the run.
   */
  readonly opened: Promise<{ invocationId: string }>;
  /** Resolves with the outcome when the run has ended. Never rejects. Reading this property begins the run, like `done`. */
  readonly result: Promise<RunResult>;
  /** Id of the session: the `sessionId` of the request, or the id of the new session. */
  readonly sessionId: string;
  /**
   * Resolves when the run has ended. Never rejects. Reading this property begins the run. A run without a reader then does not
   * wait for one.
   */
  readonly done: Promise<void>;
  /** Stops the run with `RUN_ABORTED`. The `reason` becomes the cause of the error. */
  abort(reason?: unknown): void;
  /**
   * Stops the run because its process ends. If sessions outlive the process, the end of the run is not recorded, so that
   * another process can continue the invocation. Otherwise the same as `abort`.
   */
  shutDown(reason?: unknown): void;
  /**
   * Yields the texts of the run: partial texts as they arrive, and complete texts of answers that were not streamed. An answer
   * of an agent with an `outputSchema` is yielded as a whole, after validation.
   */
  text(): AsyncIterable<string>;
}

/** The end of a run. */
export interface RunResult {
  /** `paused`: the invocation waits for an answer to one of its `interrupts`, and can be resumed. */
  status: 'completed' | 'paused' | 'failed';
  invocationId: string;
  /** Open interrupts of the invocation, oldest first. */
  interrupts: Interrupt[];
  /** Tokens of all model calls of the invocation, including those of agents that ran as tools. */
  usage: Usage;
  /** Cost by `App.costOf`. Undefined without it. */
  cost: number | undefined;
  /** Error of a failed run. */
  error?: TholeError | undefined;
}

/** The result of `runToCompletion`. */
export interface Completion<O = unknown> {
  /** Text of the last final response of an agent, without thoughts. Results of tools are not included. */
  text: string;
  /** The text, parsed as JSON, if its agent has an `outputSchema`. Undefined if a callback answered with text that is not JSON. */
  output: O | undefined;
  /** All stored events that the run yielded, in order. */
  events: Event[];
  /** Tokens of all model calls, including those of agents that ran as tools. */
  usage: Usage;
  /** The provider's reason of the last final response, also if that response is empty or blocked. */
  finishReason: string | undefined;
  sessionId: string;
  invocationId: string;
  /** `paused`: the invocation waits for an answer to one of its `interrupts`, and can be resumed. */
  status: 'completed' | 'paused';
  /** Open interrupts of the invocation, oldest first. */
  interrupts: Interrupt[];
  /** Cost by `App.costOf`. Undefined without it. */
  cost: number | undefined;
}

/** Implements `Run` for the caller. The work is in `RunTask`. */
export class RunHandle implements Run {
  readonly #task: RunTask;
  #hasReader: boolean = false;

  constructor(init: RunInit, request: RunRequest) {
    this.#task = new RunTask(init, request);
    if (!this.#task.attached) queueMicrotask(() => this.#task.begin());
  }

  get invocationId(): string {
    return this.#task.invocationId;
  }
  get runId(): string {
    return this.#task.runId;
  }
  get opened(): Promise<{ invocationId: string }> {
    return this.#task.whenOpened.then(() => ({ invocationId: this.invocationId }));
  }
  get result(): Promise<RunResult> {
    return this.done.then(() => this.#result());
  }
  get sessionId(): string {
    return this.#task.ref.sessionId;
  }
  /** Tokens of all stored answers, including those of agents that ran as tools. */
  get usage(): Usage {
    return this.#task.calls.usage;
  }

  next(): Promise<IteratorResult<Event>> {
    if (this.#task.output.isRequested) return Promise.reject(secondReaderError());
    this.#task.begin();
    return this.#task.output.next();
  }

  async return(): Promise<IteratorResult<Event>> {
    const { output } = this.#task;
    const last = output.currentEvent;
    output.leave();
    this.#task.leave({ atFinalResponse: last !== undefined && isFinalAnswer(last) });
    await this.#task.done;
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    if (this.#hasReader) throw secondReaderError();
    this.#hasReader = true;
    return this;
  }

  text(): AsyncIterable<string> {
    const reader = this[Symbol.asyncIterator]();
    const isChecked = (author: string): boolean => hasOutputSchema(this.#task.agents.find(author));
    return textsOf({ [Symbol.asyncIterator]: () => reader }, isChecked);
  }

  get done(): Promise<void> {
    if (!this.#hasReader && this.#task.state.phase === 'new') this.#task.attached = false;
    this.#task.begin();
    return this.#task.done;
  }

  /** Returns the function calls that record the open interrupts of the invocation. */
  openRequests(): FunctionCall[] {
    const { invocationId, opened } = this.#task;
    if (!opened) return [];
    const recorded = this.#task.interrupts.ofInvocation(invocationId).filter(({ isOpen }) => isOpen);
    return recorded.map(({ call }) => call);
  }

  /** Returns the events of the session, without the first `count`. */
  storedEvents(count: number = 0): Event[] {
    const { opened } = this.#task;
    if (!opened) return [];
    const { log } = opened.session;
    return Array.from({ length: Math.max(0, log.length - count) }, (_, i) => log.at(count + i)!);
  }

  #result(): RunResult {
    const { calls, invocationId, errorAtEnd, opened, state } = this.#task;
    const outcome = state.outcome!;
    const error = outcome.status === 'failed' ? outcome.error : errorAtEnd;
    const answerable = opened ? this.#task.interrupts.answerable().map(({ interrupt }) => interrupt) : [];
    return {
      status: error ? 'failed' : outcome.status,
      invocationId,
      interrupts: answerable.filter((each) => each.invocationId === invocationId),
      usage: calls.usage,
      cost: calls.cost,
      ...(error && { error }),
    };
  }

  abort(reason?: unknown): void {
    this.#task.stop(abortedError(this.invocationId, reason));
  }

  shutDown(reason?: unknown): void {
    this.#task.shutDown(0, abortedError(this.invocationId, reason));
  }
}

/** Reads a run to its end. Rejects with the error of the run. */
export async function readToCompletion<O>(run: RunHandle, tree: AgentTree): Promise<Completion<O>> {
  const { sessionId, usage } = run;
  const completion: Completion<O> = {
    text: '',
    output: undefined,
    events: [],
    usage,
    finishReason: undefined,
    sessionId,
    invocationId: run.invocationId,
    status: 'completed',
    interrupts: [],
    cost: undefined,
  };
  for await (const event of run) {
    if (event.partial) continue;
    completion.events.push(event);
    if (!isFinalAnswer(event)) continue;
    completion.text = textOf(event.content);
    completion.finishReason = event.finishReason;
    completion.output = hasOutputSchema(tree.find(event.author)) ? parseJson<O>(completion.text) : undefined;
  }
  const { status, interrupts, invocationId, cost } = await run.result;
  return { ...completion, status: status === 'paused' ? 'paused' : 'completed', interrupts, invocationId, cost };
}

/**
 * Yields the texts of a run. `isChecked` returns true for authors whose answers are validated before they are stored. Partial
 * events of these authors are left out.
 */
async function* textsOf(
  events: AsyncIterable<Event>,
  isChecked: (author: string) => boolean,
): AsyncGenerator<string, void> {
  // By event id: the partial events of concurrent branches alternate.
  const streamed = new Set<string>();
  for await (const event of events) {
    if (event.author === 'user') continue;
    const text = textOf(event.content);
    if (event.partial) {
      if (!text || isChecked(event.author)) continue;
      streamed.add(event.id);
      yield text;
    } else if (!streamed.delete(event.id) && text) {
      yield text;
    }
  }
}

function isFinalAnswer(event: Event): boolean {
  const { author, content, finishReason, partial } = event;
  // An event with neither only changes state. An empty or blocked answer of a model has a finish reason only.
  if (partial || author === 'user' || (content ?? finishReason) === undefined || !isFinalResponse(event)) return false;
  // The result of a tool that ends the turn, such as `exit_loop`, does not replace the answer before it.
  return textOf(content) !== '' || getFunctionResponses(event).length === 0;
}

function hasOutputSchema(agent: Agent | undefined): boolean {
  return (agent as { outputSchema?: unknown } | undefined)?.outputSchema !== undefined;
}

// Answers of models have been validated. Answers of callbacks and plugins have not.
function parseJson<O>(text: string): O | undefined {
  try {
    return JSON.parse(text) as O;
  } catch {
    return undefined;
  }
}

function secondReaderError(): TholeError {
  return new TholeError('INVALID_INPUT', 'A run can be read only once, and this run already has a reader.');
}
