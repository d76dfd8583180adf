import type { Part } from '@thole/core';
import { InMemoryArtifactService, InMemoryMemoryService } from '@thole/mem-services';
import { describe, expect, it } from 'vitest';
import { agentOf, createSetup, hello, ref, says, saying } from '../support/setup.ts';

const file: Part = { inlineData: { mimeType: 'text/plain', data: 'aGk=' } };
const user = { appName: 'app', userId: 'ann' };

describe('Runner.deleteSession', () => {
  it('deletes artifacts, and memory only with memory: true (contract 11)', async () => {
    const memoryService = new InMemoryMemoryService();
    const artifactService = new InMemoryArtifactService();
    const agent = agentOf('root', async function* (context) {
      await context.saveArtifact('mine', file);
      await context.saveArtifact('user:ours', file);
      yield says(context, 'fine');
    });
    const { runner, stored } = await createSetup(agent, { memoryService, artifactService });
    await runner.runToCompletion(hello);
    await memoryService.addSessionToMemory(await stored());
    expect(await artifactService.listArtifactKeys(ref)).toEqual(['mine', 'user:ours']);
    expect(await runner.deleteSession({ userId: 'ann', sessionId: 's' })).toBe(true);
    expect(await artifactService.listArtifactKeys(ref)).toEqual(['user:ours']);
    expect((await memoryService.listMemories(user)).memories).toHaveLength(2);
    expect(await runner.deleteSession({ userId: 'ann', sessionId: 's', memory: true })).toBe(false);
    expect((await memoryService.listMemories(user)).memories).toHaveLength(0);
  });
});

describe('Runner.deleteUserData', () => {
  it('deletes nothing if the memoryService cannot delete the memory of a user', async () => {
    const memoryService = Object.assign(new InMemoryMemoryService(), { deleteUserMemory: undefined as never });
    const { runner, stored } = await createSetup(saying('root', 'fine'), { memoryService });
    await expect(runner.deleteUserData({ userId: 'ann' })).rejects.toMatchObject({ code: 'MEMORY_NOT_CONFIGURED' });
    expect((await stored()).id).toBe('s');
  });

  it('deletes sessions, user state, artifacts and memory of this user only (contract 12)', async () => {
    const memoryService = new InMemoryMemoryService();
    const artifactService = new InMemoryArtifactService();
    const agent = agentOf('root', async function* (context) {
      await context.saveArtifact('user:ours', file);
      context.state.set('user:theme', 'dark');
      yield says(context, 'fine');
      await context.addSessionToMemory();
    });
    const { runner, service } = await createSetup(agent, { memoryService, artifactService, autoCreateSession: true });
    await runner.runToCompletion(hello);
    await runner.runToCompletion({ ...hello, userId: 'bob' });
    await runner.deleteUserData({ userId: 'ann' });
    for (const [userId, count] of [
      ['ann', 0],
      ['bob', 1],
    ] as const) {
      const scope = { appName: 'app', userId };
      expect((await service.listSessions(scope)).total).toBe(count);
      expect(Object.keys(await service.getUserState(scope))).toHaveLength(count);
      expect(await artifactService.listArtifactKeys({ ...scope, sessionId: 's' })).toHaveLength(count);
      expect((await memoryService.listMemories(scope)).memories).toHaveLength(count * 2);
    }
  });
});
