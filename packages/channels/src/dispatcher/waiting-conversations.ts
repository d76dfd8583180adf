import type { SessionService, WaitingKind } from '@thole/core';

/** The user and the channel of a conversation. */
export interface ConversationSession {
  userId: string;
  channel: string;
}

const SESSIONS_PER_PAGE = 100;

/** Returns the conversations of an app: all sessions with an id of the form `{userId}:{channel}`. */
export async function listConversationSessions(
  sessions: SessionService,
  appName: string,
): Promise<ConversationSession[]> {
  const found: ConversationSession[] = [];
  // A page may have fewer sessions than its limit: sessions that are deleted while the store reads the page are left out.
  for (let offset = 0, total = 1; offset < total; offset += SESSIONS_PER_PAGE) {
    const page = await sessions.listSessions({ appName, limit: SESSIONS_PER_PAGE, offset });
    total = page.total;
    for (const { id, userId } of page.sessions) found.push(...conversationOf(userId, id));
  }
  return found;
}

/** Returns the conversations with an unfinished run, a timer or an open interrupt. */
export async function listWaitingConversations(
  sessions: SessionService,
  appName: string,
): Promise<ConversationSession[]> {
  if (!sessions.listWaitingSessions) return [];
  const found = new Map<string, ConversationSession>();
  for (const kind of ['unfinished', 'interrupts'] satisfies WaitingKind[]) {
    let after: string | undefined;
    do {
      const page = await sessions.listWaitingSessions({ appName, kind, after });
      for (const { key } of page.sessions)
        for (const each of conversationOf(key.userId, key.sessionId)) found.set(key.sessionId, each);
      after = page.next;
    } while (after !== undefined);
  }
  return [...found.values()];
}

/** Returns the conversation in a session. Empty for a session of another kind. */
function conversationOf(userId: string, sessionId: string): ConversationSession[] {
  if (!sessionId.startsWith(`${userId}:`)) return [];
  const channel = sessionId.slice(userId.length + 1);
  return channel === '' || channel.includes(':') ? [] : [{ userId, channel }];
}
