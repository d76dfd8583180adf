import { InMemoryMemoryService } from '@thole/mem-services';
import { describe, expect, it } from 'vitest';
import { agentOf, createSetup, hello, says } from '../support/setup.ts';

describe('context.addMemory', () => {
  it('uses the default of a member that is undefined (contract 41)', async () => {
    const memoryService = new InMemoryMemoryService();
    const agent = agentOf('root', async function* (context) {
      await context.addMemory('Likes tea.', { kind: undefined, author: undefined, sessionId: undefined });
      yield says(context, 'fine');
    });
    const { runner } = await createSetup(agent, { memoryService });
    await Array.fromAsync(runner.runAsync(hello));
    const { memories } = await memoryService.listMemories({ appName: 'app', userId: hello.userId });
    expect(memories).toMatchObject([{ kind: 'note', author: 'user', sessionId: 's' }]);
  });
});

describe('context.deleteMemory and context.addEventsToMemory', () => {
  it('reject with MEMORY_NOT_CONFIGURED if the memory service does not have the method', async () => {
    const failures: unknown[] = [];
    const memoryService = { addSessionToMemory: async () => {}, searchMemory: async () => ({ memories: [] }) };
    const agent = agentOf('root', async function* (context) {
      for (const call of [() => context.deleteMemory(['m1']), () => context.addEventsToMemory([])])
        await call().catch((error: unknown) => failures.push(error));
      yield says(context, 'fine');
    });
    const { runner } = await createSetup(agent, { memoryService });
    await runner.runToCompletion(hello);
    expect(failures).toMatchObject([
      { code: 'MEMORY_NOT_CONFIGURED', message: expect.stringContaining('deleteMemory') },
      { code: 'MEMORY_NOT_CONFIGURED', message: expect.stringContaining('addEventsToMemory') },
    ]);
  });
});

describe('context.searchMemory', () => {
  it.each([[[]], [undefined], [{ memories: 'tea' }]])(
    'names the result that a memory service must return, for the result %j',
    async (result) => {
      const memoryService = { addSessionToMemory: async () => {}, searchMemory: async () => result as never };
      const agent = agentOf('root', async function* (context) {
        await context.searchMemory('tea');
        yield says(context, 'fine');
      });
      const { runner } = await createSetup(agent, { memoryService });
      await expect(runner.runToCompletion(hello)).rejects.toMatchObject({
        code: 'INVALID_INPUT',
        message: expect.stringContaining('searchMemory of the memory service must be an object with a list memories'),
      });
    },
  );
});
