import type { Content, Part } from '@thole/core';

/**
 * Returns a copy of the contents with `inserted` before the user's message: the last content with the parts of
 * `message`. If there is none, inserts before the user's last content without a function response, otherwise at the
 * beginning.
 */
export function insertBeforeMessage(contents: readonly Content[], message: Content, inserted: Content): Content[] {
  let index = contents.findLastIndex((content) => content.role !== 'model' && haveSameParts(content, message));
  if (index < 0) index = contents.findLastIndex(isUserMessage);
  return contents.toSpliced(Math.max(index, 0), 0, inserted);
}

function isUserMessage({ role, parts }: Content): boolean {
  return role !== 'model' && !parts?.some((part) => part.functionResponse);
}

function haveSameParts({ parts: a = [] }: Content, { parts: b = [] }: Content): boolean {
  return a.length > 0 && a.length === b.length && a.every((part, i) => isSamePart(part, b[i]!));
}

// Does not compare JSON texts: files may be large, and identical strings are compared without reading them.
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
