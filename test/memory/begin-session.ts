import { createEvent } from '@thole/core';
import type { SessionRef, SessionService } from '@thole/core';

/** Creates a session with these messages. */
export async function beginSession(
  { sessions }: { sessions: SessionService },
  session: SessionRef,
  ...messages: (readonly [author: string, text: string])[]
): Promise<void> {
  await sessions.createSession(session);
  for (const [author, text] of messages)
    await sessions.appendEvent({ session, event: createEvent({ author, content: { parts: [{ text }] } }) });
}
