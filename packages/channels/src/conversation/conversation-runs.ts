import { pendingInterrupts, TholeError } from '@thole/core';
import type { Event, Interrupt } from '@thole/core';
import { hashOf } from '../channel/read-inbound-message.ts';
import type { StoredMessage } from '../delivery/delivery-store.ts';
import { batchText } from './batch-content.ts';
import type { ConversationContext } from './conversation-context.ts';
import { ConversationTimers } from './conversation-timers.ts';
import { keyIn } from './group.ts';
import { isTemporary } from './is-temporary.ts';
import { isQuestion, lastQuestion, parseAnswers } from './question.ts';
import type { Replies } from './replies.ts';
import { continueInvocation, replyTo, runBatch } from './run-batch.ts';
import type { Batch, BatchContext } from './run-batch.ts';
import type { ConversationParts } from './conversation-parts.ts';
import { firstExpiry, RunFollower } from './run-follower.ts';

/** Maximum number of attempts of a run after temporary errors of a store. */
const MAX_RUN_ATTEMPTS = 6;

/** The runs of one conversation: runs for messages, and runs that continue without a message. */
export class ConversationRuns {
  readonly #context: ConversationContext;
  readonly #active = new Set<Promise<void>>();
  /** Group of the last messages. Undefined for a private chat. */
  #groupId: string | undefined;
  /** Calls `continueWaiting` in the order of the conversation. */
  readonly #wake: () => void;
  readonly #timers: ConversationTimers;
  readonly #follower: RunFollower;

  constructor(context: ConversationContext, wake: () => void) {
    this.#context = context;
    this.#wake = wake;
    this.#timers = new ConversationTimers(context.deps.runtime, context.signal);
    this.#follower = new RunFollower(context, () => this.whenIdle());
  }

  get isIdle(): boolean {
    return this.#active.size === 0;
  }

