import { createEvent } from '@thole/core';
import type { MemoryEntry, Session } from '@thole/core';
import { DatabaseMemoryService } from '@thole/sql-services';
import { describe, expect, it, onTestFinished } from 'vitest';

const user = { appName: 'hotel', userId: 'alice' };

function openService(): DatabaseMemoryService {
  const service = new DatabaseMemoryService('sqlite://:memory:');
  onTestFinished(() => service.close());
  return service;
}

function note(id: string, timestamp: number, more: Partial<MemoryEntry> = {}): MemoryEntry {
  return { id, kind: 'note', content: { parts: [{ text: id }] }, timestamp, ...more };
}

async function idsOf(service: DatabaseMemoryService, owner = user): Promise<string[]> {
  return (await service.listMemories({ ...owner, limit: 10_000 })).memories.map(({ id }) => id);
}

describe('pruneMemories', () => {
  it('deletes old entries of all users of the app, and of no other app (contract 30)', async () => {
    const service = openService();
    const users = Array.from({ length: 205 }, (_, i) => ({ appName: 'hotel', userId: `u${i}` }));
    const other = { ...user, appName: 'airline' };
    for (const each of [...users, other]) {
      await service.addMemory({ ...each, memories: [note('old', 10), note('edge', 20), note('new', 30)] });
    }
    expect(await service.pruneMemories({ appName: 'hotel', olderThan: 20 })).toBe(205);
    for (const each of [users[0]!, users[204]!]) expect(await idsOf(service, each)).toEqual(['edge', 'new']);
    expect(await idsOf(service, other)).toEqual(['old', 'edge', 'new']);
    expect(await service.pruneMemories({ appName: 'hotel', userId: 'u7', olderThan: 25 })).toBe(1);
    expect(await service.pruneMemories({ appName: 'hotel', olderThan: 20 })).toBe(0);
  });

  it('deletes more than one batch, and ingestion does not add them again (contract 31)', async () => {
    const service = openService();
    const content = { role: 'user' as const, parts: [{ text: 'hello' }] };
    const events = Array.from({ length: 1_203 }, (_, i) =>
      createEvent({ id: `e${i}`, author: 'user', content, timestamp: i }),
    );
    const session: Session = {
      ...user,
      ...{ id: 's', state: {}, events, lastUpdateTime: 1_203, lastSeq: events.length, incarnation: 'i' },
    };
    await service.addSessionToMemory(session);
    expect(await service.pruneMemories({ appName: 'hotel', olderThan: 1_200 })).toBe(1_200);
    await service.addSessionToMemory(session);
    expect(await idsOf(service)).toHaveLength(3);
  });

  it('deletes facts without other evidence, but not the evidence of old facts (contract 31)', async () => {
    const service = openService();
    const fact = (id: string, timestamp: number, evidence: string[]): MemoryEntry =>
      note(id, timestamp, { kind: 'fact', evidence });
    const memories = [
      note('t1', 10),
      note('t2', 50),
      fact('f1', 50, ['t1']),
      fact('f2', 50, ['t1', 't2']),
      fact('f3', 10, ['t2']),
    ];
    await service.addMemory({ ...user, memories });
    expect(await service.pruneMemories({ appName: 'hotel', olderThan: 20 })).toBe(3);
    const { memories: remaining } = await service.listMemories(user);
    expect(remaining.map(({ id, evidence }) => [id, evidence])).toEqual([
      ['t2', undefined],
      ['f2', ['t2']],
    ]);
  });

  it('deletes only entries of the given kinds', async () => {
    const service = openService();
    await service.addMemory({ ...user, memories: [note('n', 10), note('f', 10, { kind: 'fact' })] });
    expect(await service.pruneMemories({ appName: 'hotel', olderThan: 20, kinds: ['turn', 'note'] })).toBe(1);
    expect(await idsOf(service)).toEqual(['f']);
  });

  it.each([
    [{}],
    [undefined],
    [{ appName: 'hotel', olderThan: '20' }],
    [{ olderThan: 20 }],
    [{ appName: 'hotel', olderThan: Number.NaN }],
    [{ appName: 'hotel', olderThan: 20, userId: '' }],
    [{ appName: 'hotel', olderThan: 20, kinds: ['dream'] }],
    [{ appName: 'hotel', olderThan: 20, keepLast: 3 }],
  ])('rejects %j with INVALID_INPUT (contract 42)', async (request) => {
    await expect(openService().pruneMemories(request as never)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('rejects a time that is not a finite number, and says so (contract 42)', async () => {
    const request = { appName: 'hotel', olderThan: Infinity };
    const message = 'olderThan must be a finite number of seconds, got a number.';
    await expect(openService().pruneMemories(request)).rejects.toThrow(message);
  });
});
