import type { CallbackContext, Content, Part } from '@thole/core';

/** Saves the inline files of a message as artifacts. Returns the message with a line of text for each file. */
export async function saveInputBlobs(context: CallbackContext, message: Content): Promise<Content> {
  const parts: Part[] = [];
  for (const [i, part] of (message.parts ?? []).entries()) {
    if (!part.inlineData) {
      parts.push(part);
      continue;
    }
    const filename = part.inlineData.displayName ?? `upload-${context.invocationId}-${i}`;
    await context.saveArtifact(filename, part);
    parts.push({ text: `[The user uploaded the file "${filename}". It is saved as an artifact with this name.]` });
  }
  return { ...message, parts };
}
