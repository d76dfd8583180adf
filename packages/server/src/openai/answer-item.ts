import type { JsonObject } from '@thole/core';
import type { AnswerPiece } from '../front-ends/pieces-of.ts';

/** Returns a complete answer as an output item: a message, or a reasoning item for thoughts. */
export function toAnswerItem({ id, text, type }: { id: string; text: string; type: AnswerPiece['type'] }): JsonObject {
  return type === 'text'
    ? { id, type: 'message', status: 'completed', role: 'assistant', content: [textPart(text)] }
    : { id, type: 'reasoning', status: 'completed', summary: [{ type: 'summary_text', text }] };
}

/** Returns a text of an answer. */
export function textPart(text: string): JsonObject {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}
