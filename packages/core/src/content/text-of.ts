import type { Content } from './content.ts';

/** Returns the joined texts of a message without the model's thoughts. Empty if there is no text. */
export function textOf(content: Content | undefined): string {
  let text = '';
  for (const part of content?.parts ?? []) if (part.text !== undefined && !part.thought) text += part.text;
  return text;
}
