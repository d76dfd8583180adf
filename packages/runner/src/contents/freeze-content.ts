import type { Content, Event, Part } from '@thole/core';

/** A part that is nothing but this text, frozen. */
export function textPart(text: string): Part {
  return Object.freeze({ text });
}

/** A content of the user with these parts, frozen. */
export function userContent(parts: Part[]): Content {
  return Object.freeze({ role: 'user', parts: Object.freeze(parts) as Part[] });
}

/** The content of an event with these of its parts, frozen; the stored one itself where that is frozen and whole. */
export function freezeContent(event: Event, parts: readonly Part[], agentName: string): Content {
  const stored = event.content!;
  // Events are frozen from the inside out: where the content is, so are its parts.
  if (stored.role !== undefined && stored.parts === parts && Object.isFrozen(stored)) return stored;
  const role = stored.role ?? (event.author === agentName ? 'model' : 'user');
  return Object.freeze({ ...stored, role, parts: Object.freeze([...parts]) as Part[] });
}
