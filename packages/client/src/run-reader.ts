import type { Event } from '@thole/core';
import { at } from './address.ts';
import { ClientError } from './client-error.ts';
import type { ClientCallOptions } from './client.ts';
import type { ClientRun, ResumeRequest, RunRequest } from './client-run.ts';
import type { Asking, Connection } from './connection.ts';
import { EventFrames } from './event-frames.ts';
import { readFrames } from './read-frames.ts';
import { aborted, within } from './within.ts';

/** What `/run` and `/run_sse` are sent. */
export function bodyOf(request: Omit<RunRequest, 'onReconnect'>): object {
  const { appName, userId, sessionId, newMessage, streaming } = request;
  const { stateDelta, invocationId, functionCallEventId, customMetadata } = request;
  return {
    ...{ appName, userId, sessionId, streaming, stateDelta, invocationId, functionCallEventId, customMetadata },
    newMessage:
      typeof newMessage === 'string' ? { role: 'user', parts: newMessage ? [{ text: newMessage }] : [] } : newMessage,
  };
}

/** Reads a run, over as many connections as it takes. The first is opened at once. */
export class RunReader implements ClientRun {
  readonly invocationId: Promise<string>;
  readonly #connection: Connection;
  readonly #request: RunRequest | ResumeRequest;
  readonly #frames: EventFrames;
  readonly #events: AsyncGenerator<Event, void>;
  /** Aborted when the reader leaves. */
  readonly #leaving: AbortController = new AbortController();
  /** Ends the connection that is open now. */
  #open: AbortController = new AbortController();
  #returned: boolean = false;
  /** When something came last, be it a heartbeat. */
  #heard: number = 0;
  #knownId: string | undefined;
  #tellId!: (id: string) => void;
  #failId!: (error: unknown) => void;

