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
    for (const { id, userId } of page.sessions) add(found, userId, id);
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
      for (const { key } of page.sessions) {
        const single: ConversationSession[] = [];
        add(single, key.userId, key.sessionId);
        if (single[0]) found.set(key.sessionId, single[0]);
      }
      after = page.next;
    } while (after !== undefined);
  }
  return [...found.values()];
}

function add(found: ConversationSession[], userId: string, sessionId: string): void {
  if (!sessionId.startsWith(`${userId}:`)) return;
  const channel = sessionId.slice(userId.length + 1);
  if (channel !== '' && !channel.includes(':')) found.push({ userId, channel });
}
