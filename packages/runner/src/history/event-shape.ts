import type { Event, Part } from '@thole/core';
import { compactionOf } from './compaction-of.ts';
import { isBlankPart, isFrameworkPart, transcriptOf } from './event-kinds.ts';
import { rewindOf } from './rewind-of.ts';

/** What an event is made of, a bit for each thing. */
export const Shape = {
  /** Something but thoughts and blanks. A signature alone says nothing. */
  said: 1,
  calls: 2,
  answers: 4,
  /** A part that is no call and no answer. */
  other: 8,
  /** A request to a person or its answer, which no model sees. */
  framework: 16,
  /** A call or an answer in one part with something else: told apart by the whole rules alone. */
  odd: 32,
  transcript: 64,
  rewind: 128,
  compaction: 256,
} as const;

/** The shape of an event: all that a fold has to know of it, found in one walk over its parts. */
export function shapeOf(event: Event): number {
  const parts = event.content?.parts;
  if (!parts?.length) return shapeWithoutParts(event);
  let shape = 0;
  // By index: in V8 iterating over a frozen array costs several times as much.
  for (let i = 0; i < parts.length; i++) shape |= shapeOfPart(parts[i]!);
  return shape;
}

/** Whether the event is nothing but words, thoughts, data or code: no rule but that for its author concerns it. */
export function isPlain(shape: number): boolean {
  return (shape & ~Shape.said) === Shape.other;
}

function shapeOfPart(part: Part): number {
  const said = part.thought || isBlankPart(part) ? 0 : Shape.said;
  const { functionCall, functionResponse } = part;
  if (functionCall === undefined && functionResponse === undefined) return said | Shape.other;
  const kind = (functionCall ? Shape.calls : 0) | (functionResponse ? Shape.answers : 0);
  const isPure = part.text === undefined && (kind === Shape.calls || kind === Shape.answers);
  return said | kind | (isPure ? 0 : Shape.odd) | (isFrameworkPart(part) ? Shape.framework : 0);
}

function shapeWithoutParts(event: Event): number {
  let shape = transcriptOf(event) ? Shape.transcript : 0;
  if (rewindOf(event) !== undefined) shape |= Shape.rewind;
  if (compactionOf(event)) shape |= Shape.compaction;
  return shape;
}
