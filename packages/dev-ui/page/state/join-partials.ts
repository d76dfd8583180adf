import type { Content, Event, Part } from '@thole/core';

/**
 * Returns the growing answers with one more piece. Text extends the last part of its kind; anything else is a new
 * part.
 */
export function joinPartial(growing: readonly Event[], piece: Event): readonly Event[] {
  const before = growing.find((event) => event.id === piece.id);
  if (!before) return [...growing, piece];
  const grown: Event = { ...before, ...piece, content: joined(before.content, piece.content) };
  return growing.map((event) => (event === before ? grown : event));
}

function joined(before: Content | undefined, piece: Content | undefined): Content {
  const parts: Part[] = [...(before?.parts ?? [])];
  for (const part of piece?.parts ?? []) {
    const last = parts.at(-1);
    const goesOn =
      part.text !== undefined && last?.text !== undefined && (part.thought ?? false) === (last.thought ?? false);
    if (goesOn) parts[parts.length - 1] = { ...last, ...part, text: last.text! + part.text! };
    else parts.push(part);
  }
  return { role: before?.role ?? piece?.role ?? 'model', parts };
}
