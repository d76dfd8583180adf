import { isPlainObject } from '@thole/core/kit';
import type { JsonObject, Part } from '@thole/core';
import { readItem } from './read-item.ts';

/** What the items of an answer are to us. */
export interface ReadOutput {
  /** Each bears a `PartMark`. */
  readonly parts: Part[];
  /** Items, or pieces of them, that are no parts: calls that the provider ran itself, and what this version does not know. */
  readonly others: JsonObject[];
  /** Whether the model refused to answer; its words stand in the parts. */
  readonly isRefused: boolean;
}

/** The items of an answer, in order, as parts. Takes whatever comes, and never throws. */
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

/** A member that is null says nothing, and some are refused when they are sent back. */
const withoutNulls = (item: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null));
