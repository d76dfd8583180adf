import type { Event } from '@thole/core';
import { pick } from './pick.ts';
import { path } from './request-path.ts';
import { invalid } from './assert-client-options.ts';
import { ClientError } from './client-error.ts';
import type { ClientCallOptions } from './client.ts';
import type { ClientHeaders, ClientRuntime } from './client-options.ts';
import type { ClientRun, ResumeRequest, RunRequest } from './client-run.ts';
import type { RequestOptions, Connection } from './connection.ts';
import { EventAssembler } from './event-assembler.ts';
import { readFrames } from './read-frames.ts';
import { abortedError, withTimeout } from './with-timeout.ts';

/** Returns the body of `/run` and `/run_sse`. */
export function toRunBody(request: Omit<RunRequest, 'onReconnect'>): object {
  const { newMessage } = request;
  return {
    ...pick(
      request,
      'appName',
      'userId',
      'sessionId',
      'streaming',
      'stateDelta',
      'invocationId',
      'regenerateInvocationId',
      'functionCallEventId',
      'customMetadata',
    ),
    newMessage:
      typeof newMessage === 'string' ? { role: 'user', parts: newMessage ? [{ text: newMessage }] : [] } : newMessage,
  };
}

/** Returns the header with the id of the message: the id in the request, or a random one. */
export function idempotencyHeaders(
  runtime: ClientRuntime,
  { messageId = `message-${randomHex(runtime)}` }: Pick<RunRequest, 'messageId'>,
): ClientHeaders {
  // A header cannot contain other characters.
  if (/[^ -~\xa0-\xff]/.test(messageId)) throw invalid('messageId must be printable Latin-1 text.');
  return { 'idempotency-key': messageId };
}

/** Returns 128 random bits. `crypto.randomUUID` does not exist on pages without HTTPS. */
function randomHex(runtime: ClientRuntime): string {
  let text = '';
  while (text.length < 32) text += Math.floor(runtime.random() * 16).toString(16);
  return text;
}

/** Reads a run over one or more connections. The constructor opens the first one. */
export class RunReader implements ClientRun {
  readonly invocationId: Promise<string>;
  readonly #connection: Connection;
  readonly #request: RunRequest | ResumeRequest;
  readonly #assembler: EventAssembler;
  readonly #events: AsyncGenerator<Event, void>;
  /** Aborted when the reader stops. */
  readonly #readerController: AbortController = new AbortController();
  /** Ends the current connection. */
  #connectionController: AbortController = new AbortController();
  #isReturned: boolean = false;
  /** Ids of partial events without their stored event. */
  readonly #unfinishedIds: Set<string> = new Set();
  /** Time of the last received data, heartbeats included. */
  #receivedAt: number = 0;
  #knownInvocationId: string | undefined;
  #resolveInvocationId!: (id: string) => void;
  #rejectInvocationId!: (error: unknown) => void;

