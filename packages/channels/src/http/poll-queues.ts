import { putCached } from '@thole/core/kit';
import type { OutboundMessage } from '../channel/outbound-message.ts';

/** A message for a polling client. */
export interface PolledMessage extends OutboundMessage {
  /** The idempotency key. The client acknowledges this id, and drops a message whose id it has received before. */
  id: string;
}

/** Maximum number of expired sends that are remembered. A client receives a forgotten message again, with the same id. */
const MAX_EXPIRED = 1_000;

/** Connects the polls of clients with the sends of the channel, by address. */
export class PollQueues {
  readonly #polls = new Map<string, ((message: PolledMessage | undefined) => void)[]>();
  /** Functions that end the sends whose messages are not acknowledged yet. */
  readonly #sends = new Map<string, () => void>();
  /** Messages that a client received, but whose send has ended without acknowledgement. True if it was acknowledged later. */
  readonly #expired = new Map<string, boolean>();

  /** True if a client polls for messages to this address. */
  isPolled(to: string): boolean {
    return this.#polls.has(to);
  }

  /** Resolves with the next message to an address, or with undefined when the signal is aborted. */
  poll(to: string, signal: AbortSignal): Promise<PolledMessage | undefined> {
    return new Promise((resolve) => {
      const end = (): void => take(undefined);
      const take = (message: PolledMessage | undefined): void => {
        signal.removeEventListener('abort', end);
        const remaining = (this.#polls.get(to) ?? []).filter((each) => each !== take);
        if (remaining.length > 0) this.#polls.set(to, remaining);
        else this.#polls.delete(to);
        resolve(message);
      };
      this.#polls.set(to, [...(this.#polls.get(to) ?? []), take]);
      if (signal.aborted) end();
      else signal.addEventListener('abort', end, { once: true });
    });
  }

  /** Passes a message to the oldest poll. Resolves when the client has acknowledged it. Returns undefined if there is no poll. */
  send(to: string, message: PolledMessage, signal: AbortSignal | undefined): Promise<void> | undefined {
    const key = keyOf(to, message.id);
    if (this.#expired.get(key) === true) {
      this.#expired.delete(key);
      return Promise.resolve();
    }
    const [poll] = this.#polls.get(to) ?? [];
    if (!poll) return undefined;
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#sends.delete(key);
        putCached(this.#expired, key, false, MAX_EXPIRED);
        reject(signal!.reason as Error);
      };
      const acknowledge = (): void => {
        this.#sends.delete(key);
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      this.#sends.set(key, acknowledge);
      signal?.addEventListener('abort', abort, { once: true });
      poll(message);
    });
  }

  /** Acknowledges a message. An unknown id is ignored, because its message was acknowledged before. */
  acknowledge(to: string, id: string): void {
    const key = keyOf(to, id);
    const endSend = this.#sends.get(key);
    if (endSend) endSend();
    else if (this.#expired.has(key)) this.#expired.set(key, true);
  }

  /** Ends all polls. */
  close(): void {
    for (const polls of this.#polls.values()) for (const poll of polls) poll(undefined);
  }
}

function keyOf(to: string, id: string): string {
  return JSON.stringify([to, id]);
}