  /** Without a body the run is there already. */
  constructor(connection: Connection, request: RunRequest | ResumeRequest, body?: object) {
    this.#connection = connection;
    this.#request = request;
    this.#frames = new EventFrames(('after' in request && request.after) || 0);
    this.invocationId = new Promise((resolve, reject) => {
      this.#tellId = resolve;
      this.#failId = reject;
    });
    if (!body) this.#learnId(request.invocationId);
    if (request.signal?.aborted) this.abort(request.signal.reason);
    else request.signal?.addEventListener('abort', this.#abortAsTold);
    const first = this.#connect(body);
    first.catch(this.#failId);
    // Whoever reads is told by the iterable.
    this.invocationId.catch(() => {});
    this.#events = this.#read(first);
  }

  get lastSeq(): number {
    return this.#frames.lastSeq;
  }

  next(): Promise<IteratorResult<Event, void>> {
    return this.#events.next();
  }

  async return(): Promise<IteratorResult<Event, void>> {
    this.#returned = true;
    this.abort();
    return this.#events.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  abort(reason?: unknown): void {
    this.#request.signal?.removeEventListener('abort', this.#abortAsTold);
    this.#leaving.abort(reason);
    this.#open.abort();
    this.#failId(aborted(this.#leaving.signal.reason));
  }

  async cancel(call?: ClientCallOptions): Promise<boolean> {
    const id = await this.#connection.limited(call, () => this.invocationId);
    const asking: Asking = { call, method: 'POST' };
    return (await this.#connection.ask<{ cancelled: boolean }>(`${this.#pathOf(id)}/cancel`, asking)).cancelled;
  }

  readonly #abortAsTold = (): void => this.abort(this.#request.signal?.reason);

  async *#read(connecting: Promise<Body>): AsyncGenerator<Event, void> {
    const { runtime, options } = this.#connection;
    const { attempts = 8, maxDelayMs = 10_000 } = options.reconnect ?? {};
    try {
      for (let attempt = 0; ; connecting = this.#connect()) {
        let begun = Infinity;
        try {
          const body = await connecting;
          this.#heard = begun = runtime.now();
          for await (const frame of readFrames(() => this.#piece(body))) {
            for (const event of this.#frames.take(frame)) {
              if (this.#leaving.signal.aborted) throw aborted(this.#leaving.signal.reason);
              this.#learnId(event.invocationId);
              if (!event.partial) attempt = 0;
              yield event;
            }
            if (this.#frames.ended) return;
          }
          throw cut();
        } catch (error) {
          if ((this.#heard - begun) * 1000 >= maxDelayMs) attempt = 0;
          if (!this.#isCut(error) || ++attempt > attempts) throw error;
          await this.#pause(attempt, error);
        } finally {
          this.#open.abort();
        }
      }
    } catch (error) {
      this.#failId(error);
      if (!this.#returned) throw error;
    } finally {
      // Nobody waits for ever for the id of a run that said nothing.
      this.#failId(cut());
      this.#request.signal?.removeEventListener('abort', this.#abortAsTold);
    }
  }

  /** The body of an answer that streams. */
  #connect(body?: object): Promise<Body> {
    const open = new AbortController();
    this.#open = open;
    const { timeoutMs } = this.#request;
    return this.#connection.limited({ signal: this.#leaving.signal, timeoutMs }, async () => {
      const path = body ? '/run_sse' : `${this.#pathOf(this.#knownId)}/events`;
      const query = { after: body ? undefined : this.lastSeq || undefined };
      const response = await this.#connection.send(path, { call: undefined, body, query }, open.signal);
      const reader = response.body?.getReader();
      const cancel = (): void => void reader?.cancel().catch(() => {});
      open.signal.addEventListener('abort', cancel);
      if (open.signal.aborted) cancel();
      if (!reader || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
        throw new ClientError(`The answer to ${path} is no stream of events.`, { code: 'UNREADABLE' });
      }
      this.#learnId(response.headers.get('x-thole-invocation-id') ?? undefined);
      return reader;
    });
  }

  async #piece(body: Body): Promise<Uint8Array | undefined> {
    const { runtime, options } = this.#connection;
    const limits = { runtime, signal: this.#leaving.signal, ms: options.silenceMs ?? 60_000, late: cut };
    const { value } = await within(limits, () =>
      body.read().catch((cause: unknown) => {
        throw cut(cause);
      }),
    );
    if (value) this.#heard = runtime.now();
    return value;
  }

  async #pause(attempt: number, error: ClientError): Promise<void> {
    this.#frames.cut();
    const { runtime, options } = this.#connection;
    const { delayMs: first = 250, maxDelayMs = 10_000 } = options.reconnect ?? {};
    const delayMs = Math.max(
      Math.min(maxDelayMs, first * 2 ** (attempt - 1)) * (1 - runtime.random() / 2),
      error.retryAfterMs ?? 0,
    );
    this.#request.onReconnect?.({ attempt, delayMs, error });
    const { signal } = this.#leaving;
    await within({ runtime, signal, ms: Infinity, late: cut }, () => runtime.sleep(delayMs, signal));
  }

  /** Whether a failure leaves the run as it was, where the runs route can be asked for the rest. */
  #isCut(error: unknown): error is ClientError {
    if (this.#frames.ended || this.#knownId === undefined || !ClientError.is(error)) return false;
    return error.retryable && error.code !== 'ABORTED';
  }

  #learnId(id: string | undefined): void {
    if (id === undefined) return;
    this.#knownId ??= id;
    this.#tellId(id);
  }

  #pathOf(id: unknown): string {
    const { appName, userId, sessionId } = this.#request;
    return at`/apps/${appName}/users/${userId}/sessions/${sessionId}/runs/${id}`;
  }
}

type Body = ReadableStreamDefaultReader<Uint8Array>;

function cut(cause?: unknown): ClientError {
  return new ClientError('The connection broke before the run had ended.', { code: 'CUT', retryable: true, cause });
}
