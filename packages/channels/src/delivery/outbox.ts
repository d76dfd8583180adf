import { TholeError } from '@thole/core';
import { KeyedQueue, waitAtMost, withTimeLimit } from '@thole/core/kit';
import type { Runtime } from '@thole/core';
import type { Channel, DeliveryReceipt } from '../channel/channel.ts';
import type { DeliveryStore, StoredDelivery } from './delivery-store.ts';

/** Options of `Outbox`. */
export interface OutboxOptions {
  readonly store: DeliveryStore;
  readonly runtime: Runtime;
  /** Returns the channel with this name. Undefined if it was removed: its messages wait. */
  readonly channelOf: (name: string) => Channel | undefined;
  readonly maxAttempts: number;
  readonly retryMs: number;
  readonly sendTimeoutMs: number;
  readonly onError: (delivery: StoredDelivery, error: unknown) => void;
}

/** The unsent messages of one address. */
interface AddressQueue {
  readonly key: string;
  readonly messages: StoredDelivery[];
  /** Sends the messages. Undefined before `start`, and while the channel cannot send. */
  work?: Promise<void> | undefined;
  /** Ends the wait for a retry. Undefined if no message waits for a retry. */
  endWait?: (() => void) | undefined;
}

const LONGEST_WAIT_MS = 300_000;
/** Longest wait that a channel can request by `retryAfterMs`. */
const LONGEST_REQUESTED_WAIT_MS = 3_600_000;

