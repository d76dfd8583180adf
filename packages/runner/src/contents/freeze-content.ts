import type { Content, Event, Part } from '@thole/core';

/** Returns a frozen part with this text only. */
export function textPart(text: string): Part {
  return Object.freeze({ text });
}

/** Returns a frozen content of the user with these parts. */
export function userContent(parts: Part[]): Content {
  return Object.freeze({ role: 'user', parts: Object.freeze(parts) as Part[] });
}

/**
 * Returns a frozen content with these parts of an event. Returns the stored content itself if it is frozen and has these
 * parts.
 */
export function freezeContent(event: Event, parts: readonly Part[], agentName: string): Content {
  const stored = event.content!;
  // Events are frozen from the inside out: if the content is frozen, so are its parts.
  if (stored.role !== undefined && stored.parts === parts && Object.isFrozen(stored)) return stored;
  const role = stored.role ?? (event.author === agentName ? 'model' : 'user');
  return Object.freeze({ ...stored, role, parts: Object.freeze([...parts]) as Part[] });
}
