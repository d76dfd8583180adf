import type { Content, Event, Part } from '@thole/core';

/**
 * Returns the unfinished answers with another partial event. Its text extends the last part if both are text or both are
 * thoughts; other parts are added.
 */
export function joinPartial(answers: readonly Event[], piece: Event): readonly Event[] {
  const before = answers.find((event) => event.id === piece.id);
  if (!before) return [...answers, piece];
  const extended: Event = { ...before, ...piece, content: joinContents(before.content, piece.content) };
  return answers.map((event) => (event === before ? extended : event));
}

function joinContents(before: Content | undefined, piece: Content | undefined): Content {
  const parts: Part[] = [...(before?.parts ?? [])];
  for (const part of piece?.parts ?? []) {
    const last = parts.at(-1);
    const extendsLast =
      part.text !== undefined && last?.text !== undefined && (part.thought ?? false) === (last.thought ?? false);
    if (extendsLast) parts[parts.length - 1] = { ...last, ...part, text: last.text! + part.text! };
    else parts.push(part);
  }
  return { role: before?.role ?? piece?.role ?? 'model', parts };
}
