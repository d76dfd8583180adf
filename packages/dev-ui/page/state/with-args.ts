import type { Event, Part } from '@thole/core';

/** Returns the event with arguments for each call. A server accepts and stores calls without arguments. */
export function withArgs(event: Event): Event {
  const { content } = event;
  if (!content?.parts?.some(lacksArgs)) return event;
  const parts = content.parts.map((part) =>
    lacksArgs(part) ? { ...part, functionCall: { ...part.functionCall!, args: {} } } : part,
  );
  return { ...event, content: { ...content, parts } };
}

function lacksArgs({ functionCall }: Part): boolean {
  // The type requires arguments, but this is data of a server.
  const args: unknown = functionCall?.args;
  return functionCall !== undefined && (typeof args !== 'object' || args === null);
}
