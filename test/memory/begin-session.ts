import { createEvent } from '@thole/core';
import type { SessionRef, SessionService } from '@thole/core';

/** Begins a session in which somebody has said something. */
export async function beginSession(
  { sessions }: { sessions: SessionService },
  session: SessionRef,
  ...said: (readonly [author: string, text: string])[]
): Promise<void> {
  await sessions.createSession(session);
  for (const [author, text] of said)
    await sessions.appendEvent({ session, event: createEvent({ author, content: { parts: [{ text }] } }) });
}
