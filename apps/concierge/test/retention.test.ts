import { systemRuntime } from '@thole/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DemoLlm } from '../demo-model/demo-llm.ts';
import { toStoredFact } from '../demo-model/to-stored-fact.ts';
import { openServices } from '../src/services.ts';
import type { Services } from '../src/services.ts';
import { folderForTest } from './folder-for-test.ts';

const alice = { appName: 'hotel', userId: 'alice' };
const note = (text: string, timestamp: number) => ({
  kind: 'note' as const,
  content: { parts: [{ text }] },
  timestamp,
});

describe('THOLE_MEMORY_DAYS', { timeout: 60_000 }, () => {
  it('deletes older memories when the concierge starts', async () => {
    const runtime = systemRuntime();
    const model = { llm: new DemoLlm({ runtime }), isDemo: true, wordNote: toStoredFact, notice: '' };
    const env = { THOLE_DATA: folderForTest(), THOLE_MEMORY_DAYS: '30' };
    const { services, close } = await openServices({ memory: true, model, runtime, env });
    onTestFinished(close);
    const days = (count: number): number => runtime.now() - count * 86_400;
    await services.memoryService!.addMemory!({ ...alice, memories: [note('old', days(31)), note('young', days(29))] });
    services.start();
    await expect.poll(async () => (await readMemories(services)).length === 1).toBe(true);
    expect(await readMemories(services)).toEqual(['young']);
    for (const plugin of services.plugins) await plugin.close?.();
  });

  it.each(['0', '-1', 'a year', 'Infinity'])('rejects %s', async (days) => {
    const runtime = systemRuntime();
    const model = { llm: new DemoLlm({ runtime }), isDemo: true, wordNote: toStoredFact, notice: '' };
    await expect(
      openServices({ memory: true, model, runtime, env: { THOLE_MEMORY_DAYS: days } }),
    ).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: 'THOLE_MEMORY_DAYS must be a number of days above 0.',
    });
  });
});

async function readMemories({ memoryService }: Services): Promise<(string | undefined)[]> {
  const { memories } = await memoryService!.listMemories!(alice);
  return memories.map(({ content }) => content.parts?.[0]?.text);
}
