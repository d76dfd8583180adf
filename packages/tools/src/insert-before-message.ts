import type { Content, Part } from '@thole/core';

/**
 * Returns the contents with one more content before the message. The message is the last content with the same
 * parts, otherwise the user's last content that answers no call, otherwise the beginning. Does not change the given
 * contents.
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

// Not compared as JSON: files may be large, and shared strings compare at once.
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
