import { isFinalResponse, textOf } from '@thole/core';
import type { Event, Interrupt, SessionRef } from '@thole/core';
import type { ChannelFile } from '../channel/inbound-message.ts';
import type { OutboundMessage } from '../channel/outbound-message.ts';
import { hashOf } from '../channel/read-inbound-message.ts';
import type { Texts } from '../dispatcher/texts.ts';
import { isQuestion, questionFor } from './question.ts';

/** The origin of a message. The next message may answer a `question`, and a group must not see a `signIn`. */
export type ReplyOrigin =
  | { readonly kind: 'note' }
  | { readonly kind: 'answer' | 'question' | 'signIn'; readonly invocationId: string };

/** Stores an outbound message under a key. Does nothing if the key is known. */
export type PutReply = (key: string, message: OutboundMessage, origin: ReplyOrigin) => Promise<void>;

/** Error codes of a run that was stopped or replaced on purpose. */
const stopCodes = ['RUN_ABORTED', 'RUN_INTERRUPTED', 'RUN_LEFT', 'RUN_SUPERSEDED'];

/** Converts the events of runs into messages. Each event and each question has one key, so that it is sent once. Never rejects. */
export class Replies {
  readonly #ref: SessionRef;
  readonly #texts: Texts;
  readonly #put: PutReply;

  constructor(ref: SessionRef, texts: Texts, put: PutReply) {
    this.#ref = ref;
    this.#texts = texts;
    this.#put = put;
  }

  /** Sends an answer of an agent. Returns false for an event that is not an answer: of the user, partial, not final, or empty. */
  async sendEvent(event: Event, replyTo?: string): Promise<boolean> {
    if (event.partial || event.author === 'user' || !isFinalResponse(event)) return false;
    const text = textOf(event.content).trim();
    const files = filesOf(event);
    if (text === '' && files.length === 0) return false;
    const message = { text, ...(files.length > 0 && { files }), ...(replyTo !== undefined && { replyTo }) };
    const { id, invocationId } = event;
    await this.#put(this.#key('event', invocationId, id), message, { kind: 'answer', invocationId });
    return true;
  }

  /** Sends the answers of a run that continued without a message, and `texts.failed` if it ends with an error. */
  async sendRun(events: readonly Event[]): Promise<void> {
    const failure = await this.sendEvents(events);
    if (failure) await this.sendFailure(failure.invocationId, failure.errorCode);
  }

  /** Sends the answers in stored events. Returns the event of an error after the last answer. */
  async sendEvents(events: readonly Event[], replyTo?: string): Promise<Event | undefined> {
    let failure: Event | undefined;
    for (const event of events) {
      if (await this.sendEvent(event, replyTo)) failure = undefined;
      else if (event.errorCode !== undefined) failure = event;
    }
    return failure;
  }

  /** Sends `texts.failed` once for an invocation that continued without a message. Sends nothing if it was stopped on purpose. */
  async sendFailure(invocationId: string, errorCode: string | undefined): Promise<void> {
    if (this.#texts.failed === '' || stopCodes.includes(errorCode ?? '')) return;
    const message = { text: this.#texts.failed };
    await this.#put(this.#key('failed run', invocationId), message, { kind: 'answer', invocationId });
  }

  /** Sends the first question of these interrupts, and the sign-ins before it. */
  async sendQuestion(interrupts: readonly Interrupt[]): Promise<void> {
    for (const interrupt of interrupts) {
      const message = questionFor(interrupt, this.#texts);
      if (!message) continue;
      const kind = isQuestion(interrupt) ? 'question' : 'signIn';
      await this.#put(this.questionKey(interrupt), message, { kind, invocationId: interrupt.invocationId });
      if (kind === 'question') return;
    }
  }

  /** Sends a text about a message or a batch of messages, once for each kind. Answers of commands are plain text. */
  async sendNote(kind: string, id: string, text: string, replyTo?: string): Promise<void> {
    if (text === '') return;
    const isPlainText = kind === 'command';
    const message = { text, ...(isPlainText && { isPlainText }), ...(replyTo !== undefined && { replyTo }) };
    await this.#put(this.#key(kind, id), message, { kind: 'note' });
  }

  /** Returns the key of the question for an interrupt in a private chat. `keyIn` returns its key in a group. */
  questionKey({ id, invocationId }: Interrupt): string {
    return this.#key('question', invocationId, id);
  }

  #key(...names: string[]): string {
    const { appName, userId, sessionId } = this.#ref;
    return hashOf([appName, userId, sessionId, ...names]);
  }
}

function filesOf({ content }: Event): ChannelFile[] {
  return (content?.parts ?? []).flatMap(({ inlineData, thought }) => {
    if (!inlineData?.data || thought) return [];
    const { data, displayName: name, mimeType } = inlineData;
    return [{ data, mimeType, ...(name !== undefined && { name }) }];
  });
}
