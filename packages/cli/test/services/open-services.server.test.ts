import { systemRuntime } from '@thole/core';
import { LlmAgent } from '@thole/runner';
import { says, ScriptedLlm } from '@thole/testing';
import { expect, it } from 'vitest';
import { describeWith } from '../../../../test/servers/index.ts';
import { openServices } from '../../src/services/open-services.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { thole } from '../support/thole.ts';

for (const kind of ['redis', 'postgres', 'mariadb'] as const) {
  describeWith(kind, `openServices with ${kind}`, (url) => {
    const sessionId = `of the command ${process.pid}`;

    it('stores a session that a later command continues', async () => {
      const cwd = temporaryFolder({ 'hello/agent.ts': '' });
      const model = new ScriptedLlm(says('One.'), says('Two.'));
      const modules = { 'hello/agent.ts': { rootAgent: new LlmAgent({ name: 'hello', model }) } };
      const argv = ['run', 'hello', '--session_service_uri', url, '--session_id', sessionId];
      expect(await thole([...argv, 'first'], { cwd, modules })).toMatchObject({ code: 0, output: 'hello: One.\n' });
      expect(await thole([...argv, 'second'], { cwd, modules })).toMatchObject({ code: 0, output: 'hello: Two.\n' });
      expect(JSON.stringify(model.requests[1]!.contents)).toContain('first');
    });

    it('stores artifacts', async () => {
      const options = { sessionServiceUri: url, artifactServiceUri: url };
      const { services, close } = await openServices(options, { cwd: temporaryFolder(), runtime: systemRuntime() });
      const ref = { appName: 'cli', userId: 'u', sessionId, filename: 'a.txt' };
      await services.artifactService.saveArtifact({ ...ref, artifact: { text: 'kept' } });
      expect(await services.artifactService.loadArtifact(ref)).toEqual({ text: 'kept' });
      await services.artifactService.deleteSessionArtifacts(ref);
      await close();
    });

    it('stores memory next to sessions, for later commands', async () => {
      const options = { sessionServiceUri: url, memoryServiceUri: url };
      const user = { appName: 'cli', userId: `of the command ${process.pid}` };
      const content = { role: 'user' as const, parts: [{ text: 'Likes figs.' }] };
      const first = await openServices(options, { cwd: temporaryFolder(), runtime: systemRuntime() });
      await first.services.memoryService.addMemory!({ ...user, memories: [{ kind: 'note', content }] });
      await first.close();
      const later = await openServices(options, { cwd: temporaryFolder(), runtime: systemRuntime() });
      const { memoryService } = later.services;
      const { memories } = await memoryService.searchMemory({ ...user, query: 'figs' });
      expect(memories).toMatchObject([{ kind: 'note', content }]);
      expect(await memoryService.deleteUserMemory!(user)).toBe(1);
      await later.close();
    });

    if (kind === 'redis')
      it('rejects an unknown database of Redis, which the client would ignore', async () => {
        const unknown = new URL(url);
        unknown.pathname = '/99999';
        const opening = openServices(
          { sessionServiceUri: unknown.href },
          { cwd: temporaryFolder(), runtime: systemRuntime() },
        );
        await expect(opening).rejects.toMatchObject({
          code: 'STORE_UNAVAILABLE',
          cause: expect.objectContaining({ message: expect.stringContaining('DB index') as string }) as unknown,
        });
      });

    it('closes all connections', async () => {
      const options = { sessionServiceUri: url, memoryServiceUri: url, artifactServiceUri: url };
      const { services, close } = await openServices(options, { cwd: temporaryFolder(), runtime: systemRuntime() });
      await close();
      const user = { appName: 'cli', userId: 'nobody' };
      const unavailable = { code: 'STORE_UNAVAILABLE' };
      await expect(services.sessionService.listSessions(user)).rejects.toMatchObject(unavailable);
      await expect(services.memoryService.listMemories!(user)).rejects.toMatchObject(unavailable);
      const ref = { ...user, sessionId, filename: 'a.txt' };
      await expect(services.artifactService.loadArtifact(ref)).rejects.toMatchObject(unavailable);
    });
  });
}
