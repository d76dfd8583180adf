import type { ElicitResult } from '@modelcontextprotocol/client';
import type { CancelTimer, Runtime, ToolContext } from '@thole/core';
import { TholeError } from '@thole/core';
import type { CallInProgress } from '../connection/mcp-connection.ts';
import { readElicitation } from './elicitation.ts';
import type { Elicitation } from './elicitation.ts';

const MAX_QUESTIONS = 10;
const MAX_PROGRESS = 1_000;
const MAX_PROGRESS_TEXT = 500;
/** Time to wait for the result after the end of the response, because the SDK may still be processing it. */
const STREAM_END_MS = 1_000;

/** Time limits of one call, in milliseconds. */
export interface CallLimits {
  /** Time without progress after which the call ends. */
  readonly callTimeoutMs: number;
  /** Time after which the call ends, with or without progress. */
  readonly maxCallTimeMs: number;
  /** Time after which a question is declined. The call stays open until then. */
  readonly elicitationTimeoutMs: number;
}

/** Settings of a call. */
export interface RunningCallOptions {
  readonly server: string;
  readonly toolName: string;
  readonly limits: CallLimits;
  readonly runtime: Runtime;
  /** Sends the call. Passes progress to `call.handleProgress`, and questions to `call.handleQuestion`. */
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
  #cancelSilenceTimer: CancelTimer | undefined;
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

  /** Waits for the i-th question of the server. Resolves with undefined if the call ends first. */
  async waitForQuestion(i: number): Promise<Elicitation | undefined> {
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

  /** Waits for the end of the call. Resolves with its result. */
  async waitForResult(): Promise<unknown> {
    return this.#result;
  }

  cancel(reason: unknown): void {
    if (this.#hasEnded || this.signal.aborted) return;
    this.#reason = reason;
    // The server receives this text.
    this.#abort.abort(new TholeError('MCP_SERVER_FAILED', 'The call was cancelled.'));
  }

  /** Called at the end of the response stream. Ends the call if its result does not follow. */
  handleStreamEnd(failure: TholeError | undefined): void {
    if (failure) return this.cancel(failure);
    const { server, toolName, runtime } = this.#options;
    const message = `The MCP server "${server}" ended its response before the result of ${toolName}. The call may or may not have taken effect.`;
    this.#timers.push(runtime.timer(STREAM_END_MS, () => this.cancel(new TholeError('MCP_SERVER_FAILED', message))));
  }

  handleProgress({ progress, total, message }: ProgressReport): void {
    if (this.#questions.every(({ isAnswered }) => isAnswered)) this.#restartSilenceTimer();
    if (!this.#context || this.#reports++ >= MAX_PROGRESS) return;
    const numbers = total === undefined ? `${progress}` : `${progress} of ${total}`;
    this.#context.reportProgress((message ?? numbers).slice(0, MAX_PROGRESS_TEXT));
  }

  async handleQuestion(params: unknown, signal: AbortSignal): Promise<ElicitResult> {
    const { server, limits, runtime } = this.#options;
    const elicitation = readElicitation(params, server);
    if (!elicitation || this.#questions.length >= MAX_QUESTIONS) return { action: 'decline' };
    // The time in which a person answers does not count.
    this.#stopTimers();
    const { promise, resolve } = Promise.withResolvers<ElicitResult>();
    const question: OpenQuestion = { ...elicitation, answer: resolve, isAnswered: false };
    this.#questions.push(question);
    const cancelTimer = runtime.timer(limits.elicitationTimeoutMs, () => settle(question, { action: 'decline' }));
    const withdraw = (): void => settle(question, { action: 'cancel' });
    signal.addEventListener('abort', withdraw, { once: true });
    this.#wake();
    const userAnswer = await promise;
    cancelTimer();
    signal.removeEventListener('abort', withdraw);
    if (!this.#hasEnded) this.#startTimers();
    return userAnswer;
  }

  #startTimers(): void {
    const { runtime, limits } = this.#options;
    this.#stopTimers();
    this.#timers = [runtime.timer(limits.maxCallTimeMs, () => this.cancel(this.#timeoutError(limits.maxCallTimeMs)))];
    this.#restartSilenceTimer();
  }

  #restartSilenceTimer(): void {
    const { runtime, limits } = this.#options;
    this.#cancelSilenceTimer?.();
    this.#cancelSilenceTimer = runtime.timer(limits.callTimeoutMs, () =>
      this.cancel(this.#timeoutError(limits.callTimeoutMs)),
    );
  }

  #stopTimers(): void {
    this.#cancelSilenceTimer?.();
    for (const cancelTimer of this.#timers) cancelTimer();
  }

  #timeoutError(ms: number): TholeError {
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
