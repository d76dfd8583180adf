import type { CallbackContext, Content, Part } from '@thole/core';

/** Saves a message's inline files as artifacts and leaves a line in the place of each, naming it. */
export async function saveInputBlobs(context: CallbackContext, message: Content): Promise<Content> {
  const parts: Part[] = [];
  for (const [i, part] of (message.parts ?? []).entries()) {
    if (!part.inlineData) {
      parts.push(part);
      continue;
    }
    const filename = part.inlineData.displayName ?? `upload-${context.invocationId}-${i}`;
    await context.saveArtifact(filename, part);
    parts.push({ text: `[The user sent the file "${filename}"; it is kept as an artifact of this name.]` });
  }
  return { ...message, parts };
}
