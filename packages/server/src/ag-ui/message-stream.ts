import type { Event } from '@thole/core';
import { piecesOf, unsentPieces } from '../front-ends/pieces-of.ts';
import type { AnswerPiece, SentTexts } from '../front-ends/pieces-of.ts';
import { eventFrame } from './event-frame.ts';

/** An answer that is being written. */
interface OpenMessage {
  readonly id: string;
  readonly author: string;
  readonly branch: string | undefined;
  readonly sent: SentTexts;
  hasText: boolean;
  isReasoning: boolean;
}

/** Returns the id of the message with the thoughts of an answer. */
export function reasoningIdOf(eventId: string): string {
  return `${eventId}:reasoning`;
}

/**
 * Writes the texts and thoughts of a run as messages of AG-UI. A message has the id of its event. Several messages may be open if
 * agents run concurrently.
 */
export class MessageStream {
  readonly #checkedAuthors: ReadonlySet<string>;
  readonly #open: Map<string, OpenMessage> = new Map();

  /** Partial events of `checkedAuthors` are left out. */
  constructor(checkedAuthors: ReadonlySet<string>) {
    this.#checkedAuthors = checkedAuthors;
  }

  /** Returns the frames of a partial event. */
  addPartial(event: Event): string {
    const pieces = this.#checkedAuthors.has(event.author) ? [] : piecesOf(event);
    if (pieces.length === 0) return '';
    const frames = this.#closeReplaced(event);
    const message = this.#messageOf(event);
    for (const { text, type } of pieces) message.sent[type] += text;
    return frames + this.#write(message, pieces);
  }

  /** Returns the frames of a stored event: the text that its partial events did not contain, and the end of its messages. */
  addComplete(event: Event): string {
    const replaced = this.#closeReplaced(event);
    const sent = this.#open.get(event.id)?.sent;
    const pieces = sent ? unsentPieces(event, sent) : piecesOf(event);
    if (!sent && pieces.length === 0) return replaced;
    return replaced + this.#write(this.#messageOf(event), pieces) + this.#close(event.id);
  }

  /** Returns the ends of all open messages. */
  closeAll(): string {
    return [...this.#open.keys()].map((id) => this.#close(id)).join('');
  }

  #messageOf({ author, branch, id }: Event): OpenMessage {
    const known = this.#open.get(id);
    if (known) return known;
    const message = { id, author, branch, sent: { text: '', thought: '' }, hasText: false, isReasoning: false };
    this.#open.set(id, message);
    return message;
  }

  /** Returns the ends of earlier answers of the same agent: it has started another answer, so they are abandoned. */
  #closeReplaced({ author, branch, id }: Event): string {
    let frames = '';
    for (const each of this.#open.values())
      if (each.author === author && each.branch === branch && each.id !== id) frames += this.#close(each.id);
    return frames;
  }

  #write(message: OpenMessage, pieces: readonly AnswerPiece[]): string {
    return pieces.map(({ text, type }) => this.#begin(message, type) + contentFrame(message, type, text)).join('');
  }

  /** Opens a message if needed. Thoughts end before the text continues. A text stays open until the event is complete. */
  #begin(message: OpenMessage, type: AnswerPiece['type']): string {
    const { author, id } = message;
    if (type === 'thought') {
      if (message.isReasoning) return '';
      message.isReasoning = true;
      const messageId = reasoningIdOf(id);
      return (
        eventFrame('REASONING_START', { messageId }) +
        eventFrame('REASONING_MESSAGE_START', { messageId, role: 'reasoning' })
      );
    }
    const frames = endReasoning(message);
    if (message.hasText) return frames;
    message.hasText = true;
    return frames + eventFrame('TEXT_MESSAGE_START', { messageId: id, role: 'assistant', name: author });
  }

  #close(id: string): string {
    const message = this.#open.get(id)!;
    this.#open.delete(id);
    return endReasoning(message) + (message.hasText ? eventFrame('TEXT_MESSAGE_END', { messageId: id }) : '');
  }
}

function contentFrame({ id }: OpenMessage, type: AnswerPiece['type'], delta: string): string {
  return type === 'text'
    ? eventFrame('TEXT_MESSAGE_CONTENT', { messageId: id, delta })
    : eventFrame('REASONING_MESSAGE_CONTENT', { messageId: reasoningIdOf(id), delta });
}

function endReasoning(message: OpenMessage): string {
  if (!message.isReasoning) return '';
  message.isReasoning = false;
  const messageId = reasoningIdOf(message.id);
  return eventFrame('REASONING_MESSAGE_END', { messageId }) + eventFrame('REASONING_END', { messageId });
}
