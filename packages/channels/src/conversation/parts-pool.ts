import type { ConversationInfo, ConversationParts } from './conversation-parts.ts';

/** Creates parts, and closes them after their last use. `createParts` may return the same parts for several conversations. */
export class PartsPool {
  readonly #create: (info: ConversationInfo) => ConversationParts | Promise<ConversationParts>;
  /** Open parts with the number of their uses. */
  readonly #uses = new Map<ConversationParts, number>();
  readonly #onError: (error: unknown) => void;
  /** Calls of `close` that have not ended. */
  readonly #closing = new Set<Promise<void>>();

  constructor(
    create: (info: ConversationInfo) => ConversationParts | Promise<ConversationParts>,
    onError: (error: unknown) => void,
  ) {
    this.#create = create;
    this.#onError = onError;
  }

  /** Creates parts and begins a use of them. Throws the error of `createParts`. */
  async create(info: ConversationInfo): Promise<ConversationParts> {
    const parts = await this.#create(info);
    this.use(parts);
    return parts;
  }

  /** Begins a use of the parts. */
  use(parts: ConversationParts): void {
    this.#uses.set(parts, (this.#uses.get(parts) ?? 0) + 1);
  }

  /** Ends a use. The end of the last use closes the parts. */
  release(parts: ConversationParts): void {
    const uses = this.#uses.get(parts);
    if (uses === undefined) return;
    if (uses > 1) return void this.#uses.set(parts, uses - 1);
    this.#uses.delete(parts);
    const closing: Promise<void> = this.#close(parts).finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  /** Closes all parts that are still used. Resolves when all parts are closed. */
  async close(): Promise<void> {
    const all = [...this.#uses.keys()];
    this.#uses.clear();
    await Promise.all([...all.map((parts) => this.#close(parts)), ...this.#closing]);
  }

  async #close(parts: ConversationParts): Promise<void> {
    try {
      await (parts.close ? parts.close() : parts.runner.close());
    } catch (error) {
      this.#onError(error);
    }
  }
}
