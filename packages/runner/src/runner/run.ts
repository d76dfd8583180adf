import { isFinalResponse, TholeError } from '@thole/core';
import type { Agent, Event, Usage } from '@thole/core';
import { RunTask } from '../invocation/run-task.ts';
import { aborted } from '../invocation/run-errors.ts';
import { OutputQueue } from '../invocation/output-queue.ts';
import type { RunHost, RunOptions } from './runner-deps.ts';
import { textsOf } from './texts-of.ts';

/** One invocation: its events as they happen. Errors come from the iterable; there is one reader. */
export interface Run extends AsyncIterableIterator<Event> {
  readonly invocationId: string;
  /** The session of the run: the session that was asked for, or a new one. */
  readonly sessionId: string;
  /** Resolves when the run has closed; never rejects. Without a reader it lets the run go on by itself. */
  readonly done: Promise<void>;
  /** Ends the run: `RUN_ABORTED`, with the reason as its cause. */
  abort(reason?: unknown): void;
  /**
   * The run as text: partial texts as they come, and whole texts of answers that were not streamed. An agent with an
   * `outputSchema` gives its answers whole, after they passed.
   */
  text(): AsyncIterable<string>;
}

/** The reader's side of an invocation: leaving it, or reading it to the end, is all that a reader can do. */
export class RunHandle implements Run {
  readonly #invocation: RunTask;
  readonly #reader: OutputQueue;
  readonly #sessionId: string;
  #hasReader: boolean = false;

  constructor(host: RunHost, options: RunOptions, sessionId: string) {
    this.#sessionId = sessionId;
    this.#reader = new OutputQueue(host.runtime);
    this.#invocation = new RunTask(host, options, { reader: this.#reader, sessionId });
    if (!this.#invocation.attached) queueMicrotask(() => this.#invocation.begin());
  }

  get sessionId(): string {
    return this.#sessionId;
  }

  /** Tokens of all stored answers, those of agents that ran as tools included. */
  get usage(): Usage {
    return this.#invocation.usage;
  }

  get invocationId(): string {
    return this.#invocation.invocationId;
  }

  next(): Promise<IteratorResult<Event>> {
    if (this.#reader.asking) return Promise.reject(secondReader());
    this.#invocation.begin();
    return this.#reader.next();
  }

  async return(): Promise<IteratorResult<Event>> {
    const last = this.#reader.taken;
    this.#reader.leave();
    this.#invocation.leave({ atFinalResponse: last !== undefined && isAnswer(last) });
    await this.#invocation.closed;
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    if (this.#hasReader) throw secondReader();
    this.#hasReader = true;
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  text(): AsyncIterable<string> {
    const reader = this[Symbol.asyncIterator]();
    const isChecked = (author: string): boolean => hasOutputSchema(this.#invocation.agentNamed(author));
    return textsOf({ [Symbol.asyncIterator]: () => reader }, isChecked);
  }

  get done(): Promise<void> {
    if (!this.#hasReader && this.#invocation.isNew) this.#invocation.attached = false;
    this.#invocation.begin();
    return this.#invocation.closed;
  }

  abort(reason?: unknown): void {
    this.#invocation.stop(aborted(this.invocationId, reason));
  }
}

function hasOutputSchema(agent: Agent | undefined): boolean {
  return (agent as { outputSchema?: unknown } | undefined)?.outputSchema !== undefined;
}

// A whole answer; an event with changes of state alone answers nothing.
function isAnswer(event: Event): boolean {
  return !event.partial && event.author !== 'user' && event.content !== undefined && isFinalResponse(event);
}

function secondReader(): TholeError {
  return new TholeError('INVALID_INPUT', 'A run has one reader, and this one is being read already.');
}
