import { pendingInterrupts } from '@thole/core';
import type { Event, Interrupt, Session } from '@thole/core';
import type { ConversationContext } from './conversation-context.ts';
import { isTemporary } from './is-temporary.ts';
import { isQuestion } from './question.ts';
import type { Replies } from './replies.ts';

/** Maximum time between two reads of a session with an open question, in milliseconds. */
const MAX_READ_MS = 30_000;

/** Sends what runs store that were not started by a message of the conversation. */
export class RunFollower {
  readonly #context: ConversationContext;
  /** Resolves when no run for a message is active. */
  readonly #whenIdle: () => Promise<void>;
  #isFollowing = false;
  /** Ends the wait before the next read of a session with an open question. */
  #readSoon: () => void = () => {};

  constructor(context: ConversationContext, whenIdle: () => Promise<void>) {
    this.#context = context;
    this.#whenIdle = whenIdle;
  }

  /**
   * Sends the answers and questions of other runs of the session, while it has open interrupts: after a timer, a sign-in, a
   * long-running call, or an answer to a question that came from elsewhere.
   */
  follow(interrupts: readonly Interrupt[], afterSeq: number): void {
    if (!this.#context.deps.sessions.watching) return;
    if (this.#isFollowing) return this.#readSoon();
    this.#isFollowing = true;
    const follow = async (): Promise<void> => {
      let open = interrupts;
      let seq = afterSeq;
      while (open.length > 0 && !this.#context.isClosed) {
        const head = open.every(isQuestion) ? await this.#whenChanged(open, seq) : await this.#readSession(0);
        if (!head) return;
        // A session that was deleted and created again begins with the first number.
        seq = await this.#sendEventsAfter(Math.min(seq, head.lastSeq));
        open = pendingInterrupts((await this.#readSession())?.events ?? []);
      }
    };
    void follow()
      .catch((error: unknown) => {
        if (!this.#context.isClosed) this.#context.report('run', error);
      })
      .finally(() => void (this.#isFollowing = false));
  }

  /**
   * Returns the session without events when it has other events than before, or when a question has expired. Reads it rarely, because
   * questions may stay open for months. Returns undefined after the end of the conversation.
   */
  async #whenChanged(open: readonly Interrupt[], seq: number): Promise<Session | undefined> {
    const { deps, signal } = this.#context;
    const { runtime } = deps;
    const expiry = firstExpiry(open) ?? Infinity;
    for (let ms = 1_000; ; ms = Math.min(2 * ms, MAX_READ_MS)) {
      const pause = new AbortController();
      this.#readSoon = () => pause.abort();
      const pauseMs = Math.max(0, Math.min(ms, (expiry - runtime.now()) * 1_000));
      await runtime.sleep(pauseMs, AbortSignal.any([signal, pause.signal])).catch(() => {});
      if (this.#context.isClosed) return undefined;
      const head = await this.#readSession(0);
      if (head?.lastSeq !== seq || expiry <= runtime.now()) return head;
    }
  }

  /** Sends answers, questions and failures until a run has ended. Returns the number of the last event. */
  async #sendEventsAfter(seq: number): Promise<number> {
    const context = this.#context;
    let lastSeq = seq;
    let isSent = false;
    const failures = new Map<string, Event>();
    for await (const event of context.deps.sessions.watching!.watch(context.ref, seq, context.signal)) {
      // A run of this conversation sends its answers itself, as replies to its message.
      await this.#whenIdle();
      const replies = context.createReplies();
      lastSeq = event.seq ?? lastSeq;
      if (isRequest(event)) await this.#sendQuestionOf(event, replies);
      const isAnswer = !isRequest(event) && (await replies.sendEvent(event));
      const isError = event.errorCode !== undefined;
      if (isAnswer) failures.delete(event.invocationId);
      else if (isError && !context.isReported(event)) failures.set(event.invocationId, event);
      isSent ||= isAnswer || isRequest(event) || isError;
      if (isSent && lastSeq >= ((await this.#headAfterRun())?.lastSeq ?? 0)) break;
    }
    for (const { errorCode, invocationId } of failures.values())
      await context.createReplies().sendFailure(invocationId, errorCode);
    return lastSeq;
  }

  /** Returns the session without events when no run is active in any process: a run may have several answers. */
  async #headAfterRun(): Promise<Session | undefined> {
    for (let attempt = 1; ; attempt++) {
      const head = await this.#readSession(0);
      if (!head?.marks?.unfinished || !(await this.#context.wait(attempt))) return head;
    }
  }

  /** Reads the session. Repeats it after temporary errors of the store. */
  async #readSession(numRecentEvents?: number): Promise<Session | undefined> {
    const { deps, ref } = this.#context;
    for (let attempt = 1; ; attempt++) {
      try {
        return await deps.sessions.getSession({ ...ref, numRecentEvents });
      } catch (error) {
        if (!isTemporary(error) || !(await this.#context.wait(attempt))) throw error;
      }
    }
  }

  async #sendQuestionOf({ invocationId }: Event, replies: Replies): Promise<void> {
    const open = pendingInterrupts((await this.#readSession())?.events ?? []);
    await replies.sendQuestion(open.filter((each) => each.invocationId === invocationId));
  }
}

/** Returns the first time at which one of the interrupts expires or is due. Undefined if there is none. */
export function firstExpiry(interrupts: readonly Interrupt[]): number | undefined {
  const times = interrupts.flatMap(({ expiresAt }) => expiresAt ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** True if the event contains a request for an answer from outside. */
function isRequest({ author, longRunningToolIds }: Event): boolean {
  return author !== 'user' && (longRunningToolIds?.length ?? 0) > 0;
}
