import type { Event } from '@thole/core';

/** A piece of the text or the thoughts of one answer. */
export interface AnswerPiece {
  readonly type: 'text' | 'thought';
  /** Id of the event of the answer. */
  readonly eventId: string;
  readonly text: string;
}

/** The text and the thoughts of an answer that were already sent. */
export type SentTexts = Record<AnswerPiece['type'], string>;

/** Returns the texts and thoughts in an event, in order. Empty texts are left out. */
export function piecesOf({ content, id: eventId }: Event): AnswerPiece[] {
  return (content?.parts ?? []).flatMap(({ text, thought }): AnswerPiece[] =>
    text ? [{ type: thought ? 'thought' : 'text', eventId, text }] : [],
  );
}

/** Returns the pieces of a stored answer that its partial events did not contain. */
export function unsentPieces(event: Event, sent: SentTexts): AnswerPiece[] {
  const remaining = { ...sent };
  return piecesOf(event).flatMap((piece) => {
    const { text, type } = piece;
    const sentText = remaining[type];
    remaining[type] = sentText.slice(text.length);
    if (sentText.startsWith(text)) return [];
    // Otherwise a plugin has changed text that was already sent. Then nothing is sent.
    return text.startsWith(sentText) ? [{ ...piece, text: text.slice(sentText.length) }] : [];
  });
}
