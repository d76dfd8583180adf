import type { CancelTimer, SessionRef } from '@thole/core';
import type { SweepReport } from '@thole/memory';
import type { StoredMessage } from '../delivery/delivery-store.ts';
import type { User } from '../identity/user.ts';
import { ConversationCommands, isCommand } from './conversation-commands.ts';
import { addressOf, ConversationContext } from './conversation-context.ts';
import type { ConversationDeps } from './conversation-context.ts';
import { ConversationRuns } from './conversation-runs.ts';

/** Messages that are gathered to become one message. */
interface Gathering {
  readonly messages: StoredMessage[];
  /** Resolves when the messages are queued or dropped. */
  readonly ended: PromiseWithResolvers<void>;
  cancelTimer?: CancelTimer | undefined;
}

/**
 * The conversation of one user on one channel. Handles stored messages in order: commands directly, other messages with the
 * runner. The dispatcher creates it.
 */
export class Conversation {
  readonly #context: ConversationContext;
  readonly #commands: ConversationCommands;
  readonly #runs: ConversationRuns;
  /** Undefined if no message is gathered. */
  #gathering: Gathering | undefined;
  /** Keys of the messages that are gathered or queued. */
  readonly #held = new Set<string>();
  /** Commands and starts of runs, one after another. */
  #work: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(deps: ConversationDeps, p: { user: User; channel: string; ref: SessionRef }) {
    this.#context = new ConversationContext(deps, p);
    this.#commands = new ConversationCommands(this.#context);
    this.#runs = new ConversationRuns(this.#context, () => this.resumeWaiting());
    this.#context.onReplaced = () => void this.#runs.wakeOnTime();
  }

  get channel(): string {
    return this.#context.channel;
  }

  /** The session. Its id is `{userId}:{channel}`. */
  get ref(): SessionRef {
    return this.#context.ref;
  }

  get user(): User {
    return this.#context.user;
  }
  /** Sets the user. If the name or role changes, the next message creates new parts. */
  set user(user: User) {
    this.#context.user = user;
  }

  /** True if no message is gathered or queued, and no run is active. */
  get isIdle(): boolean {
    return !this.#gathering && this.#waiting === 0 && this.#runs.isIdle;
  }

  /** True if a message with this key is gathered or queued. */
  holds(key: string): boolean {
    return this.#held.has(key);
  }

  /** Creates the parts again at the next message. Keeps the session. */
  reload(): void {
    this.#context.reload();
  }

  /**
   * Handles a stored message. Messages that arrive within `coalesceMs` after the first one become one message. A command is handled
   * alone, after the messages before it. Returns at once.
   */
  handle(stored: StoredMessage, coalesceMs: number): void {
    this.#gathering ??= { messages: [], ended: Promise.withResolvers() };
    this.#gathering.messages.push(stored);
    this.#held.add(stored.key);
    this.#context.received(stored);
    if (coalesceMs <= 0 || isCommand(stored)) this.flush();
    else this.#gathering.cancelTimer ??= this.#context.deps.runtime.timer(coalesceMs, () => this.flush());
  }

  /** Handles the gathered messages now. */
  flush(): void {
    const gathered = this.#endGathering();
    if (gathered.length === 0) return;
    this.#enqueue(() => this.#handleAll(gathered));
  }

  /** Handles unfinished messages of an earlier process: continues each stored batch, and handles the other messages together. */
  recover(messages: readonly StoredMessage[]): void {
    const batches = Map.groupBy(messages, ({ batch }) => batch?.id);
    for (const [id, group] of batches) {
      this.#context.received(group.at(-1)!);
      if (id === undefined) {
        for (const { key } of group) this.#held.add(key);
        this.#enqueue(() => this.#handleAll(group));
      } else this.#enqueue(() => this.#runs.begin({ ...group[0]!.batch!, messages: group, wasBegun: true }));
    }
  }

  /** Continues the session without a new message: an unfinished run, due timers, and answers that were stored by other callers. */
  resumeWaiting(): void {
    this.#enqueue(() => this.#runs.continueWaiting());
  }

  /** Adds the idle sessions of the user to memory, and starts the timers of the others. Undefined without a consolidator. */
  sweep(): Promise<SweepReport | undefined> {
    const { appName, userId } = this.ref;
    return this.#context.withParts(({ consolidator }) => consolidator?.sweep({ appName, userId }));
  }

  /** Deletes all data of the user: sessions, state, artifacts and memory. Then closes the conversation. */
  async deleteUserData(): Promise<void> {
    const { userId } = this.ref;
    await this.#context.withParts(({ runner }) => runner.deleteUserData({ userId }).finally(() => this.close()));
  }

  /** Closes the conversation of a deleted user and stops its run. Sends nothing more. */
  async cancel(): Promise<void> {
    const { deps, parts } = this.#context;
    if (parts) deps.pool.use(parts);
    this.close();
    if (!parts) return;
    const { sessionId, userId } = this.ref;
    await parts.runner.cancel({ userId, sessionId }).catch((error: unknown) => this.#context.report('run', error));
    await this.#runs.whenIdle();
    deps.pool.release(parts);
  }

  /** Resolves when all messages are handled. */
  async idle(): Promise<void> {
    while (!this.isIdle) {
      await this.#gathering?.ended.promise;
      await this.#work;
      await this.#runs.whenIdle();
    }
  }

  /** Drops gathered and queued messages, which stay in the store. Runs end when the pool closes their runner. */
  close(): void {
    this.#endGathering();
    this.#context.close();
  }

  #endGathering(): StoredMessage[] {
    const gathering = this.#gathering;
    this.#gathering = undefined;
    gathering?.cancelTimer?.();
    // Waiting calls of `idle` continue in a microtask, after the caller has queued the messages.
    gathering?.ended.resolve();
    return gathering?.messages ?? [];
  }

  #enqueue(work: () => Promise<void>): void {
    this.#waiting++;
    this.#work = this.#work
      .then(() => (this.#context.isClosed ? undefined : work()))
      .catch((error: unknown) => this.#context.report('run', error))
      .finally(() => void this.#waiting--);
  }

  async #handleAll(messages: readonly StoredMessage[]): Promise<void> {
    try {
      await this.#handleInOrder(messages);
    } finally {
      for (const { key } of messages) this.#held.delete(key);
    }
  }

  async #handleInOrder(messages: readonly StoredMessage[]): Promise<void> {
    let group: StoredMessage[] = [];
    for (const stored of messages) {
      const mustEnd = isCommand(stored) || (group[0] && addressOf(group[0]) !== addressOf(stored));
      if (mustEnd && group.length > 0) {
        await this.#handleTogether(group);
        group = [];
      }
      if (isCommand(stored)) {
        await this.#runs.whenIdle();
        await this.#commands.run(stored);
      } else group.push(stored);
    }
    if (group.length > 0) await this.#handleTogether(group);
  }

  async #handleTogether(messages: readonly StoredMessage[]): Promise<void> {
    const remaining = await this.#commands.handleMemoryAnswers(messages);
    if (remaining.length > 0 && !this.#context.isClosed) await this.#runs.start(remaining);
  }
}
