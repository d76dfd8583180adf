import { pendingInterrupts, TholeError } from '@thole/core';
import type { CancelTimer, Interrupt, Runtime, SessionRef, SessionService } from '@thole/core';
import type { SweepReport } from '@thole/memory';
import { readCommand } from '../commands/slash-commands.ts';
import type { CommandLine, SlashCommands } from '../commands/slash-commands.ts';
import type { DeliveryStore, StoredMessage } from '../delivery/delivery-store.ts';
import type { Outbox } from '../delivery/outbox.ts';
import type { DispatchFailure } from '../dispatcher/dispatcher-options.ts';
import type { Texts } from '../dispatcher/texts.ts';
import { hashOf } from '../channel/read-inbound-message.ts';
import type { User } from '../identity/user.ts';
import { batchText } from './batch-content.ts';
import type { ConversationParts } from './conversation-parts.ts';
import { PartsPool } from './parts-pool.ts';
import { answersIn, isQuestion } from './question.ts';
import { Replies } from './replies.ts';
import { continueInvocation, replyTo, runBatch } from './run-batch.ts';
import type { Batch, BatchContext } from './run-batch.ts';

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

/** Attempts of a run whose store fails for now. */
const MAX_RUN_ATTEMPTS = 6;
const LONGEST_WAIT_MS = 60_000;
const temporaryCodes = ['SESSION_BUSY', 'LEASE_LOST', 'STORE_UNAVAILABLE', 'STORE_OUTCOME_UNKNOWN'];

/**
 * One user on one channel. Handles stored messages in order: commands at once, all others with the runner. Created by the
 * dispatcher.
 */
export class Conversation {
  readonly channel: string;
  /** Session id: `{userId}:{channel}`. */
  readonly ref: SessionRef;
  readonly #deps: ConversationDeps;
  #user: User;
  #parts: ConversationParts | undefined;
  #isStale = false;
  #isClosed = false;
  /** The last address in use. Messages that answer no message go there. */
  #address: string | undefined;
  #gathered: StoredMessage[] = [];
  #cancelGathering: CancelTimer | undefined;
  /** Resolves when the gathered messages are handled or dropped. */
  #gathering: PromiseWithResolvers<void> | undefined;
  /** Work that runs one after another: commands, and the beginnings of runs. */
  #work: Promise<void> = Promise.resolve();
  #waiting = 0;
  readonly #active = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  #follows = false;

  constructor(deps: ConversationDeps, p: { user: User; channel: string; ref: SessionRef }) {
    this.#deps = deps;
    this.#user = p.user;
    this.channel = p.channel;
    this.ref = p.ref;
  }

