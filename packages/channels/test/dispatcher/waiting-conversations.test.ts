import { InMemorySessionService } from '@thole/mem-services';
import { describe, expect, it } from 'vitest';
import { listConversationSessions } from '../../src/dispatcher/waiting-conversations.ts';

describe('listConversationSessions', () => {
  it('reads all pages if a session is deleted while the store reads a page', async () => {
    const sessions = new InMemorySessionService();
    for (let i = 0; i < 110; i++)
      await sessions.createSession({ appName: 'app', userId: `u${i}`, sessionId: `u${i}:http` });
    const list = sessions.listSessions.bind(sessions);
    sessions.listSessions = async (p) => {
      const page = await list(p);
      return p.offset === 0 ? { ...page, sessions: page.sessions.slice(1) } : page;
    };
    const found = await listConversationSessions(sessions, 'app');
    expect(found).toHaveLength(109);
    expect(found).toContainEqual({ userId: 'u109', channel: 'http' });
  });
});
