import type { Content } from './content.ts';

/** The texts of a message put together, without the model's thoughts; empty where there is none. */
export function textOf(content: Content | undefined): string {
  let text = '';
  for (const part of content?.parts ?? []) if (part.text !== undefined && !part.thought) text += part.text;
  return text;
}
