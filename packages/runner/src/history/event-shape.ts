import type { Event, Part } from '@thole/core';
import { compactionOf } from './compaction-of.ts';
import { isBlankPart, isFrameworkPart, transcriptOf } from './event-kinds.ts';
import { rewindOf } from '@thole/core/kit';

/** Bits for the kinds of parts in an event. */
export const Shape = {
  /** Text other than thoughts and white space. A signature alone does not count. */
  said: 1,
  calls: 2,
  answers: 4,
  /** A part that is neither a call nor an answer. */
  other: 8,
  /** A request to a person or its answer, which models do not see. */
  framework: 16,
  /** A call or an answer in one part with something else: only the complete rules handle it. */
  odd: 32,
  transcript: 64,
  rewind: 128,
  compaction: 256,
} as const;

/** Returns the shape of an event: everything a fold must know of it, found in one pass over its parts. */
export function shapeOf(event: Event): number {
  const parts = event.content?.parts;
  if (!parts?.length) return shapeWithoutParts(event);
  let shape = 0;
  // By index: iterating over a frozen array is several times slower in V8.
  for (let i = 0; i < parts.length; i++) shape |= shapeOfPart(parts[i]!);
  return shape;
}

/** True if the event holds only text, thoughts, data or code: only the rule for its author applies. */
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
