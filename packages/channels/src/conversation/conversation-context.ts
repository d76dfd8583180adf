import { TholeError } from '@thole/core';
import { putCached } from '@thole/core/kit';
import type { Event, Interrupt, Runtime, SessionRef, SessionService } from '@thole/core';
import type { SlashCommands } from '../commands/slash-commands.ts';
import type { DeliveryStore, StoredMessage } from '../delivery/delivery-store.ts';
import type { Outbox } from '../delivery/outbox.ts';
import type { DispatchFailure } from '../dispatcher/dispatcher-options.ts';
import type { Texts } from '../dispatcher/texts.ts';
import type { User } from '../identity/user.ts';
import type { ConversationParts } from './conversation-parts.ts';
import { groupOf, keyIn } from './group.ts';
import type { PartsPool } from './parts-pool.ts';
import { Replies } from './replies.ts';
import type { ReplyOrigin } from './replies.ts';

/** Dependencies that all conversations of a dispatcher share. */
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
/** Maximum number of paused invocations whose places are kept, and of error events that are known as reported. */
const MAX_CACHED = 100;

/** The place to which replies are sent. */
interface Place {
  /** Undefined for the private chat. */
  readonly groupId: string | undefined;
  /** Undefined for the last used address of the private chat. */
  readonly address: string | undefined;
}

/** The user and the current parts of one conversation, and its writes to stores. Its commands and runs share it. */
export class ConversationContext {
  readonly deps: ConversationDeps;
  readonly channel: string;
  readonly ref: SessionRef;
  /** The last used address outside groups. Messages that belong to no known place are sent to it. */
  #privateAddress: string | undefined;
  /** Places of the last messages of paused invocations. */
  readonly #places = new Map<string, Place>();
  /** Ids of the last error events of runs for messages. */
  readonly #reported = new Map<string, true>();
  /** Called when new parts have replaced others. The runner of the old parts does not continue paused runs any more. */
  onReplaced: () => void = () => {};
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
  /** Sets the user. If the name or role changes, the parts are created again at their next use. */
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

  /** The current parts. Undefined before the first use, and after `close`. */
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

  /** Calls `work` with the current parts, which stay open until it ends. Throws the error of `createParts` if there are no parts. */
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

  /** Records the address of a message. A group never receives messages that belong to no known place. */
  received(stored: StoredMessage): void {
    if (!stored.message.group) this.#privateAddress = addressOf(stored);
  }

  /** Records that the invocation of a message has paused. */
  paused(invocationId: string, stored: StoredMessage): void {
    const { group } = stored.message;
    const place = { groupId: group?.id, address: group && addressOf(stored) };
    putCached(this.#places, invocationId, place, MAX_CACHED);
  }

  /** Records that a run for messages reports an error event: the failure is sent as a reply to each message. */
  reported({ id }: Event): void {
    putCached(this.#reported, id, true, MAX_CACHED);
  }

  isReported({ id }: Event): boolean {
    return this.#reported.has(id);
  }

  /**
   * True if the question was sent to the chat of the message. If its key is not known any more, the question counts as sent where its
   * run began. `events` are the events of the session.
   */
  async mayAnswer(question: Interrupt, { message }: StoredMessage, events: readonly Event[]): Promise<boolean> {
    const key = this.createReplies().questionKey(question);
    const groupId = message.group?.id;
    if (await this.#isKnown(keyIn(groupId, key))) return true;
    if (groupOf(events, question.invocationId) !== groupId) return false;
    return groupId === undefined || !(await this.#isKnown(key));
  }

  /** Returns replies to a message. Without a message, they are sent to the group where the run paused, or to the private chat. */
  createReplies(stored?: StoredMessage): Replies {
    const { outbox, runtime, texts } = this.deps;
    return new Replies(this.ref, texts, async (id, message, origin) => {
      // A closed conversation sends nothing. Its messages are unfinished, so the answer is sent after the next start.
      if (this.isClosed) return;
      const place = this.#placeOf(origin, stored);
      // With the link of a sign-in, anyone in a group could connect their own account to this user.
      const isHidden = origin.kind === 'signIn' && place?.groupId !== undefined;
      const to = (isHidden ? undefined : place?.address) ?? this.#privateAddress ?? this.#ownAddress();
      const isQuestion = origin.kind === 'question';
      // After a restart the address of the group is not known.
      if (isQuestion && !place && (await this.#wasAskedInGroup(id, origin.invocationId))) return;
      const key = isQuestion ? keyIn(place?.groupId, id) : id;
      const delivery = { key, userId: this.#user.id, channel: this.channel, to, message, createdAt: runtime.now() };
      // An error would end the run that is being read, and its later answers would be lost.
      await this.persist(() => outbox.put(delivery));
    });
  }

  /** Returns the place of the message, otherwise of the paused invocation. Undefined if it is not known. */
  #placeOf(origin: ReplyOrigin, stored: StoredMessage | undefined): Place | undefined {
    if (stored) return { groupId: stored.message.group?.id, address: addressOf(stored) };
    return origin.kind === 'note' ? undefined : this.#places.get(origin.invocationId);
  }

  /** Records that messages are answered. */
  finish(messages: readonly StoredMessage[]): Promise<void> {
    const { deliveries, runtime } = this.deps;
    const keys = messages.map(({ key }) => key);
    return this.persist(() => deliveries.finish(keys, runtime.now()));
  }

  /** Repeats a write until it succeeds. Stops when the conversation is closed: the next start handles the message again. */
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

  /** True if a question was sent to the group in which its invocation began. */
  async #wasAskedInGroup(key: string, invocationId: string): Promise<boolean> {
    const { sessions } = this.deps;
    let groupId: string | undefined;
    await this.persist(async () => {
      groupId = groupOf((await sessions.getSession(this.ref))?.events ?? [], invocationId);
    });
    return groupId !== undefined && this.#isKnown(keyIn(groupId, key));
  }

  /** True if a delivery with this key was stored. */
  async #isKnown(key: string): Promise<boolean> {
    let isKnown = false;
    await this.persist(async () => {
      isKnown = (await this.deps.deliveries.status(key)) !== undefined;
    });
    return isKnown;
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
      // The new consolidator replaces the old one.
      parts.consolidator?.schedule(this.ref);
      pool.release(old);
      this.onReplaced();
    } catch (error) {
      this.#isStale = wasStale;
      if (!this.#parts) throw error;
      // The old parts stay in use until new parts can be created.
      this.report('run', error);
    }
  }

  #ownAddress(): string {
    return this.#user.identities.find(({ channel }) => channel === this.channel)?.sender ?? this.#user.id;
  }
}

/** Returns the address that receives the answers to a message. */
export function addressOf({ message }: StoredMessage): string {
  return message.address ?? message.sender;
}