  get user(): User {
    return this.#user;
  }
  /** A change of the name or role creates new parts at the next message. */
  set user(user: User) {
    if (user.name !== this.#user.name || user.role !== this.#user.role) this.#isStale = true;
    this.#user = user;
  }

  /** True if nothing is gathered, queued or running. */
  get isIdle(): boolean {
    return this.#gathered.length === 0 && this.#waiting === 0 && this.#active.size === 0;
  }

  /** Creates the parts again at the next message. The session stays. */
  reload(): void {
    this.#isStale = true;
  }

  /**
   * Handles a stored message. Messages that arrive within `coalesceMs` of the first one become one message; a command is handled
   * alone, after what came before it. Returns at once.
   */
  handle(stored: StoredMessage, coalesceMs: number): void {
    this.#gathered.push(stored);
    this.#gathering ??= Promise.withResolvers();
    this.#address = addressOf(stored);
    if (coalesceMs <= 0 || isCommand(stored)) this.flush();
    else this.#cancelGathering ??= this.#deps.runtime.timer(coalesceMs, () => this.flush());
  }

  /** Handles what is gathered now. */
  flush(): void {
    this.#cancelGathering?.();
    this.#cancelGathering = undefined;
    const gathered = this.#gathered;
    this.#gathered = [];
    if (gathered.length > 0) this.#enqueue(() => this.#handleAll(gathered));
    this.#endGathering();
  }

  /** Handles the messages that an earlier process has left, before all others: begun batches first, then the rest as one. */
  recover(messages: readonly StoredMessage[]): void {
    const batches = Map.groupBy(messages, ({ batch }) => batch?.id);
    for (const [id, group] of batches) {
      this.#address = addressOf(group.at(-1)!);
      if (id === undefined) this.#enqueue(() => this.#handleAll(group));
      else this.#enqueue(() => this.#begin({ ...group[0]!.batch!, messages: group, wasBegun: true }));
    }
  }

  /** Continues what waits for no message: an unfinished run, timers that are due, answers from elsewhere. */
  resumeWaiting(): void {
    this.#enqueue(async () => {
      await this.#runsEnd();
      const session = await this.#deps.sessions.getSession(this.ref);
      if (!session) return;
      const now = this.#deps.runtime.now();
      const open = pendingInterrupts(session.events);
      const due = open.filter(({ expiresAt }) => expiresAt !== undefined && expiresAt <= now);
      const ids = new Set(due.map(({ invocationId }) => invocationId));
      if (session.marks?.unfinished) ids.add(session.marks.unfinished);
      for (const id of ids) await this.#background((context) => continueInvocation(context, id));
      this.#wakeLater(open.filter((each) => !due.includes(each)));
      this.#follow(open, session.lastSeq);
    });
  }

  /** Adds the idle sessions of the user to memory, and arms the others. Undefined without a consolidator. */
  async sweep(): Promise<SweepReport | undefined> {
    const parts = await this.#useParts();
    try {
      const { appName, userId } = this.ref;
      return await parts.consolidator?.sweep({ appName, userId });
    } finally {
      this.#deps.pool.release(parts);
    }
  }

  /** Deletes everything of the user: sessions, state, artifacts and memory. Then closes the conversation. */
  async deleteUserData(): Promise<void> {
    const parts = await this.#useParts();
    try {
      await parts.runner.deleteUserData({ userId: this.ref.userId });
    } finally {
      this.#deps.pool.release(parts);
      this.close();
    }
  }

  /** Closes the conversation of a deleted user, and stops its run. Nothing more is sent. */
  async cancel(): Promise<void> {
    const parts = this.#parts;
    if (parts) this.#deps.pool.use(parts);
    this.close();
    if (!parts) return;
    const { sessionId, userId } = this.ref;
    await parts.runner.cancel({ userId, sessionId }).catch((error: unknown) => this.#report('run', error));
    await this.#runsEnd();
    this.#deps.pool.release(parts);
  }

  /** Resolves when all messages are handled. */
  async idle(): Promise<void> {
    while (!this.isIdle) {
      await this.#gathering?.promise;
      await this.#work;
      await this.#runsEnd();
    }
  }

  /** Drops what is gathered and queued. It stays stored. Runs end when the pool closes their runner. */
  close(): void {
    this.#isClosed = true;
    this.#cancelGathering?.();
    this.#gathered = [];
    this.#endGathering();
    this.#stop.abort(new TholeError('RUN_ABORTED', 'The conversation was closed.'));
    if (this.#parts) this.#deps.pool.release(this.#parts);
    this.#parts = undefined;
  }

  #endGathering(): void {
    this.#gathering?.resolve();
    this.#gathering = undefined;
  }

  #enqueue(work: () => Promise<void>): void {
    this.#waiting++;
    this.#work = this.#work
      .then(() => (this.#isClosed ? undefined : work()))
      .catch((error: unknown) => this.#report('run', error))
      .finally(() => void this.#waiting--);
  }

  async #handleAll(messages: readonly StoredMessage[]): Promise<void> {
    let group: StoredMessage[] = [];
    for (const stored of messages) {
      const mustEnd = isCommand(stored) || (group[0] && addressOf(group[0]) !== addressOf(stored));
      if (mustEnd && group.length > 0) {
        await this.#handleTogether(group);
        group = [];
      }
      if (isCommand(stored)) await this.#runCommand(stored);
      else group.push(stored);
    }
    if (group.length > 0) await this.#handleTogether(group);
  }

  /** Begins the run of messages. Resolves when they are in the session, so that the next ones join the run. */
  async #handleTogether(messages: readonly StoredMessage[]): Promise<void> {
    const left = await this.#withoutAnswersToCommands(messages);
    if (left.length === 0 || this.#isClosed) return;
    const interruptId = await this.#questionAnsweredBy(left);
    const id = `message-${hashOf(left.map(({ key }) => key)).slice(0, 40)}`;
    const batch = { id, ...(interruptId !== undefined && { interruptId }) };
    await this.#persist(() =>
      this.#deps.deliveries.begin(
        left.map(({ key }) => key),
        batch,
      ),
    );
    await this.#begin({ ...batch, messages: left, wasBegun: false });
  }

  #begin(batch: Batch): Promise<void> {
    return new Promise((resolve) => {
      const run = this.#run(batch, resolve).finally(() => {
        this.#active.delete(run);
        resolve();
      });
      this.#active.add(run);
    });
  }

  /** Runs a batch, again if a store fails for now. Never rejects. */
  async #run(first: Batch, onStored: () => void): Promise<void> {
    let batch = first;
    const replies = this.#repliesTo(batch.messages.at(-1)!);
    for (let attempt = 1; ; attempt++) {
      let parts: ConversationParts | undefined;
      try {
        parts = await this.#useParts();
        await runBatch(this.#contextOf(parts, replies), batch, onStored);
        break;
      } catch (error) {
        // The next process, or the next start, continues it.
        if (this.#isClosed) return;
        if (isTemporary(error) && attempt < MAX_RUN_ATTEMPTS && (await this.#wait(attempt))) {
          batch = { ...batch, wasBegun: true };
          continue;
        }
        if (this.#isClosed) return;
        this.#report('run', error);
        await this.#persist(() => replies.note('failed', batch.id, this.#deps.texts.failed, replyTo(batch)));
        break;
      } finally {
        if (parts) this.#deps.pool.release(parts);
      }
    }
    if (this.#isClosed) return;
    await this.#finish(batch.messages);
    this.#parts?.consolidator?.schedule(this.ref);
  }

  async #runCommand(stored: StoredMessage): Promise<void> {
    await this.#runsEnd();
    if (this.#isClosed) return;
    const { texts } = this.#deps;
    let answer: string;
    try {
      answer = await this.#answerTo(readCommand(stored.message.text)!, stored);
    } catch (error) {
      if (this.#isClosed) return;
      this.#report('command', error);
      answer = texts.commandFailed;
    }
    await this.#answerCommand(stored, answer);
  }

  async #answerTo({ argument, name }: CommandLine, { message }: StoredMessage): Promise<string> {
    const { commands, pool, texts } = this.#deps;
    const { signal } = this.#stop;
    const own = commands.find(name, this.#user.role);
    if (own) return own.run({ argument, user: this.#user, message, signal });
    const parts = await this.#useParts();
    try {
      if (name === 'help') return commands.help(this.#user.role, parts.commands?.help ?? []);
      const answer = await parts.commands?.handle(`/${name} ${argument}`.trim(), this.ref, { signal });
      if (!answer) return texts.unknownCommand;
      return answer.isMessage ? `${answer.text}\n${texts.unknownCommand}` : answer.text;
    } finally {
      pool.release(parts);
    }
  }

  /** Lets the commands of memory see each text, because one may be the `yes` to their question. Returns the others. */
  async #withoutAnswersToCommands(messages: readonly StoredMessage[]): Promise<StoredMessage[]> {
    const left: StoredMessage[] = [];
    for (const stored of messages) {
      const answer = await this.#answerOfCommands(stored);
      if (answer && !answer.isMessage) {
        await this.#answerCommand(stored, answer.text);
        continue;
      }
      if (answer) await this.#persist(() => this.#repliesTo(stored).note('command', stored.key, answer.text));
      left.push(stored);
    }
    return left;
  }

  async #answerOfCommands({
    message,
  }: StoredMessage): Promise<{ text: string; isMessage?: boolean | undefined } | undefined> {
    if (message.files) return undefined;
    let parts: ConversationParts | undefined;
    try {
      parts = await this.#useParts();
      return await parts.commands?.handle(message.text, this.ref, { signal: this.#stop.signal });
    } catch (error) {
      // Without parts the run reports the error. A failed answer to a question is a failed command.
      if (!parts || this.#isClosed) return undefined;
      this.#report('command', error);
      return { text: this.#deps.texts.commandFailed };
    } finally {
      if (parts) this.#deps.pool.release(parts);
    }
  }

  async #answerCommand(stored: StoredMessage, text: string): Promise<void> {
    await this.#persist(() => this.#repliesTo(stored).note('command', stored.key, text, stored.message.id));
    await this.#finish([stored]);
  }

  /** Returns the id of the oldest open question that these messages answer. */
  async #questionAnsweredBy(messages: readonly StoredMessage[]): Promise<string | undefined> {
    if (this.#active.size > 0 || messages.some(({ message }) => message.files)) return undefined;
    const { sessions, texts } = this.#deps;
    try {
      const head = await sessions.getSession({ ...this.ref, numRecentEvents: 0 });
      if (!head || head.marks?.openInterrupts === 0) return undefined;
      const session = await sessions.getSession(this.ref);
      const question = session && pendingInterrupts(session.events).find(isQuestion);
      return question && answersIn(batchText(messages), question, texts).length > 0 ? question.id : undefined;
    } catch (error) {
      if (!isTemporary(error)) throw error;
      return undefined;
    }
  }

  /** Runs work in the order of commands. Its failure is reported. */
  async #background(work: (context: BatchContext) => Promise<void>): Promise<void> {
    const parts = await this.#useParts();
    try {
      await work(this.#contextOf(parts, this.#replies(this.#address ?? this.#senderOf())));
      parts.consolidator?.schedule(this.ref);
    } catch (error) {
      if (!this.#isClosed) this.#report('run', error);
    } finally {
      this.#deps.pool.release(parts);
    }
  }

  #wakeLater(open: readonly Interrupt[]): void {
    const times = open.flatMap(({ expiresAt }) => (expiresAt === undefined ? [] : [expiresAt]));
    if (times.length === 0) return;
    const { runtime } = this.#deps;
    const ms = Math.max(0, (Math.min(...times) - runtime.now()) * 1_000);
    const cancel = runtime.timer(ms, () => this.resumeWaiting());
    this.#stop.signal.addEventListener('abort', cancel, { once: true });
  }

  /** Passes on what other runs of the session answer, after a timer, a sign-in or a long-running call. */
  #follow(interrupts: readonly Interrupt[], afterSeq: number): void {
    const { sessions } = this.#deps;
    if (this.#follows || !sessions.watching || interrupts.every(isQuestion)) return;
    this.#follows = true;
    const follow = async (): Promise<void> => {
      for await (const event of sessions.watching!.watch(this.ref, afterSeq, this.#stop.signal)) {
        if (!(await this.#replies(this.#address ?? this.#senderOf()).event(event))) continue;
        const head = await sessions.getSession({ ...this.ref, numRecentEvents: 0 });
        if (!head?.marks || (head.marks.openInterrupts === 0 && head.marks.wakeAt === null)) return;
      }
    };
    void follow()
      .catch((error: unknown) => {
        if (!this.#isClosed) this.#report('run', error);
      })
      .finally(() => void (this.#follows = false));
  }

  #contextOf({ runner }: ConversationParts, replies: Replies): BatchContext {
    const { sessions, texts } = this.#deps;
    const onPaused = (interrupts: readonly Interrupt[]): void => {
      void sessions.getSession({ ...this.ref, numRecentEvents: 0 }).then(
        (head) => head && this.#follow(interrupts, head.lastSeq),
        () => {},
      );
    };
    return { ref: this.ref, runner, sessions, replies, texts, onPaused };
  }

  /** Returns the current parts, and counts a use of them. Throws the error of `createParts` if there are none yet. */
  async #useParts(): Promise<ConversationParts> {
    const { pool } = this.#deps;
    if (!this.#parts || this.#isStale) await this.#createParts(pool);
    const parts = this.#parts!;
    pool.use(parts);
    return parts;
  }

  async #createParts(pool: PartsPool): Promise<void> {
    const wasStale = this.#isStale;
    this.#isStale = false;
    try {
      const parts = await pool.create({ user: this.#user, channel: this.channel, ref: this.ref });
      if (this.#isClosed) {
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
      this.#report('run', error);
    }
  }

  #repliesTo(stored: StoredMessage): Replies {
    return this.#replies(addressOf(stored));
  }

  #replies(to: string): Replies {
    const { outbox, runtime, texts } = this.#deps;
    return new Replies(this.ref, texts, async (key, message) => {
      // A closed conversation sends nothing: its messages are not finished, and the next start passes the answer on.
      if (this.#isClosed) return;
      await outbox.put({ key, userId: this.#user.id, channel: this.channel, to, message, createdAt: runtime.now() });
    });
  }

  #senderOf(): string {
    return this.#user.identities.find(({ channel }) => channel === this.channel)?.sender ?? this.#user.id;
  }

  #finish(messages: readonly StoredMessage[]): Promise<void> {
    const { deliveries, runtime } = this.#deps;
    const keys = messages.map(({ key }) => key);
    return this.#persist(() => deliveries.finish(keys, runtime.now()));
  }

  /** Repeats a write until the store has it. Gives up when the conversation is closed: then the next start does the rest. */
  async #persist(write: () => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await write();
      } catch (error) {
        if (this.#isClosed) return;
        if (attempt === 1) this.#report('run', error);
        if (!(await this.#wait(attempt))) return;
      }
    }
  }

  /** Returns false if the conversation was closed. */
  async #wait(attempt: number): Promise<boolean> {
    const ms = Math.min(LONGEST_WAIT_MS, 1_000 * 2 ** (attempt - 1));
    await this.#deps.runtime.sleep(ms, this.#stop.signal).catch(() => {});
    return !this.#isClosed;
  }

  async #runsEnd(): Promise<void> {
    while (this.#active.size > 0) await Promise.all(this.#active);
  }

  #report(step: DispatchFailure['step'], error: unknown): void {
    this.#deps.onError({ step, channel: this.channel, user: this.#user, error });
  }
}

function isCommand({ message }: StoredMessage): boolean {
  return !message.files && readCommand(message.text) !== undefined;
}

function addressOf({ message }: StoredMessage): string {
  return message.address ?? message.sender;
}

function isTemporary(error: unknown): boolean {
  return TholeError.is(error) && temporaryCodes.includes(error.code);
}
