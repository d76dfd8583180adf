import { createEvent, systemRuntime } from '@thole/core';
import type { Agent } from '@thole/core';
import { Runner } from '@thole/runner';
import { describe, expect, it } from 'vitest';
import { InMemoryRunner } from '../src/index.ts';

const agent: Agent = {
  name: 'root',
  async *runAsync(context) {
    const { agentName: author, invocationId, runtime } = context;
    await context.saveArtifact('note.txt', { text: 'kept' });
    await context.addMemory('Ada likes tea.');
    yield createEvent({ author, invocationId, content: { role: 'model', parts: [{ text: 'Hello.' }] } }, runtime);
  },
};

describe('InMemoryRunner', () => {
  it('runs an agent with in-memory sessions, memory and artifacts', async () => {
    const runner = new InMemoryRunner({ agent });
    expect(runner).toBeInstanceOf(Runner);
    expect(runner.appName).toBe('InMemoryRunner');
    const session = await runner.sessionService.createSession({ appName: runner.appName, userId: 'ada' });
    const ref = { appName: runner.appName, userId: 'ada', sessionId: session.id };
    expect((await runner.runToCompletion({ userId: 'ada', sessionId: session.id, newMessage: 'Hi' })).text).toBe(
      'Hello.',
    );
    expect((await runner.sessionService.getSession(ref))!.events).toHaveLength(2);
    expect(await runner.artifactService.listArtifactKeys(ref)).toEqual(['note.txt']);
    const { memories } = await runner.memoryService.searchMemory({ ...ref, query: 'tea' });
    expect(memories).toHaveLength(1);
    await runner.close();
  });

  it('accepts appName, plugins and options of Runner', async () => {
    const calls: string[] = [];
    const plugin = { name: 'p', afterRunCallback: () => void calls.push('afterRun') };
    const runner = new InMemoryRunner({ agent, appName: 'hotel', plugins: [plugin], autoCreateSession: true });
    await runner.runToCompletion({ userId: 'ada', sessionId: 's', newMessage: 'Hi' });
    expect([runner.appName, calls]).toEqual(['hotel', ['afterRun']]);
  });

  it('uses the clock of its runtime for sessions, memory and artifacts', async () => {
    const runner = new InMemoryRunner({ agent, runtime: { ...systemRuntime(), now: () => 1_000 } });
    const { sessionId } = await runner.runToCompletion({ userId: 'ada', newMessage: 'Hi' });
    const ref = { appName: runner.appName, userId: 'ada', sessionId };
    const session = await runner.sessionService.getSession(ref);
    const { memories } = await runner.memoryService.searchMemory({ ...ref, query: 'tea' });
    const note = await runner.artifactService.getArtifactVersion({ ...ref, filename: 'note.txt' });
    expect([session?.lastUpdateTime, memories[0]?.timestamp, note?.createTime]).toEqual([1_000, 1_000, 1_000]);
  });

  it('accepts an app', async () => {
    const runner = new InMemoryRunner({ app: { name: 'hotel', rootAgent: agent } });
    const { text, sessionId } = await runner.runToCompletion({ userId: 'ada', newMessage: 'Hi' });
    expect([runner.appName, text, sessionId === '']).toEqual(['hotel', 'Hello.', false]);
  });

  it('rejects services and misspelt options with INVALID_INPUT', () => {
    for (const wrong of [{ sessionService: {} }, { plugin: [] }])
      expect(() => new InMemoryRunner({ agent, ...wrong } as never)).toThrow(
        expect.objectContaining({ code: 'INVALID_INPUT' }),
      );
  });
});
