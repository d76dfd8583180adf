import type { ArtifactService } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { FixedRuntime, toolContextFor } from '../src/index.ts';
import { AnsweringMemory, remembered } from '../src/suites/answering-memory.ts';

const runtime = new FixedRuntime();

describe('toolContextFor', () => {
  it('throws the error of a run’s context without a service (contract 35)', async () => {
    const context = toolContextFor({ runtime });
    await expect(context.searchMemory('tea')).rejects.toMatchObject({ code: 'MEMORY_NOT_CONFIGURED' });
    await expect(context.addMemory('Tea.')).rejects.toMatchObject({ code: 'MEMORY_NOT_CONFIGURED' });
    await expect(context.addSessionToMemory()).rejects.toMatchObject({ code: 'MEMORY_NOT_CONFIGURED' });
    await expect(context.listArtifacts()).rejects.toMatchObject({ code: 'ARTIFACT_NOT_CONFIGURED' });
  });

  it('calls its services with its user and session', async () => {
    const memoryService = new AnsweringMemory([remembered('Tea.')]);
    const saved: unknown[] = [];
    const artifactService = {
      saveArtifact: async (p: object) => saved.push(p) - 1,
    } as Partial<ArtifactService> as ArtifactService;
    const context = toolContextFor({
      runtime,
      memoryService,
      artifactService,
      appName: 'hotel',
      userId: 'ada',
      sessionId: 'trip-1',
    });
    expect((await context.searchMemory('tea', { limit: 3 })).memories).toHaveLength(1);
    expect(memoryService.searches).toMatchObject([{ appName: 'hotel', userId: 'ada', query: 'tea', limit: 3 }]);
    await context.addMemory('Tea.', { kind: undefined, sessionId: undefined });
    expect(memoryService.added).toMatchObject([{ appName: 'hotel', userId: 'ada', kind: 'note', sessionId: 'trip-1' }]);
    expect(await context.saveArtifact('plan.txt', { text: 'Two nights.' })).toBe(0);
    expect(saved).toMatchObject([{ appName: 'hotel', userId: 'ada', sessionId: 'trip-1', filename: 'plan.txt' }]);
    expect(context.actions.artifactDelta).toEqual({ 'plan.txt': 0 });
  });

  it('shares temp: values with a context of the same invocation, and nothing else (contract 4)', () => {
    const temp = {};
    const one = toolContextFor({ runtime, temp, state: { floor: 9 } });
    one.state.set('temp:seen', true);
    one.state.set('floor', 8);
    const other = toolContextFor({ runtime, temp, state: { floor: 9 } });
    expect(other.state.toRecord()).toEqual({ 'temp:seen': true, floor: 9 });
    expect(toolContextFor({ runtime }).state.has('temp:seen')).toBe(false);
  });
});
