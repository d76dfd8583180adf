import { pendingInterrupts, TholeError } from '@thole/core';
import { answerEventId } from '@thole/core/kit';
import type { CancelTimer, Event, Interrupt } from '@thole/core';
import { hashOf } from '../channel/read-inbound-message.ts';
import type { StoredMessage } from '../delivery/delivery-store.ts';
import { batchText } from './batch-content.ts';
import type { ConversationContext } from './conversation-context.ts';
import { isQuestion, lastQuestion, parseAnswers } from './question.ts';
import type { Replies } from './replies.ts';
import { continueInvocation, replyTo, runBatch } from './run-batch.ts';
import type { Batch, BatchContext } from './run-batch.ts';
import type { ConversationParts } from './conversation-parts.ts';

/** Maximum number of attempts of a run after temporary errors of a store. */
const MAX_RUN_ATTEMPTS = 6;
const temporaryCodes = ['SESSION_BUSY', 'LEASE_LOST', 'STORE_UNAVAILABLE', 'STORE_OUTCOME_UNKNOWN'];

/** The runs of one conversation: runs for messages, and runs that continue without a message. */
export class ConversationRuns {
  readonly #context: ConversationContext;
  readonly #active = new Set<Promise<void>>();
  /** Calls `continueWaiting` in the order of the conversation. */
  readonly #wake: () => void;
  #isFollowing = false;
  readonly #timers = new Map<string, CancelTimer>();

  constructor(context: ConversationContext, wake: () => void) {
    this.#context = context;
    this.#wake = wake;
    const cancelAll = (): void => this.#timers.forEach((cancel) => cancel());
    context.signal.addEventListener('abort', cancelAll, { once: true });
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
    const interruptId = await this.#questionAnsweredBy(messages);
    const keys = messages.map(({ key }) => key);
    const id = `message-${hashOf(keys).slice(0, 40)}`;
    const batch = { id, ...(interruptId !== undefined && { interruptId }) };
    await this.#context.persist(() => this.#context.deps.deliveries.begin(keys, batch));
    await this.begin({ ...batch, messages, wasBegun: false });
  }

  /** Starts the run of a stored batch. Resolves like `start`. */
  begin(batch: Batch): Promise<void> {
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
    const session = await deps.sessions.getSession(ref);
    if (!session) return;
    const now = deps.runtime.now();
    const open = pendingInterrupts(session.events);
    const due = open.filter(({ expiresAt }) => expiresAt !== undefined && expiresAt <= now);
    const ids = new Set(due.map(({ invocationId }) => invocationId));
    if (session.marks?.unfinished) ids.add(session.marks.unfinished);
    for (const id of ids) await this.#continue(id);
    this.#wakeLater(open.filter((each) => !due.includes(each)));
    this.#follow(open, session.lastSeq);
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
    const replies = context.createReplies(first.messages.at(-1));
    let batch = first;
    for (let attempt = 1; ; attempt++) {
      try {
        await context.withParts((parts) => runBatch(this.#batchContext(parts, replies), batch, onStored));
        break;
      } catch (error) {
        // The next start continues the batch.
        if (context.isClosed) return;
        if (isTemporary(error) && attempt < MAX_RUN_ATTEMPTS && (await context.wait(attempt))) {
          batch = { ...batch, wasBegun: true };
          continue;
        }
        if (context.isClosed) return;
        context.report('run', error);
        await context.persist(() => replies.sendNote('failed', batch.id, context.deps.texts.failed, replyTo(batch)));
        break;
      }
    }
    if (context.isClosed) return;
    await context.finish(batch.messages);
    context.parts?.consolidator?.schedule(context.ref);
  }

  /** Continues an invocation. Reports its failure. */
  async #continue(invocationId: string): Promise<void> {
    const context = this.#context;
    await context.withParts(async (parts) => {
      try {
        await continueInvocation(this.#batchContext(parts, context.createReplies()), invocationId);
        parts.consolidator?.schedule(context.ref);
      } catch (error) {
        if (!context.isClosed) context.report('run', error);
      }
    });
  }

  #batchContext(parts: ConversationParts, replies: Replies): BatchContext {
    const { deps, ref } = this.#context;
    const { sessions, texts } = deps;
    const { runner } = parts;
    const onPaused = (interrupts: readonly Interrupt[]): void => {
      // The runner of replaced parts is about to close, and does not continue the run on time.
      if (parts !== this.#context.parts) this.#wakeLater(interrupts, `wake ${runKey(interrupts)}`);
      void sessions.getSession({ ...ref, numRecentEvents: 0 }).then(
        (head) => head && this.#follow(interrupts, head.lastSeq),
        () => {},
      );
    };
    return { ref, runner, sessions, replies, texts, onPaused };
  }

  /** Returns the id of the open question that these messages answer: the question that was sent last. */
  async #questionAnsweredBy(messages: readonly StoredMessage[]): Promise<string | undefined> {
    if (!this.isIdle || messages.some(({ message }) => message.files)) return undefined;
    const { deps, ref } = this.#context;
    const { sessions, texts } = deps;
    try {
      const head = await sessions.getSession({ ...ref, numRecentEvents: 0 });
      if (!head || head.marks?.openInterrupts === 0) return undefined;
      const session = await sessions.getSession(ref);
      const question = session && lastQuestion(pendingInterrupts(session.events));
      return question && parseAnswers(batchText(messages), question, texts).length > 0 ? question.id : undefined;
    } catch (error) {
      if (!isTemporary(error)) throw error;
      return undefined;
    }
  }

  #wakeLater(open: readonly Interrupt[], key: string = 'wake'): void {
    const time = firstExpiry(open);
    if (time !== undefined) this.#schedule(key, time, this.#wake);
  }

