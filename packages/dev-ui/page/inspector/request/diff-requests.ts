import { commonSubsequence } from '../common-subsequence.ts';
import type { RequestPart } from './request-part.ts';

/** A part of a request, and its change since the previous request. */
export interface PartChange {
  kind: 'same' | 'added' | 'changed' | 'removed';
  /** The current part; for a removed part, the old one. */
  part: RequestPart;
  /** The old part, if it was changed. */
  before?: RequestPart | undefined;
}

/**
 * Returns the differences between two requests in the order of the newer one; removed parts are at their old place.
 * Instruction, tools and settings are matched by id, contents by their text, because the history grows at its end and
 * is cut at its beginning.
 */
export function diffRequests(before: readonly RequestPart[], after: readonly RequestPart[]): PartChange[] {
  return [
    ...diffById(before.filter(hasStableId), after.filter(hasStableId)),
    ...diffContents(
      before.filter((part) => !hasStableId(part)),
      after.filter((part) => !hasStableId(part)),
    ),
  ];
}

const hasStableId = ({ id }: RequestPart): boolean => !id.startsWith('content:');

function diffById(before: readonly RequestPart[], after: readonly RequestPart[]): PartChange[] {
  const old = new Map(before.map((part) => [part.id, part]));
  const now = new Set(after.map(({ id }) => id));
  return [
    ...after.map((part) => changeOf(old.get(part.id), part)),
    ...before.filter(({ id }) => !now.has(id)).map((part): PartChange => ({ kind: 'removed', part })),
  ];
}

function changeOf(before: RequestPart | undefined, part: RequestPart): PartChange {
  if (!before) return { kind: 'added', part };
  return keyOf(before) === keyOf(part) ? { kind: 'same', part } : { kind: 'changed', part, before };
}

// Parts that occur in both lists in the same order are equal. Between them, parts of the same origin are changes.
function diffContents(before: readonly RequestPart[], after: readonly RequestPart[]): PartChange[] {
  const changes: PartChange[] = [];
  let i = 0;
  let j = 0;
  for (const [a, b] of [
    ...commonSubsequence(before.map(keyOf), after.map(keyOf)),
    [before.length, after.length] as const,
  ]) {
    changes.push(...diffBetween(before.slice(i, a), after.slice(j, b)));
    const same = after[b];
    if (same) changes.push({ kind: 'same', part: same });
    i = a + 1;
    j = b + 1;
  }
  return changes;
}

function diffBetween(before: readonly RequestPart[], after: readonly RequestPart[]): PartChange[] {
  const left = [...before];
  const changes = after.map((part): PartChange => {
    const at = left.findIndex(({ title, origin }) => title === part.title && origin === part.origin);
    if (at < 0) return { kind: 'added', part };
    return { kind: 'changed', part, before: left.splice(at, 1)[0] };
  });
  return [...left.map((part): PartChange => ({ kind: 'removed', part })), ...changes];
}

const keyOf = ({ title, value }: RequestPart): string => `${title}\n${JSON.stringify(value)}`;
