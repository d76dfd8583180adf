import type { Event } from '@thole/core';

/** A piece of the text or the thoughts of one answer. */
export interface AnswerPiece {
  readonly type: 'text' | 'thought';
  /** Id of the event of the answer. */
  readonly eventId: string;
  readonly text: string;
}

/** The text and the thoughts of an answer that were sent. */
export type SentTexts = Record<AnswerPiece['type'], string>;

/** Returns the texts and thoughts in an event, in order. Empty ones are left out. */
export function piecesOf({ content, id: eventId }: Event): AnswerPiece[] {
  return (content?.parts ?? []).flatMap(({ text, thought }): AnswerPiece[] =>
    text ? [{ type: thought ? 'thought' : 'text', eventId, text }] : [],
  );
}

/** Returns what the partial events of an answer did not contain. */
export function unsentPieces(event: Event, sent: SentTexts): AnswerPiece[] {
  const unread = { ...sent };
  return piecesOf(event).flatMap((piece) => {
    const { text, type } = piece;
    const earlier = unread[type];
    unread[type] = earlier.slice(text.length);
    if (earlier.startsWith(text)) return [];
    // A plugin may have changed the text that was sent.
    return text.startsWith(earlier) ? [{ ...piece, text: text.slice(earlier.length) }] : [];
  });
}