/**
 * Sends stored messages, one at a time and in order for each address. After a temporary failure, a message is sent again with the
 * same key. Until then, later messages to its address wait. Messages to other addresses do not wait.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #queues = new Map<string, AddressQueue>();
  /** Runs the calls of `put` for one key in order, so that each sees whether the call before it has queued the message. */
  readonly #puts = new KeyedQueue();
  /** True after an error of `put`: the store may contain messages that no queue has. */
  #hasFailedPut = false;
  /** Messages whose attempt has reached the time limit: the service may have received them. */
  readonly #uncertain = new WeakSet<StoredDelivery>();
  readonly #stop = new AbortController();
  #isStarted = false;
  /** Called when a queue starts to wait for a retry. */
  readonly #idleCalls = new Set<() => void>();

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** Stores a message and sends it. Does nothing if a message with its key was stored before. Can be repeated after an error. */
  put(delivery: Omit<StoredDelivery, 'attempts'>): Promise<void> {
    return this.#puts.run(delivery.key, async () => {
      try {
        if (!(await this.#options.store.put(delivery)) && !(await this.#isUnsent(delivery))) return;
      } catch (error) {
        this.#hasFailedPut = true;
        throw error;
      }
      this.#add({ ...delivery, attempts: 0 });
    });
  }

  /** Adds the pending messages of an earlier process before the messages that were put before `start`. */
  async load(): Promise<void> {
    const pending = await this.#options.store.pending();
    // A message of `put` may have been stored after the store was read.
    const put = [...this.#queues.values()].flatMap(({ messages }) => messages);
    this.#queues.clear();
    for (const delivery of [...pending, ...put]) this.#add(delivery);
  }

  /** Starts to send. */
  start(): void {
    this.#isStarted = true;
    for (const queue of this.#queues.values()) this.#startSending(queue);
  }

  /** Ends the wait of an address for a retry or for its recipient. */
  wake(channel: string, to: string): void {
    const queue = this.#queues.get(queueKeyOf(channel, to));
    if (!queue) return;
    queue.endWait?.();
    this.#startSending(queue);
  }

  /** True for a message that waits for its first attempt or for a retry, so that its recipient cannot have seen it. */
  isWaiting(key: string): boolean {
    for (const { endWait, messages, work } of this.#queues.values()) {
      const index = messages.findIndex((each) => each.key === key);
      if (index < 0) continue;
      return !this.#uncertain.has(messages[index]!) && (index > 0 || !work || endWait !== undefined);
    }
    return false;
  }

  /** Drops the queued messages of a user whose records are deleted. An active send is not stopped. */
  dropUser(userId: string): void {
    for (const queue of this.#queues.values()) {
      const { key, messages } = queue;
      for (let i = messages.length - 1; i >= 0; i--) if (messages[i]!.userId === userId) messages.splice(i, 1);
      if (messages.length > 0) continue;
      queue.endWait?.();
      if (!queue.work) this.#queues.delete(key);
    }
  }

  /** Resolves when no message is being sent. Messages that wait for a retry or for their channel do not count. */
  async idle(): Promise<void> {
    for (;;) {
      const busy = [...this.#queues.values()].flatMap(({ endWait, work }) => (work && !endWait ? [work] : []));
      if (busy.length === 0) return;
      // A queue that starts to wait for a retry is no longer busy.
      const wait = Promise.withResolvers<void>();
      this.#idleCalls.add(wait.resolve);
      await Promise.race([Promise.all(busy), wait.promise]);
      this.#idleCalls.delete(wait.resolve);
    }
  }

  /** Stops waits and, after `timeoutMs`, active attempts. Unsent messages stay in the store. */
  async close(timeoutMs: number): Promise<void> {
    this.#isStarted = false;
    await waitAtMost(this.#options.runtime, timeoutMs, this.idle());
    this.#stop.abort(new TholeError('RUN_ABORTED', 'The dispatcher was closed.'));
    await Promise.all([...this.#queues.values()].flatMap(({ work }) => work ?? []));
  }

  /** True for a message that an earlier `put` has stored before its error, so that no queue has it. */
  async #isUnsent({ channel, key, to }: Omit<StoredDelivery, 'attempts'>): Promise<boolean> {
    // The queue is checked first: it could send the message while the status is read.
    if (!this.#hasFailedPut || this.#queues.get(queueKeyOf(channel, to))?.messages.some((each) => each.key === key))
      return false;
    return (await this.#options.store.status(key))?.status === 'pending';
  }

  #add(delivery: StoredDelivery): void {
    const key = queueKeyOf(delivery.channel, delivery.to);
    const queue: AddressQueue = this.#queues.get(key) ?? { key, messages: [] };
    // `load` may also have read a message of `put`.
    if (queue.messages.some((each) => each.key === delivery.key)) return;
    queue.messages.push(delivery);
    this.#queues.set(key, queue);
    this.#startSending(queue);
  }

  #startSending(queue: AddressQueue): void {
    if (!this.#isStarted || queue.work) return;
    queue.work = this.#sendQueue(queue).finally(() => {
      queue.work = undefined;
      // A message may have been added after the last check.
      const [head] = queue.messages;
      if (!head) this.#queues.delete(queue.key);
      else if (this.#openChannel(head)) this.#startSending(queue);
    });
  }

  /** Sends the messages of one address. Never rejects. */
  async #sendQueue(queue: AddressQueue): Promise<void> {
    const { messages } = queue;
    // `dropUser` may remove `messages[0]` during its send.
    for (let head = messages[0]; head && this.#isStarted; head = messages[0]) {
      const channel = this.#openChannel(head);
      if (!channel) return;
      const waitMs = await this.#attempt(channel, head);
      if (waitMs === undefined) {
        const index = messages.indexOf(head);
        if (index >= 0) messages.splice(index, 1);
      } else if (!(await this.#wait(queue, waitMs))) return;
    }
  }

  /** Returns the channel of a message, if it is connected and the recipient can receive. */
  #openChannel({ channel: name, to }: StoredDelivery): Channel | undefined {
    const channel = this.#options.channelOf(name);
    return channel && channel.canSend?.(to) !== false ? channel : undefined;
  }

  /** Returns the wait before the next attempt in milliseconds. Undefined if the message was sent, or has failed permanently. */
  async #attempt(channel: Channel, delivery: StoredDelivery): Promise<number | undefined> {
    const { maxAttempts, onError, runtime, store } = this.#options;
    try {
      const { id } = await this.#send(channel, delivery);
      await store.settle(delivery.key, { status: 'sent', at: runtime.now(), receiptId: id });
      return undefined;
    } catch (error) {
      // The service may have received the message. The next process sends it again with the same key.
      if (this.#stop.signal.aborted) return 0;
      delivery.attempts++;
      const isRefused = TholeError.is(error, 'CHANNEL_REJECTED') || TholeError.is(error, 'INVALID_INPUT');
      const hasEnded = isRefused || delivery.attempts >= maxAttempts;
      if (hasEnded || delivery.attempts === 1) onError(delivery, error);
      await this.#recordFailure(delivery, hasEnded ? codeOf(error) : undefined);
      return hasEnded ? undefined : this.#waitAfter(delivery.attempts, error);
    }
  }

  /** Sends within the time limit. A channel that ignores its signal does not block its queue. */
  async #send(channel: Channel, delivery: StoredDelivery): Promise<DeliveryReceipt> {
    const { runtime, sendTimeoutMs } = this.#options;
    const { key, message, to } = delivery;
    const timeoutError = (): TholeError => {
      this.#uncertain.add(delivery);
      return new TholeError(
        'CHANNEL_UNAVAILABLE',
        `Channel "${channel.name}" did not send within ${sendTimeoutMs} ms.`,
      );
    };
    const limit = { runtime, ms: sendTimeoutMs, timeoutError, signal: this.#stop.signal };
    const receipt = await withTimeLimit(limit, (signal) => channel.send({ to, message, idempotencyKey: key, signal }));
    return receipt ?? {};
  }

  /** Records a failed attempt. If the store fails too, the failure is only logged. Then a later process may repeat the message. */
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
    const requested = TholeError.is(error) ? (error.retryAfterMs ?? 0) : 0;
    return Math.max(wait, Math.min(requested, LONGEST_REQUESTED_WAIT_MS));
  }

  /** Returns false if the outbox was closed. */
  async #wait(queue: AddressQueue, ms: number): Promise<boolean> {
    const { signal } = this.#stop;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        cancel();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const cancel = this.#options.runtime.timer(ms, end);
      queue.endWait = end;
      for (const wake of this.#idleCalls) wake();
      if (signal.aborted) end();
      else signal.addEventListener('abort', end, { once: true });
    });
    queue.endWait = undefined;
    return !signal.aborted;
  }
}

function queueKeyOf(channel: string, to: string): string {
  return JSON.stringify([channel, to]);
}

function codeOf(error: unknown): string {
  return TholeError.is(error) ? error.code : 'CHANNEL_UNAVAILABLE';
}
