import type { Content, Part } from '@thole/core';

/**
 * The contents with one more right before the message: the last content that holds the same parts, else the last one of the
 * user's that answers no call, else at the beginning. The contents that were given are left as they are.
 */
export function insertBeforeMessage(contents: readonly Content[], message: Content, inserted: Content): Content[] {
  let at = contents.findLastIndex((content) => content.role !== 'model' && haveSameParts(content, message));
  if (at < 0) at = contents.findLastIndex(isSaidByUser);
  return contents.toSpliced(Math.max(at, 0), 0, inserted);
}

function isSaidByUser({ role, parts }: Content): boolean {
  return role !== 'model' && !parts?.some((part) => part.functionResponse);
}

function haveSameParts({ parts: a = [] }: Content, { parts: b = [] }: Content): boolean {
  return a.length > 0 && a.length === b.length && a.every((part, i) => isSamePart(part, b[i]!));
}

// Not by JSON: files may be large, and equal strings that are shared compare at once.
function isSamePart(a: Part, b: Part): boolean {
  return (
    a === b ||
    (a.text === b.text &&
      a.inlineData?.data === b.inlineData?.data &&
      a.fileData?.fileUri === b.fileData?.fileUri &&
      a.functionResponse?.id === b.functionResponse?.id &&
      a.functionCall === undefined)
  );
}
