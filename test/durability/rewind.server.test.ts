import { LlmAgent, Runner } from '@thole/runner';
import { InMemoryArtifactService } from '@thole/mem-services';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { FunctionTool } from '@thole/tools';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { backends, describeBackends } from './backends.ts';
import type { Database } from './backends.ts';
import { openSessions } from './open-sessions.ts';
import type { OpenSessions } from './open-sessions.ts';

const ref = { appName: 'app', userId: 'ann', sessionId: 's' };
const hello = { ...ref, newMessage: 'hello' };

describeBackends(backends, (backend) => {
  let database: Database;
  let opened: OpenSessions;
  beforeAll(async () => {
    database = await backend.open();
    opened = await openSessions(database.url);
  });
  afterAll(async () => {
    await opened?.close();
    await database?.remove();
  });

  it('rewinds a paused invocation and copies the session (contract 27)', async () => {
    const { service } = opened;
    const pay = new FunctionTool({
      name: 'pay',
      description: 'Pays.',
      execute: () => 'paid',
      requireConfirmation: true,
    });
    const model = new ScriptedLlm(says('One.'), calls('pay'), says('Again.'));
    const agent = new LlmAgent({ name: 'root', model, tools: [pay], outputKey: 'last' });
    const artifactService = new InMemoryArtifactService();
    await using runner = new Runner({ appName: 'app', agent, sessionService: service, artifactService });
    await service.createSession({ ...ref, state: { last: 'initial' } });
    const first = await runner.runToCompletion(hello);
    const second = await runner.runToCompletion(hello);
    expect(second.status).toBe('paused');

    const copy = await runner.fork({ ...ref, newSessionId: 'copy' });
    expect(copy).toEqual(await service.getSession({ ...ref, sessionId: 'copy' }));
    expect(copy).toMatchObject({ state: { last: 'One.' }, forkedFrom: { copiedEvents: copy.events.length } });
    const waitingSessions = async (): Promise<string[]> => {
      const page = await service.listWaitingSessions!({ appName: 'app', kind: 'interrupts' });
      return page.sessions.map(({ key }) => key.sessionId);
    };
    expect(await waitingSessions()).toEqual(['s']);

    await runner.rewind({ ...ref, rewindBeforeInvocationId: second.invocationId });
    expect(await waitingSessions()).toEqual([]);
    const answered = runner.regenerate({ ...ref, invocationId: first.invocationId });
    for await (const _ of answered);
    expect(model.requests.at(-1)!.contents).toEqual([{ role: 'user', parts: [{ text: 'hello' }] }]);
    expect((await service.getSession(ref))!.state).toEqual({ last: 'Again.' });
    await expect(runner.fork({ ...ref, newSessionId: 'copy' })).rejects.toMatchObject({
      code: 'SESSION_ALREADY_EXISTS',
    });
  });
});
