import { putCached } from '@thole/core/kit';

const MAX_OPEN = 1_000;

/** A message that a service receives in several parts. */
interface OpenMessage {
  /** Number of parts that the service has accepted. */
  count: number;
  /** Id of the last accepted part. */
  id: string | undefined;
}

/** Records in memory which parts of a message were sent, so that the next attempt continues after them. */
export class SendProgress {
  readonly #open = new Map<string, OpenMessage>();

  /** Sends the parts that no earlier attempt with this key has sent. Returns the id of the last part. */
  async send(
    key: string,
    parts: readonly (() => Promise<string | undefined>)[],
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    const message = this.#open.get(key) ?? { count: 0, id: undefined };
    this.#open.delete(key);
    for (const send of parts.slice(message.count)) {
      try {
        signal?.throwIfAborted();
        message.id = await send();
        message.count++;
      } catch (error) {
        if (message.count > 0) putCached(this.#open, key, message, MAX_OPEN);
        throw error;
      }
    }
    return message.id;
  }
}
