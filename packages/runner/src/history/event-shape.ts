import type { Event, Part } from '@thole/core';
import { compactionOf } from './compaction-of.ts';
import { isBlankPart, isFrameworkPart, transcriptOf } from './event-kinds.ts';
import { rewindOf } from '@thole/core/kit';

/** Bits for the kinds of parts in an event. */
export const Shape = {
  /** Content other than thoughts and white space. A part with only a signature does not count. */
  visible: 1,
  calls: 2,
  answers: 4,
  /** A part that is neither a call nor an answer. */
  other: 8,
  /** A request to a person or its answer, which models do not see. */
  framework: 16,
  /** A part with a call or an answer and other data. Only the complete rules handle it. */
  mixed: 32,
  transcript: 64,
  rewind: 128,
  compaction: 256,
  /** A part without the data of its kind, which events of other frameworks may contain. */
  incomplete: 512,
} as const;

/** Returns the shape of an event, from one pass over its parts. */
export function shapeOf(event: Event): number {
  const parts = event.content?.parts;
  if (!parts?.length) return shapeWithoutParts(event);
  let shape = 0;
  // By index: iterating over a frozen array is several times slower in V8.
  for (let i = 0; i < parts.length; i++) shape |= shapeOfPart(parts[i]!);
  return shape;
}

/** True if the event contains only text, thoughts, data or code. Then only the rule for its author applies. */
export function isPlain(shape: number): boolean {
  return (shape & ~Shape.visible) === Shape.other;
}

function shapeOfPart(part: Part): number {
  const visible = part.thought || isBlankPart(part) ? 0 : Shape.visible;
  const { functionCall, functionResponse } = part;
  const incomplete = isCompletePart(part) ? 0 : Shape.incomplete;
  if (functionCall === undefined && functionResponse === undefined) return visible | Shape.other | incomplete;
  const kind = (functionCall ? Shape.calls : 0) | (functionResponse ? Shape.answers : 0);
  const isPure = part.text === undefined && (kind === Shape.calls || kind === Shape.answers);
  return visible | kind | incomplete | (isPure ? 0 : Shape.mixed) | (isFrameworkPart(part) ? Shape.framework : 0);
}

/** True unless a call has no arguments, an answer has no response, or a file has no data or type. */
export function isCompletePart({ functionCall, functionResponse, inlineData, fileData }: Part): boolean {
  if (functionCall && !isObject(functionCall.args)) return false;
  if (functionResponse && !isObject(functionResponse.response)) return false;
  if (inlineData && (typeof inlineData.data !== 'string' || typeof inlineData.mimeType !== 'string')) return false;
  return !fileData || typeof fileData.fileUri === 'string';
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

function shapeWithoutParts(event: Event): number {
  let shape = transcriptOf(event) ? Shape.transcript : 0;
  if (rewindOf(event) !== undefined) shape |= Shape.rewind;
  if (compactionOf(event)) shape |= Shape.compaction;
  return shape;
}
