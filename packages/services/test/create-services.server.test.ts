import { createArtifactService, createMemoryService, createSessionService } from '@thole/services';
import { expect, it } from 'vitest';
import { describeWith } from '../../../test/servers/index.ts';

const note = { kind: 'note' as const, content: { role: 'user' as const, parts: [{ text: 'Likes figs.' }] } };

for (const kind of ['redis', 'postgres', 'mariadb'] as const) {
  describeWith(kind, `services of a URI with ${kind}`, (url) => {
    const user = { appName: 'services', userId: `of the functions ${process.pid}` };
    const file = { ...user, sessionId: 's', filename: 'a.txt' };

    it('stores sessions, memory and artifacts that later services read', async () => {
      const [sessions, memory, artifacts] = await create();
      await sessions.createSession({ ...user, sessionId: 's' });
      await memory.addMemory!({ ...user, memories: [note] });
      await artifacts.saveArtifact({ ...file, artifact: { text: 'kept' } });
      await Promise.all([sessions.close(), memory.close(), artifacts.close()]);

      const [later, laterMemory, laterArtifacts] = await create();
      expect((await later.getSession({ ...user, sessionId: 's' }))?.id).toBe('s');
      expect((await laterMemory.searchMemory({ ...user, query: 'figs' })).memories).toMatchObject([note]);
      expect(await laterArtifacts.loadArtifact(file)).toEqual({ text: 'kept' });
      await later.deleteSession({ ...user, sessionId: 's' });
      await laterMemory.deleteUserMemory!(user);
      await laterArtifacts.deleteSessionArtifacts(file);
      await Promise.all([later.close(), laterMemory.close(), laterArtifacts.close()]);
    });

    it('closes the connections of each service', async () => {
      const [sessions, memory, artifacts] = await create();
      await Promise.all([sessions.close(), memory.close(), artifacts.close()]);
      const unavailable = { code: 'STORE_UNAVAILABLE' };
      await expect(sessions.listSessions(user)).rejects.toMatchObject(unavailable);
      await expect(memory.listMemories!(user)).rejects.toMatchObject(unavailable);
      await expect(artifacts.loadArtifact(file)).rejects.toMatchObject(unavailable);
    });

    function create() {
      return Promise.all([createSessionService(url), createMemoryService(url), createArtifactService(url)]);
    }
  });
}
