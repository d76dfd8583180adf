import { isPlainObject } from '@thole/core/kit';
import type { JsonObject, Part } from '@thole/core';
import { readItem } from './read-item.ts';

/** The parts of an answer and its other items. */
export interface ReadOutput {
  /** The parts. Each has a `PartMark` in its `partMetadata`. */
  readonly parts: Part[];
  /** Items or pieces that are not parts: calls that the provider ran itself, and unknown items. */
  readonly others: JsonObject[];
  /** True if the model refused to answer. The text of the refusal is in the parts. */
  readonly isRefused: boolean;
}

/** Returns the items of an answer as parts, in order. Accepts any input and never throws. */
export function fromOutputItems(output: readonly unknown[], provider: string): ReadOutput {
  const parts: Part[] = [];
  const others: JsonObject[] = [];
  let before: JsonObject[] = [];
  let isRefused = false;
  output.forEach((each, index) => {
    if (!isPlainObject(each)) return;
    const raw = each as JsonObject;
    const { item, pieces, unknown = [] } = readItem(raw);
    if (!item) {
      before.push(raw);
      if (raw['type'] !== 'reasoning') others.push(raw);
      return;
    }
    if (unknown.length > 0) others.push({ ...withoutNulls(item), content: unknown });
    if (pieces.length === 0) {
      before.push(withoutNulls(raw));
      return;
    }
    pieces.forEach(({ part, entry, list }, i) => {
      isRefused ||= entry?.['type'] === 'refusal';
      const mark = {
        index,
        ...(i === 0 && { item: withoutNulls(item) }),
        ...(entry && Object.keys(entry).length > 0 && { entry }),
        ...(list && { list }),
        ...(i === 0 && before.length > 0 && { before }),
      };
      parts.push({ ...part, partMetadata: { provider, ...mark } });
    });
    before = [];
  });
  const last = parts.at(-1);
  if (before.length > 0 && last) {
    parts[parts.length - 1] = { ...last, partMetadata: { ...last.partMetadata!, after: before } };
  }
  return { parts, others, isRefused };
}

/** Removes members that are null: they have no meaning, and the API rejects some of them when they are sent back. */
const withoutNulls = (item: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null));
