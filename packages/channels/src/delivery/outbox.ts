import { TholeError } from '@thole/core';
import { raceAbort } from '@thole/core/kit';
import type { Runtime } from '@thole/core';
import type { Channel, DeliveryReceipt } from '../channel/channel.ts';
import type { DeliveryStore, StoredDelivery } from './delivery-store.ts';

/** Options of `Outbox`. */
export interface OutboxOptions {
  readonly store: DeliveryStore;
  readonly runtime: Runtime;
  /** Returns the channel with this name. Undefined if it is not connected now: its messages wait. */
  readonly channelOf: (name: string) => Channel | undefined;
  readonly maxAttempts: number;
  readonly retryMs: number;
  readonly sendTimeoutMs: number;
  readonly onError: (delivery: StoredDelivery, error: unknown) => void;
}

const LONGEST_WAIT_MS = 300_000;

/**
 * Sends stored messages, one at a time and in order for each address. A message that fails for now is sent again after a wait, with
 * the same key, and the later messages to its address wait with it. Other addresses do not wait.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #lines = new Map<string, StoredDelivery[]>();
  /** Lines that are sending now, or that wait for a retry. */
  readonly #sending = new Map<string, Promise<void>>();
  /** Ends the wait of a line for a retry. */
  readonly #retries = new Map<string, () => void>();
  readonly #stop = new AbortController();
  #isStarted = false;
  /** Calls of `idle` that wait until a line waits. */
  #idleCalls: (() => void)[] = [];

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** Stores a message and sends it. Does nothing if a message with its key was stored before. */
  async put(delivery: Omit<StoredDelivery, 'attempts'>): Promise<void> {
    if (await this.#options.store.put(delivery)) this.#add({ ...delivery, attempts: 0 });
  }

  /** Adds what the last process left, before anything that is put later. */
  async load(): Promise<void> {
    for (const delivery of await this.#options.store.pending()) this.#add(delivery);
  }

  /** Begins to send. */
  start(): void {
    this.#isStarted = true;
    for (const line of this.#lines.keys()) this.#work(line);
  }

  /** Ends the wait of an address for a retry or for its recipient. */
  wake(channel: string, to: string): void {
    const key = lineOf(channel, to);
    this.#retries.get(key)?.();
    if (this.#lines.has(key)) this.#work(key);
  }

  /** Drops the messages of a user, whose records were deleted. One that is being sent now is sent. */
  dropUser(userId: string): void {
    for (const line of this.#lines.values())
      for (let i = line.length - 1; i >= 0; i--) if (line[i]!.userId === userId) line.splice(i, 1);
  }

  /** Resolves when no message is being sent. Messages that wait for a retry or for their channel do not count. */
  async idle(): Promise<void> {
    for (;;) {
      const busy = [...this.#sending].filter(([line]) => !this.#retries.has(line)).map(([, work]) => work);
      if (busy.length === 0) return;
      // A line that begins to wait for a retry is not busy any more.
      await Promise.race([Promise.all(busy), this.#nextWait()]);
    }
  }

  /** Stops waits and, after `timeoutMs`, active attempts. What is not sent stays stored. */
  async close(timeoutMs: number): Promise<void> {
    this.#isStarted = false;
    const { runtime } = this.#options;
    const over = new AbortController();
    const limit = runtime.sleep(timeoutMs, over.signal).catch(() => {});
    await Promise.race([this.idle(), limit]);
    over.abort();
    this.#stop.abort(new TholeError('RUN_ABORTED', 'The dispatcher was closed.'));
    await Promise.all(this.#sending.values());
  }

  #add(delivery: StoredDelivery): void {
    const key = lineOf(delivery.channel, delivery.to);
    const line = this.#lines.get(key);
    if (line) line.push(delivery);
    else this.#lines.set(key, [delivery]);
    this.#work(key);
  }

  #work(key: string): void {
    if (!this.#isStarted || this.#sending.has(key)) return;
    const work = this.#sendLine(key).finally(() => {
      this.#sending.delete(key);
      // A message may have come after the last check.
      const line = this.#lines.get(key);
      if (line?.length === 0) this.#lines.delete(key);
      else if (line && this.#openChannel(line[0]!)) this.#work(key);
    });
    this.#sending.set(key, work);
  }

  /** Sends the messages of one address. Never rejects. */
  async #sendLine(key: string): Promise<void> {
    const line = this.#lines.get(key)!;
    // `line[0]` changes while it is sent if its user is deleted.
    for (let head = line[0]; head && this.#isStarted; head = line[0]) {
      const channel = this.#openChannel(head);
      if (!channel) return;
      const waitMs = await this.#attempt(channel, head);
      if (waitMs === undefined) {
        const index = line.indexOf(head);
        if (index >= 0) line.splice(index, 1);
      } else if (!(await this.#wait(key, waitMs))) return;
    }
  }

  /** Returns the channel of a message, if it is connected and the recipient can receive. */
  #openChannel({ channel: name, to }: StoredDelivery): Channel | undefined {
    const channel = this.#options.channelOf(name);
    return channel && channel.canSend?.(to) !== false ? channel : undefined;
  }

  /** Returns the time to wait before the next attempt. Undefined if the message was sent, or has failed for good. */
  async #attempt(channel: Channel, delivery: StoredDelivery): Promise<number | undefined> {
    const { maxAttempts, onError, runtime, store } = this.#options;
    try {
      const { id } = await this.#send(channel, delivery);
      await store.settle(delivery.key, { status: 'sent', at: runtime.now(), receiptId: id });
      return undefined;
    } catch (error) {
      // The attempt may have reached the service. It is sent again with the same key.
      if (this.#stop.signal.aborted) return 0;
      delivery.attempts++;
      const isRefused = TholeError.is(error, 'CHANNEL_REJECTED') || TholeError.is(error, 'INVALID_INPUT');
      const hasEnded = isRefused || delivery.attempts >= maxAttempts;
      if (hasEnded || delivery.attempts === 1) onError(delivery, error);
      await this.#recordFailure(delivery, hasEnded ? codeOf(error) : undefined);
      return hasEnded ? undefined : this.#waitAfter(delivery.attempts, error);
    }
  }

  /** Sends within the time limit. A channel that ignores its signal does not hold up its line. */
  async #send(channel: Channel, { key, message, to }: StoredDelivery): Promise<DeliveryReceipt> {
    const { runtime, sendTimeoutMs } = this.#options;
    const late = new AbortController();
    const signal = AbortSignal.any([late.signal, this.#stop.signal]);
    const cancel = runtime.timer(sendTimeoutMs, () => {
      late.abort(
        new TholeError('CHANNEL_UNAVAILABLE', `Channel "${channel.name}" did not send within ${sendTimeoutMs} ms.`),
      );
    });
    try {
      return (await raceAbort(channel.send({ to, message, idempotencyKey: key, signal }), signal)) ?? {};
    } finally {
      cancel();
    }
  }

  /** If the store fails, the record is older than the truth, and the message may be sent again with the same key. */
  async #recordFailure({ key }: StoredDelivery, reason: string | undefined): Promise<void> {
    const { runtime, store } = this.#options;
    try {
      if (reason === undefined) await store.attempted(key);
      else await store.settle(key, { status: 'failed', at: runtime.now(), reason });
    } catch (error) {
      runtime.logger.error('The failure of a delivery could not be recorded.', { code: codeOf(error) });
    }
  }

  #waitAfter(attempts: number, error: unknown): number {
    const { retryMs, runtime } = this.#options;
    const wait = Math.min(LONGEST_WAIT_MS, retryMs * 2 ** (attempts - 1)) * (0.75 + runtime.random() / 2);
    const asked = TholeError.is(error) ? (error.retryAfterMs ?? 0) : 0;
    return Math.max(wait, asked);
  }

  /** Returns false if the outbox was closed. */
  async #wait(key: string, ms: number): Promise<boolean> {
    const { signal } = this.#stop;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        cancel();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const cancel = this.#options.runtime.timer(ms, end);
      this.#retries.set(key, end);
      for (const wake of this.#idleCalls.splice(0)) wake();
      if (signal.aborted) end();
      else signal.addEventListener('abort', end, { once: true });
    });
    this.#retries.delete(key);
    return !signal.aborted;
  }

  #nextWait(): Promise<void> {
    return new Promise((resolve) => void this.#idleCalls.push(resolve));
  }
}

function lineOf(channel: string, to: string): string {
  return JSON.stringify([channel, to]);
}

function codeOf(error: unknown): string {
  return TholeError.is(error) ? error.code : 'CHANNEL_UNAVAILABLE';
}
