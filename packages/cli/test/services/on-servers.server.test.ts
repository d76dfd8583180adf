import { systemRuntime } from '@thole/core';
import { LlmAgent } from '@thole/runner';
import { says, ScriptedLlm } from '@thole/testing';
import { expect, it } from 'vitest';
import { describeWith } from '../../../../test/servers/index.ts';
import { openServices } from '../../src/services/open-services.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { thole } from '../support/thole.ts';

for (const kind of ['redis', 'postgres', 'mariadb'] as const) {
  describeWith(kind, `services of the command on ${kind}`, (url) => {
    const sessionId = `of the command ${process.pid}`;

    it('keep a session that a later command goes on with', async () => {
      const cwd = temporaryFolder({ 'hello/agent.ts': '' });
      const model = new ScriptedLlm(says('One.'), says('Two.'));
      const modules = { 'hello/agent.ts': { rootAgent: new LlmAgent({ name: 'hello', model }) } };
      const argv = ['run', 'hello', '--session_service_uri', url, '--session_id', sessionId];
      expect(await thole([...argv, 'first'], { cwd, modules })).toMatchObject({ code: 0, output: 'hello: One.\n' });
      expect(await thole([...argv, 'second'], { cwd, modules })).toMatchObject({ code: 0, output: 'hello: Two.\n' });
      expect(JSON.stringify(model.requests[1]!.contents)).toContain('first');
    });

    it('keep artifacts', async () => {
      const options = { sessionServiceUri: url, artifactServiceUri: url };
      const { services, close } = await openServices(options, { cwd: temporaryFolder(), runtime: systemRuntime() });
      const ref = { appName: 'cli', userId: 'u', sessionId, filename: 'a.txt' };
      await services.artifactService.saveArtifact({ ...ref, artifact: { text: 'kept' } });
      expect(await services.artifactService.loadArtifact(ref)).toEqual({ text: 'kept' });
      await services.artifactService.deleteSessionArtifacts(ref);
      await close();
    });
  });
}
