import type { Json } from './json.ts';

/** Returns the parsed JSON. Undefined if the text is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    // The error of the parser is dropped: its message contains a part of the text, which may be stored data.
    return undefined;
  }
}