  /** Resolves when no run is active. */
  async whenIdle(): Promise<void> {
    while (this.#active.size > 0) await Promise.all(this.#active);
  }

  /** Starts the run for messages. Resolves when they are in the session, so that later messages join the run. */
  async start(messages: readonly StoredMessage[]): Promise<void> {
    await this.#whenMayJoin(messages);
    const interruptId = await this.#questionAnsweredBy(messages);
    const keys = messages.map(({ key }) => key);
    const id = `message-${hashOf(keys).slice(0, 40)}`;
    const batch = { id, ...(interruptId !== undefined && { interruptId }) };
    await this.#context.persist(() => this.#context.deps.deliveries.begin(keys, batch));
    await this.begin({ ...batch, messages, wasBegun: false });
  }

  /** Starts the run of a stored batch. Resolves like `start`. */
  async begin(batch: Batch): Promise<void> {
    await this.#whenMayJoin(batch.messages);
    this.#groupId = groupIdOf(batch.messages);
    return new Promise((resolve) => {
      const run = this.#run(batch, resolve).finally(() => {
        this.#active.delete(run);
        resolve();
      });
      this.#active.add(run);
    });
  }

  /** Continues the session without a new message: an unfinished run, due timers, and answers that were stored by other callers. */
  async continueWaiting(): Promise<void> {
    await this.whenIdle();
    const { deps, ref } = this.#context;
    const before = await deps.sessions.getSession(ref);
    if (!before) return;
    const now = deps.runtime.now();
    const due = pendingInterrupts(before.events).filter(({ expiresAt = Infinity }) => expiresAt <= now);
    const ids = new Set(due.map(({ invocationId }) => invocationId));
    if (before.marks?.unfinished) ids.add(before.marks.unfinished);
    for (const id of ids) await this.#continue(id);
    const after = ids.size === 0 ? before : await deps.sessions.getSession(ref);
    const replies = this.#context.createReplies();
    // Another process may have continued the runs, or may have asked while this one was off. Nothing is sent twice.
    const added = (after?.events ?? []).filter(({ seq }) => seq! > before.lastSeq);
    for (const id of ids) await replies.sendRun(added.filter(({ invocationId }) => invocationId === id));
    const open = pendingInterrupts(after?.events ?? []);
    for (const asked of Map.groupBy(open, ({ invocationId }) => invocationId).values())
      await replies.sendQuestion(asked);
    const dueIds = new Set(due.map(({ id }) => id));
    this.#wakeLater(open.filter(({ id }) => !dueIds.has(id)));
    this.#follower.follow(open, before.lastSeq);
  }

  /** Continues paused runs when they are due. The runner that has paused them is about to close. */
  async wakeOnTime(): Promise<void> {
    try {
      const session = await this.#context.deps.sessions.getSession(this.#context.ref);
      this.#wakeLater(pendingInterrupts(session?.events ?? []));
    } catch (error) {
      this.#report(error);
    }
  }

  /** Runs a batch. Repeats it after temporary errors of a store. Never rejects. */
  async #run(first: Batch, onStored: () => void): Promise<void> {
    const context = this.#context;
    const last = first.messages.at(-1);
    const replies = context.createReplies(last);
    let batch = first;
    for (let attempt = 1; ; attempt++) {
      try {
        await context.withParts((parts) => runBatch(this.#batchContext(parts, replies, last), batch, onStored));
        break;
      } catch (error) {
        // The next start continues the batch.
        if (context.isClosed) return;
        // Another process may continue a run of an earlier process. Its answers are sent at its end.
        const isContinued = first.wasBegun && TholeError.is(error, 'SESSION_BUSY');
        const mayRepeat = isContinued || (isTemporary(error) && attempt < MAX_RUN_ATTEMPTS);
        if (mayRepeat && (await context.wait(attempt))) {
          batch = { ...batch, wasBegun: true };
          continue;
        }
        if (context.isClosed) return;
        context.report('run', error);
        await replies.sendNote('failed', batch.id, context.deps.texts.failed, replyTo(batch));
        break;
      }
    }
    if (context.isClosed) return;
    await context.finish(batch.messages);
    context.parts?.consolidator?.schedule(context.ref);
  }

  /** Resolves when no run of another group is active: its answer would be sent to that group. A private chat has no group. */
  async #whenMayJoin(messages: readonly StoredMessage[]): Promise<void> {
    if (groupIdOf(messages) !== this.#groupId) await this.whenIdle();
  }

  /** Continues an invocation. Reports its failure, and sends it unless another attempt may succeed. */
  async #continue(invocationId: string): Promise<void> {
    const context = this.#context;
    const replies = context.createReplies();
    await context.withParts(async (parts) => {
      try {
        await continueInvocation(this.#batchContext(parts, replies), invocationId);
        parts.consolidator?.schedule(context.ref);
      } catch (error) {
        this.#report(error);
        if (!isTemporary(error)) await replies.sendFailure(invocationId, codeOf(error));
      }
    });
  }

  #batchContext(parts: ConversationParts, replies: Replies, message?: StoredMessage): BatchContext {
    const { deps, ref } = this.#context;
    const { sessions, texts } = deps;
    const { runner } = parts;
    const onPaused = (interrupts: readonly Interrupt[], lastSeq: number | undefined): void => {
      if (message) for (const { invocationId } of interrupts) this.#context.paused(invocationId, message);
      // The runner of replaced parts is about to close, and does not continue the run on time.
      if (parts !== this.#context.parts) this.#wakeLater(interrupts, `wake ${interrupts[0]?.invocationId}`);
      // Another process may have answered meanwhile: its events follow the last event of this run.
      if (lastSeq !== undefined) return this.#follower.follow(interrupts, lastSeq);
      void sessions.getSession({ ...ref, numRecentEvents: 0 }).then(
        (head) => head && this.#follower.follow(interrupts, head.lastSeq),
        () => {},
      );
    };
    const onErrorEvent = (event: Event): void => this.#context.reported(event);
    const onError = (error: unknown): void => this.#report(error);
    return { ref, runner, sessions, replies, texts, onPaused, onErrorEvent, onError };
  }

  /**
   * Returns the id of the open question that these messages answer: the question that was sent last. A question that still waits
   * for its channel is never answered: the person has not seen it. A message in a group answers only questions of the group.
   */
  async #questionAnsweredBy(messages: readonly StoredMessage[]): Promise<string | undefined> {
    if (!this.isIdle || messages.some(({ message }) => message.files)) return undefined;
    const { deps, ref } = this.#context;
    const { sessions, texts } = deps;
    try {
      const head = await sessions.getSession({ ...ref, numRecentEvents: 0 });
      if (!head || head.marks?.openInterrupts === 0) return undefined;
      const session = await sessions.getSession(ref);
      const last = messages.at(-1)!;
      const events = session?.events ?? [];
      const questions: Interrupt[] = [];
      for (const each of pendingInterrupts(events).filter(isQuestion))
        if (await this.#context.mayAnswer(each, last, events)) questions.push(each);
      const question = lastQuestion(questions);
      if (!question) return undefined;
      const key = keyIn(last.message.group?.id, this.#context.createReplies().questionKey(question));
      if (deps.outbox.isWaiting(key)) return undefined;
      return parseAnswers(batchText(messages), question, texts).length > 0 ? question.id : undefined;
    } catch (error) {
      if (!isTemporary(error)) throw error;
      return undefined;
    }
  }

  #wakeLater(open: readonly Interrupt[], key: string = 'wake'): void {
    const time = firstExpiry(open);
    if (time !== undefined) this.#timers.set(key, time, this.#wake);
  }

  #report(error: unknown): void {
    if (!this.#context.isClosed) this.#context.report('run', error);
  }
}

function codeOf(error: unknown): string | undefined {
  return TholeError.is(error) ? error.code : undefined;
}

function groupIdOf(messages: readonly StoredMessage[]): string | undefined {
  return messages.at(-1)?.message.group?.id;
}
