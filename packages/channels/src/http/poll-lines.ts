import type { OutboundMessage } from '../channel/outbound-message.ts';

/** A message that a client fetches. */
export interface PolledMessage extends OutboundMessage {
  /** The idempotency key. The client acknowledges it, and drops a message whose id it knows. */
  id: string;
}

/** A message that waits for its acknowledgement. */
interface OpenSend {
  readonly acknowledge: () => void;
}

/** Maximum number of late messages that are remembered. A client gets a forgotten one again, with the same id. */
const MAX_LATE = 1_000;

/** Connects polls of clients and sends of the channel, by address. */
export class PollLines {
  readonly #polls = new Map<string, ((message: PolledMessage | undefined) => void)[]>();
  readonly #sends = new Map<string, OpenSend>();
  /** Messages that a client got, but whose send has ended before the acknowledgement. True if it came later. */
  readonly #late = new Map<string, boolean>();

  /** True if a client waits for messages to this address. */
  isPolled(to: string): boolean {
    return this.#polls.has(to);
  }

  /** Resolves with the next message to an address, or with undefined when the signal is aborted. */
  poll(to: string, signal: AbortSignal): Promise<PolledMessage | undefined> {
    return new Promise((resolve) => {
      const end = (): void => take(undefined);
      const take = (message: PolledMessage | undefined): void => {
        signal.removeEventListener('abort', end);
        const left = (this.#polls.get(to) ?? []).filter((each) => each !== take);
        if (left.length > 0) this.#polls.set(to, left);
        else this.#polls.delete(to);
        resolve(message);
      };
      this.#polls.set(to, [...(this.#polls.get(to) ?? []), take]);
      if (signal.aborted) end();
      else signal.addEventListener('abort', end, { once: true });
    });
  }

  /** Gives a message to the oldest poll. Resolves when the client has acknowledged it. Returns undefined without a poll. */
  send(to: string, message: PolledMessage, signal: AbortSignal | undefined): Promise<void> | undefined {
    const key = keyOf(to, message.id);
    if (this.#late.get(key) === true) {
      this.#late.delete(key);
      return Promise.resolve();
    }
    const [poll] = this.#polls.get(to) ?? [];
    if (!poll) return undefined;
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#sends.delete(key);
        this.#late.set(key, false);
        if (this.#late.size > MAX_LATE) this.#late.delete(this.#late.keys().next().value!);
        reject(signal!.reason as Error);
      };
      const acknowledge = (): void => {
        this.#sends.delete(key);
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      this.#sends.set(key, { acknowledge });
      signal?.addEventListener('abort', abort, { once: true });
      poll(message);
    });
  }

  /** Records that a client has stored a message. An unknown id is ignored: the message was acknowledged before. */
  acknowledge(to: string, id: string): void {
    const key = keyOf(to, id);
    const open = this.#sends.get(key);
    if (open) open.acknowledge();
    else if (this.#late.has(key)) this.#late.set(key, true);
  }

  /** Ends all polls. */
  close(): void {
    for (const polls of this.#polls.values()) for (const poll of polls) poll(undefined);
  }
}

function keyOf(to: string, id: string): string {
  return JSON.stringify([to, id]);
}
