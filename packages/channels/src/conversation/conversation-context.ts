import { TholeError } from '@thole/core';
import type { Runtime, SessionRef, SessionService } from '@thole/core';
import type { SlashCommands } from '../commands/slash-commands.ts';
import type { DeliveryStore, StoredMessage } from '../delivery/delivery-store.ts';
import type { Outbox } from '../delivery/outbox.ts';
import type { DispatchFailure } from '../dispatcher/dispatcher-options.ts';
import type { Texts } from '../dispatcher/texts.ts';
import type { User } from '../identity/user.ts';
import type { ConversationParts } from './conversation-parts.ts';
import type { PartsPool } from './parts-pool.ts';
import { Replies } from './replies.ts';

/** Parts that all conversations of a dispatcher share. */
export interface ConversationDeps {
  readonly runtime: Runtime;
  readonly sessions: SessionService;
  readonly deliveries: DeliveryStore;
  readonly outbox: Outbox;
  readonly pool: PartsPool;
  readonly commands: SlashCommands;
  readonly texts: Texts;
  readonly onError: (failure: DispatchFailure) => void;
}

const LONGEST_WAIT_MS = 60_000;

/** The user, the current parts and the writes of one conversation. Its commands and runs share it. */
export class ConversationContext {
  readonly deps: ConversationDeps;
  readonly channel: string;
  readonly ref: SessionRef;
  /** The last address in use. Messages that answer no message go there. */
  address: string | undefined;
  #user: User;
  #parts: ConversationParts | undefined;
  #isStale = false;
  readonly #stop = new AbortController();

  constructor(deps: ConversationDeps, p: { user: User; channel: string; ref: SessionRef }) {
    this.deps = deps;
    this.#user = p.user;
    this.channel = p.channel;
    this.ref = p.ref;
  }

  get user(): User {
    return this.#user;
  }
  /** A change of the name or role creates new parts at their next use. */
  set user(user: User) {
    if (user.name !== this.#user.name || user.role !== this.#user.role) this.#isStale = true;
    this.#user = user;
  }

  /** Aborts when the conversation is closed. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get isClosed(): boolean {
    return this.#stop.signal.aborted;
  }

  /** The parts that were created last. */
  get parts(): ConversationParts | undefined {
    return this.#parts;
  }

  /** Creates the parts again at their next use. */
  reload(): void {
    this.#isStale = true;
  }

  close(): void {
    this.#stop.abort(new TholeError('RUN_ABORTED', 'The conversation was closed.'));
    if (this.#parts) this.deps.pool.release(this.#parts);
    this.#parts = undefined;
  }

  /** Calls `work` with the current parts, which stay open until it ends. Throws the error of `createParts` if there are none yet. */
  async withParts<T>(work: (parts: ConversationParts) => T | Promise<T>): Promise<T> {
    const { pool } = this.deps;
    if (!this.#parts || this.#isStale) await this.#createParts();
    const parts = this.#parts!;
    pool.use(parts);
    try {
      return await work(parts);
    } finally {
      pool.release(parts);
    }
  }

  /** Replies to a message, or without one, to the last address. */
  replies(stored?: StoredMessage): Replies {
    const to = stored ? addressOf(stored) : (this.address ?? this.#ownAddress());
    const { outbox, runtime, texts } = this.deps;
    return new Replies(this.ref, texts, async (key, message) => {
      // A closed conversation sends nothing: its messages are not finished, and the next start passes the answer on.
      if (this.isClosed) return;
      await outbox.put({ key, userId: this.#user.id, channel: this.channel, to, message, createdAt: runtime.now() });
    });
  }

  /** Records that messages are answered. */
  finish(messages: readonly StoredMessage[]): Promise<void> {
    const { deliveries, runtime } = this.deps;
    const keys = messages.map(({ key }) => key);
    return this.persist(() => deliveries.finish(keys, runtime.now()));
  }

  /** Repeats a write until the store has it. Gives up when the conversation is closed: then the next start does the rest. */
  async persist(write: () => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await write();
      } catch (error) {
        if (this.isClosed) return;
        if (attempt === 1) this.report('run', error);
        if (!(await this.wait(attempt))) return;
      }
    }
  }

  /** Waits before another attempt. Returns false if the conversation was closed. */
  async wait(attempt: number): Promise<boolean> {
    const ms = Math.min(LONGEST_WAIT_MS, 1_000 * 2 ** (attempt - 1));
    await this.deps.runtime.sleep(ms, this.signal).catch(() => {});
    return !this.isClosed;
  }

  /** Passes a failure to `onError` of the dispatcher. */
  report(step: DispatchFailure['step'], error: unknown): void {
    this.deps.onError({ step, channel: this.channel, user: this.#user, error });
  }

  async #createParts(): Promise<void> {
    const { pool } = this.deps;
    const wasStale = this.#isStale;
    this.#isStale = false;
    try {
      const parts = await pool.create({ user: this.#user, channel: this.channel, ref: this.ref });
      if (this.isClosed) {
        pool.release(parts);
        throw new TholeError('RUN_ABORTED', 'The conversation was closed.');
      }
      const old = this.#parts;
      this.#parts = parts;
      if (!old) return;
      // The new consolidator continues where the old one stops.
      parts.consolidator?.schedule(this.ref);
      pool.release(old);
    } catch (error) {
      this.#isStale = wasStale;
      if (!this.#parts) throw error;
      // The old configuration stays in use until the new one works.
      this.report('run', error);
    }
  }

  #ownAddress(): string {
    return this.#user.identities.find(({ channel }) => channel === this.channel)?.sender ?? this.#user.id;
  }
}

/** The address that receives the answers to a message. */
export function addressOf({ message }: StoredMessage): string {
  return message.address ?? message.sender;
}