  /** With `body` a new run is started, without it an existing run is read. */
  constructor(connection: Connection, request: RunRequest | ResumeRequest, body?: object) {
    this.#connection = connection;
    this.#request = request;
    this.#assembler = new EventAssembler((request as ResumeRequest).after || 0);
    this.invocationId = new Promise((resolve, reject) => {
      this.#resolveInvocationId = resolve;
      this.#rejectInvocationId = reject;
    });
    if (!body) this.#setInvocationId(request.invocationId);
    if (request.signal?.aborted) this.abort(request.signal.reason);
    else request.signal?.addEventListener('abort', this.#onAbort);
    const first = this.#connect(body);
    first.catch(this.#rejectInvocationId);
    // The reader receives the error from the iterable, so this rejection may stay unhandled. A caller may never read.
    this.invocationId.catch(() => this.#connectionController.abort());
    this.#events = this.#read(first);
  }

  get lastSeq(): number {
    return this.#assembler.lastSeq;
  }

  next(): Promise<IteratorResult<Event, void>> {
    return this.#events.next();
  }

  async return(): Promise<IteratorResult<Event, void>> {
    this.#isReturned = true;
    this.abort();
    return this.#events.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  abort(reason?: unknown): void {
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
    this.#readerController.abort(reason);
    this.#connectionController.abort();
    this.#rejectInvocationId(abortedError(this.#readerController.signal.reason));
  }

  async cancel(call?: ClientCallOptions): Promise<boolean> {
    const id = await this.#connection.withCallTimeout(call, () => this.invocationId);
    const options: RequestOptions = { call, method: 'POST' };
    return (await this.#connection.requestJson<{ cancelled: boolean }>(`${this.#runPath(id)}/cancel`, options))
      .cancelled;
  }

  readonly #onAbort = (): void => this.abort(this.#request.signal?.reason);

  async *#read(connecting: Promise<Body>): AsyncGenerator<Event, void> {
    const { runtime, options } = this.#connection;
    const { attempts = 8, maxDelayMs = 10_000 } = options.reconnect ?? {};
    try {
      for (let attempt = 0; ; connecting = this.#connect()) {
        let connectedAt = Infinity;
        try {
          const body = await connecting;
          this.#receivedAt = connectedAt = runtime.now();
          for await (const frame of readFrames(() => this.#readChunk(body))) {
            for (const event of this.#assembler.add(frame)) {
              if (this.#readerController.signal.aborted) throw abortedError(this.#readerController.signal.reason);
              this.#setInvocationId(event.invocationId);
              if (event.partial) {
                this.#unfinishedIds.add(event.id);
              } else {
                this.#unfinishedIds.delete(event.id);
                attempt = 0;
              }
              yield event;
            }
            if (this.#assembler.ended) return this.#discardPartials();
          }
          throw connectionLost();
        } catch (error) {
          if ((this.#receivedAt - connectedAt) * 1000 >= maxDelayMs) attempt = 0;
          this.#discardPartials();
          if (!this.#isReconnectable(error) || ++attempt > attempts) throw error;
          await this.#pause(attempt, error);
        } finally {
          this.#connectionController.abort();
        }
      }
    } catch (error) {
      this.#rejectInvocationId(error);
      if (!this.#isReturned) throw error;
    } finally {
      // Otherwise `invocationId` would never settle for a run without events.
      this.#rejectInvocationId(connectionLost());
      this.#request.signal?.removeEventListener('abort', this.#onAbort);
    }
  }

  /** Opens a connection and returns the reader of its body. */
  #connect(body?: object): Promise<Body> {
    const controller = new AbortController();
    this.#connectionController = controller;
    const { timeoutMs } = this.#request;
    return this.#connection.withCallTimeout({ signal: this.#readerController.signal, timeoutMs }, async () => {
      const route = body ? '/run_sse' : `${this.#runPath(this.#knownInvocationId)}/events`;
      const query = { after: (!body && this.lastSeq) || undefined };
      const headers = body && idempotencyHeaders(this.#connection.runtime, this.#request as RunRequest);
      const response = await this.#connection.fetch(route, { body, query, headers }, controller.signal);
      const reader = response.body?.getReader();
      const cancel = (): void => void reader?.cancel().catch(() => {});
      controller.signal.addEventListener('abort', cancel);
      if (controller.signal.aborted) cancel();
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
      if (!reader || !isStream) {
        const problem = isStream
          ? 'has no body. Pass a fetch that streams, such as expo/fetch'
          : 'is not an event stream';
        throw new ClientError(`The response to ${route} ${problem}.`, { code: 'INVALID_RESPONSE' });
      }
      this.#setInvocationId(response.headers.get('x-thole-invocation-id'));
      return reader;
    });
  }

  async #readChunk(body: Body): Promise<Uint8Array | undefined> {
    const { runtime, options } = this.#connection;
    const limits = {
      runtime,
      signal: this.#readerController.signal,
      ms: options.idleTimeoutMs ?? 60_000,
      timeoutError: connectionLost,
    };
    const { value } = await withTimeout(limits, () =>
      body.read().catch((cause: unknown) => {
        throw connectionLost(cause);
      }),
    );
    if (value) this.#receivedAt = runtime.now();
    return value;
  }

  #discardPartials(): void {
    for (const id of this.#unfinishedIds) this.#request.onDiscard?.(id);
    this.#unfinishedIds.clear();
  }

  async #pause(attempt: number, error: ClientError): Promise<void> {
    this.#assembler.restart();
    const { runtime, options } = this.#connection;
    const { delayMs: first = 250, maxDelayMs = 10_000 } = options.reconnect ?? {};
    const delayMs = Math.max(
      Math.min(maxDelayMs, first * 2 ** (attempt - 1)) * (1 - runtime.random() / 2),
      error.retryAfterMs ?? 0,
    );
    this.#request.onReconnect?.({ attempt, delayMs, error });
    const { signal } = this.#readerController;
    await runtime.sleep(delayMs, signal).catch((reason: unknown) => {
      throw abortedError(reason);
    });
  }

  /** True if the error does not end the run, so that the rest can be read on a new connection. */
  #isReconnectable(error: unknown): error is ClientError {
    if (this.#knownInvocationId === undefined || !ClientError.is(error)) return false;
    // After LEASE_LOST, another process continues the run.
    return error.code === 'LEASE_LOST' || (!this.#assembler.ended && error.retryable);
  }

  #setInvocationId(id: string | null | undefined): void {
    if (!id) return;
    this.#knownInvocationId ??= id;
    this.#resolveInvocationId(id);
  }

  #runPath(id: unknown): string {
    const { appName, userId, sessionId } = this.#request;
    return path`/apps/${appName}/users/${userId}/sessions/${sessionId}/runs/${id}`;
  }
}

type Body = ReadableStreamDefaultReader<Uint8Array>;

function connectionLost(cause?: unknown): ClientError {
  return new ClientError('The connection was lost before the run ended.', {
    code: 'CONNECTION_LOST',
    retryable: true,
    cause,
  });
}
