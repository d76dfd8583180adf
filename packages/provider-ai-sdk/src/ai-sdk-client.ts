import { ProviderConnection, TholeError } from '@thole/core';
import { raceAbort } from '@thole/core/kit';
import type { ErrorTable } from '@thole/core';
import { aiSdkErrors } from './map-ai-sdk-error.ts';
import type { AiSdkConnectionOptions } from './ai-sdk-options.ts';

const TIMEOUT_MS = 600_000;
const IDLE_TIMEOUT_MS = 300_000;

/**
 * Calls a model of the AI SDK with time limits, retries and Thole's errors. The model sends its own requests, so the limits
 * apply to its methods and to the parts of its stream. AI SDK models do not retry.
 */
export class AiSdkClient {
  readonly connection: ProviderConnection;
  readonly #errors: ErrorTable;
  readonly #timeoutMs: number;
  readonly #idleTimeoutMs: number;

  constructor(options: AiSdkConnectionOptions, provider: string) {
    const { timeoutMs = TIMEOUT_MS, idleTimeoutMs = IDLE_TIMEOUT_MS, providerOptions: _, ...connection } = options;
    this.#timeoutMs = timeoutMs;
    this.#idleTimeoutMs = idleTimeoutMs;
    this.#errors = aiSdkErrors(provider, () => this.connection.runtime.now());
    this.connection = new ProviderConnection(connection, this.#errors);
  }

  /** Returns the error for an `error` part of a stream. */
  explain(error: unknown): TholeError {
    return this.#errors.explain(error, 'reading');
  }

  /** Returns the result of one call. Throws `MODEL_TIMEOUT` if it takes longer than `timeoutMs`. */
  call<T>(send: (signal: AbortSignal) => PromiseLike<T>, signal: AbortSignal): Promise<T> {
    return this.#callWithLimit(send, signal, new AbortController());
  }

  /**
   * Opens a stream and returns its parts. Throws `MODEL_TIMEOUT` if it does not open within `timeoutMs`, or if no part
   * arrives for `idleTimeoutMs` while it is read.
   */
  async open(send: (signal: AbortSignal) => PromiseLike<object>, signal: AbortSignal): Promise<AsyncIterable<unknown>> {
    const limit = new AbortController();
    const result: { readonly stream?: unknown } = (await this.#callWithLimit(send, signal, limit)) ?? {};
    const stream = result.stream as ReadableStream<unknown> | undefined;
    if (typeof stream?.getReader !== 'function')
      throw new TholeError('MODEL_PROTOCOL', 'The AI SDK model returned a result without a stream.');
    return this.#read(endWithSignal(stream, AbortSignal.any([signal, limit.signal])), limit);
  }

  async #callWithLimit<T>(
    send: (signal: AbortSignal) => PromiseLike<T>,
    signal: AbortSignal,
    limit: AbortController,
  ): Promise<T> {
    const anySignal = AbortSignal.any([signal, limit.signal]);
    const cancel = this.#abortAfter(this.#timeoutMs, limit);
    try {
      return await raceAbort(Promise.resolve(send(anySignal)), anySignal);
    } catch (error) {
      throw limit.signal.aborted ? limit.signal.reason : error;
    } finally {
      cancel();
    }
  }

  async *#read<T>(stream: ReadableStream<T>, limit: AbortController): AsyncGenerator<T> {
    const reader = stream.getReader();
    let isDone = false;
    try {
      for (;;) {
        // The limit applies only while a part is awaited, so that a slow reader does not cause a timeout.
        const cancel = this.#abortAfter(this.#idleTimeoutMs, limit);
        const step = await reader.read().finally(cancel);
        isDone = step.done;
        if (step.done) return;
        yield step.value;
      }
    } catch (error) {
      throw limit.signal.aborted ? limit.signal.reason : error;
    } finally {
      if (!isDone) reader.cancel().catch(noop);
    }
  }

  #abortAfter(ms: number, limit: AbortController): () => void {
    return this.connection.runtime.timer(ms, () => limit.abort(timeoutError(ms)));
  }
}

/** Returns a stream that fails with the signal's reason, even if the model ignores the signal. */
function endWithSignal<T>(stream: ReadableStream<T>, signal: AbortSignal): ReadableStream<T> {
  const reader = stream.getReader();
  return new ReadableStream<T>(
    {
      start(controller) {
        const abort = (): void => {
          controller.error(signal.reason);
          reader.cancel(signal.reason).catch(noop);
        };
        if (signal.aborted) abort();
        else signal.addEventListener('abort', abort, { once: true });
      },
      async pull(controller) {
        const { done, value } = await reader.read();
        if (signal.aborted) return;
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel(reason) {
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Returns the error of a time limit. `endedBy` prevents a retry, because the server may still work on the answer. */
const timeoutError = (ms: number): TholeError =>
  new TholeError('MODEL_TIMEOUT', `The AI SDK model sent nothing for ${ms} ms.`, { details: { endedBy: 'client' } });

function noop(): void {}
