import type { ElicitResult } from '@modelcontextprotocol/client';
import type { CancelTimer, Runtime, ToolContext } from '@thole/core';
import { TholeError } from '@thole/core';
import type { CallInProgress } from '../connection/mcp-connection.ts';
import { readElicitation } from './elicitation.ts';
import type { Elicitation } from './elicitation.ts';

const MAX_QUESTIONS = 10;
const MAX_PROGRESS = 1_000;
const MAX_PROGRESS_TEXT = 500;
/** The result may be on its way through the SDK when the response has ended. */
const STREAM_END_MS = 1_000;

/** Time limits of one call, in milliseconds. */
export interface CallLimits {
  /** Without progress. */
  readonly callTimeoutMs: number;
  readonly maxCallTimeMs: number;
  /** Until a question that keeps the call open is declined. */
  readonly elicitationTimeoutMs: number;
}

/** Settings of a call. */
export interface RunningCallOptions {
  readonly server: string;
  readonly toolName: string;
  readonly limits: CallLimits;
  readonly runtime: Runtime;
  /** Sends the call. Progress goes to `call.progress`, and questions to `call.ask`. */
  readonly send: (call: RunningCall) => Promise<unknown>;
}

/** Progress that a server reports. */
export interface ProgressReport {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

type OpenQuestion = Elicitation & { answer: (result: ElicitResult) => void; isAnswered: boolean };

/**
 * One call that a server handles. With servers of the older protocol it stays open while the run waits for the answer to a
 * question, so it can outlive the attempt that began it.
 */
export class RunningCall implements CallInProgress {
  readonly #options: RunningCallOptions;
  readonly #abort = new AbortController();
  readonly #questions: OpenQuestion[] = [];
  readonly #result: Promise<unknown>;
  #timers: CancelTimer[] = [];
  #cancelSilence: CancelTimer | undefined;
  #context: ToolContext | undefined;
  #reports = 0;
  #reason: unknown;
  #wake: () => void = () => undefined;
  #hasEnded = false;

  constructor(options: RunningCallOptions) {
    this.#options = options;
    this.#startTimers();
    const sent = options.send(this).catch((error: unknown) => {
      throw this.signal.aborted ? this.#reason : error;
    });
    this.#result = sent.finally(() => {
      this.#hasEnded = true;
      this.#stopTimers();
      for (const question of this.#questions) settle(question, { action: 'cancel' });
      this.#wake();
    });
    this.#result.catch(() => undefined);
  }

  /** Aborted when the call ends without a result. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Reports progress to this context and ends the call when its signal is aborted, until the returned function is called. */
  attach(context: ToolContext): () => void {
    const { signal } = context;
    const abort = (): void => this.cancel(signal.reason);
    this.#context = context;
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    return () => {
      this.#context = undefined;
      signal.removeEventListener('abort', abort);
    };
  }

  /** Returns the i-th question when the server has asked it, or undefined when the call has ended before. */
  async question(i: number): Promise<Elicitation | undefined> {
    while (this.#questions.length <= i && !this.#hasEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#questions[i];
  }

  /** Answers the i-th question. Has no effect if it was answered or declined before. */
  answer(i: number, result: ElicitResult): void {
    settle(this.#questions[i]!, result);
  }

  /** Returns the result of the call when it has ended. */
  async result(): Promise<unknown> {
    return this.#result;
  }

  cancel(reason: unknown): void {
    if (this.#hasEnded || this.signal.aborted) return;
    this.#reason = reason;
    // The server receives this text.
    this.#abort.abort(new TholeError('MCP_SERVER_FAILED', 'The call was cancelled.'));
  }

  /** Ends the call if its result does not follow. */
  streamEnded(failure: TholeError | undefined): void {
    if (failure) return this.cancel(failure);
    const { server, toolName, runtime } = this.#options;
    const message = `The MCP server "${server}" ended its response before the result of ${toolName}. The call may or may not have taken effect.`;
    this.#timers.push(runtime.timer(STREAM_END_MS, () => this.cancel(new TholeError('MCP_SERVER_FAILED', message))));
  }

  progress({ progress, total, message }: ProgressReport): void {
    if (this.#questions.every(({ isAnswered }) => isAnswered)) this.#restartSilence();
    if (!this.#context || this.#reports++ >= MAX_PROGRESS) return;
    const numbers = total === undefined ? `${progress}` : `${progress} of ${total}`;
    this.#context.reportProgress((message ?? numbers).slice(0, MAX_PROGRESS_TEXT));
  }

  async ask(params: unknown, signal: AbortSignal): Promise<ElicitResult> {
    const { server, limits, runtime } = this.#options;
    const elicitation = readElicitation(params, server);
    if (!elicitation || this.#questions.length >= MAX_QUESTIONS) return { action: 'decline' };
    // The time of a person does not count as the server's.
    this.#stopTimers();
    const answered = await new Promise<ElicitResult>((resolve) => {
      const question: OpenQuestion = { ...elicitation, answer: resolve, isAnswered: false };
      this.#questions.push(question);
      const cancelTimer = runtime.timer(limits.elicitationTimeoutMs, () => settle(question, { action: 'decline' }));
      const withdraw = (): void => settle(question, { action: 'cancel' });
      signal.addEventListener('abort', withdraw, { once: true });
      question.answer = (result) => {
        cancelTimer();
        signal.removeEventListener('abort', withdraw);
        resolve(result);
      };
      this.#wake();
    });
    if (!this.#hasEnded) this.#startTimers();
    return answered;
  }

  #startTimers(): void {
    const { runtime, limits } = this.#options;
    this.#stopTimers();
    this.#timers = [runtime.timer(limits.maxCallTimeMs, () => this.cancel(this.#tooLate(limits.maxCallTimeMs)))];
    this.#restartSilence();
  }

  #restartSilence(): void {
    const { runtime, limits } = this.#options;
    this.#cancelSilence?.();
    this.#cancelSilence = runtime.timer(limits.callTimeoutMs, () => this.cancel(this.#tooLate(limits.callTimeoutMs)));
  }

  #stopTimers(): void {
    this.#cancelSilence?.();
    for (const cancelTimer of this.#timers) cancelTimer();
  }

  #tooLate(ms: number): TholeError {
    const { toolName, server } = this.#options;
    const message = `The MCP server "${server}" did not answer the call of ${toolName} in ${ms} ms. The call may or may not have taken effect.`;
    return new TholeError('MCP_SERVER_FAILED', message, { retryable: false });
  }
}

function settle(question: OpenQuestion, result: ElicitResult): void {
  if (question.isAnswered) return;
  question.isAnswered = true;
  question.answer(result);
}