  /** Calls `work` at a time, in seconds. Replaces an earlier timer with this key. */
  #schedule(key: string, time: number, work: () => void): void {
    const { runtime } = this.#context.deps;
    if (this.#context.isClosed) return;
    this.#timers.get(key)?.();
    const cancel = runtime.timer(Math.max(0, (time - runtime.now()) * 1_000), () => {
      this.#timers.delete(key);
      work();
    });
    this.#timers.set(key, cancel);
  }

  /**
   * Sends the answers and questions of other runs of the session, after a timer, a sign-in or a long-running call. If only questions
   * are open, starts when the first one expires.
   */
  #follow(interrupts: readonly Interrupt[], afterSeq: number): void {
    const { deps } = this.#context;
    if (this.#isFollowing || !deps.sessions.watching) return;
    if (!interrupts.every(isQuestion)) return this.#startFollowing(afterSeq);
    const time = firstExpiry(interrupts);
    if (time === undefined) return;
    const start = async (): Promise<void> => {
      const session = await deps.sessions.getSession(this.#context.ref);
      const hasWaited = interrupts.some(({ id }) => isOpenOrExpired(session?.events ?? [], id));
      if (hasWaited && !this.#isFollowing) this.#startFollowing(afterSeq);
    };
    this.#schedule(`question ${runKey(interrupts)}`, time, () => {
      start().catch((error: unknown) => this.#report(error));
    });
  }

  #startFollowing(afterSeq: number): void {
    const context = this.#context;
    const { sessions } = context.deps;
    this.#isFollowing = true;
    const follow = async (): Promise<void> => {
      for await (const event of sessions.watching!.watch(context.ref, afterSeq, context.signal)) {
        const replies = context.createReplies();
        if (isRequest(event)) await this.#sendQuestionOf(event, replies);
        else if (!(await replies.sendEvent(event))) continue;
        const head = await sessions.getSession({ ...context.ref, numRecentEvents: 0 });
        if (!head?.marks || (head.marks.openInterrupts === 0 && head.marks.wakeAt === null)) return;
      }
    };
    void follow()
      .catch((error: unknown) => this.#report(error))
      .finally(() => void (this.#isFollowing = false));
  }

  #report(error: unknown): void {
    if (!this.#context.isClosed) this.#context.report('run', error);
  }

  async #sendQuestionOf({ invocationId }: Event, replies: Replies): Promise<void> {
    const session = await this.#context.deps.sessions.getSession(this.#context.ref);
    const open = pendingInterrupts(session?.events ?? []);
    await replies.sendQuestion(open.filter((each) => each.invocationId === invocationId));
  }
}

function runKey([first]: readonly Interrupt[]): string {
  return first?.invocationId ?? '';
}

/** Returns the first time at which one of the interrupts expires or is due. */
function firstExpiry(interrupts: readonly Interrupt[]): number | undefined {
  const times = interrupts.flatMap(({ expiresAt }) => expiresAt ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** True if the interrupt is open, or was answered by the clock. */
function isOpenOrExpired(events: readonly Event[], interruptId: string): boolean {
  const answer = events.find(({ id }) => id === answerEventId(interruptId));
  return answer ? answer.author === 'system' : pendingInterrupts(events).some(({ id }) => id === interruptId);
}

/** True if the event contains a request for an answer from outside. */
function isRequest({ author, longRunningToolIds }: Event): boolean {
  return author !== 'user' && (longRunningToolIds?.length ?? 0) > 0;
}

function isTemporary(error: unknown): boolean {
  return TholeError.is(error) && temporaryCodes.includes(error.code);
}
