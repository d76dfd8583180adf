import type { Event } from '@thole/core';
import { piecesOf, unsentPieces } from './pieces-of.ts';
import type { AnswerPiece, SentTexts } from './pieces-of.ts';

/** The answer that is being streamed. */
interface OpenAnswer {
  readonly eventId: string;
  readonly author: string;
  readonly branch: string | undefined;
  readonly sent: SentTexts;
}

/**
 * Splits the texts of a run into pieces and never mixes the pieces of two answers. If agents run concurrently, the pieces of the
 * second answer follow when the first answer is complete. If partial events of an answer were missed, its pieces come from the
 * stored event.
 */
export class AnswerPieces {
  readonly #checkedAuthors: ReadonlySet<string>;
  #open: OpenAnswer | undefined;
  /** Complete answers that are returned after the open answer. */
  #waiting: Event[] = [];
  /** Ids of answers whose first partial events were left out. */
  readonly #skipped: Set<string> = new Set();

  /** Partial events of `checkedAuthors` are left out. */
  constructor(checkedAuthors: ReadonlySet<string>) {
    this.#checkedAuthors = checkedAuthors;
  }

  /** Returns the pieces that become readable with this event. */
  read(event: Event): AnswerPiece[] {
    const { author, branch, id: eventId } = event;
    if (author === 'user' || author === 'system') return [];
    if (event.partial) {
      if (this.#checkedAuthors.has(author) || this.#skipped.has(eventId) || !hasText(event)) return [];
      const ended = this.#isReplacedBy(event) ? this.#close() : [];
      this.#open ??= { eventId, author, branch, sent: { text: '', thought: '' } };
      if (this.#open.eventId === eventId) return [...ended, ...this.#pieces(event)];
      this.#skipped.add(eventId);
      return ended;
    }
    if (this.#open?.eventId === eventId) return [...unsentPieces(event, this.#open.sent), ...this.#close()];
    if (this.#isReplacedBy(event)) return [...this.#close(), ...piecesOf(event)];
    if (!this.#open) return piecesOf(event);
    this.#waiting.push(event);
    return [];
  }

  /** Returns the pieces of the remaining answers. Called at the end of the run. */
  end(): AnswerPiece[] {
    return this.#close();
  }

  /** True if the agent of the open answer has started another answer. The open answer is then abandoned. */
  #isReplacedBy({ author, branch, id }: Event): boolean {
    return this.#open?.author === author && this.#open.branch === branch && this.#open.eventId !== id;
  }

  #pieces(event: Event): AnswerPiece[] {
    const pieces = piecesOf(event);
    for (const { type, text } of pieces) this.#open!.sent[type] += text;
    return pieces;
  }

  #close(): AnswerPiece[] {
    this.#open = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting.flatMap(piecesOf);
  }
}

function hasText(event: Event): boolean {
  return piecesOf(event).length > 0;
}
