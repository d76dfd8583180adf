import { rm } from 'node:fs/promises';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEvent } from '@thole/core';
import { IdleConsolidator } from '@thole/memory/consolidate';
import { DatabaseMemoryService, DatabaseSessionService } from '@thole/sql-services';
import { expect, it, onTestFinished } from 'vitest';
import { Child } from '../durability/child.ts';
import { factsOfGrace } from './facts-of-grace.ts';

it('of several connections to one database that sweep at once, each session is consolidated by one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'many-'));
  const url = `sqlite:///${join(folder, 'many.db')}`;
  const added: string[] = [];
  const processes = [1, 2, 3].map(() => {
    const sessions = new DatabaseSessionService(url);
    const inner = new DatabaseMemoryService(url);
    const memory = factsOfGrace(inner);
    const counting = {
      searchMemory: memory.searchMemory.bind(memory),
      addSessionToMemory: async (...p: Parameters<typeof memory.addSessionToMemory>) => {
        added.push(`${p[0].userId} ${p[0].id}`);
        await memory.addSessionToMemory(...p);
      },
    };
    return { sessions, inner, memory, consolidator: new IdleConsolidator({ sessions, memory: counting, idleMs: 1 }) };
  });
  onTestFinished(async () => {
    for (const { sessions, inner, consolidator } of processes) {
      await consolidator.close();
      await inner.close();
      await sessions.close();
    }
    await rm(folder, { recursive: true, force: true });
  });
  const [first] = processes;
  const expected: string[] = [];
  for (const userId of ['ann', 'bob'])
    for (let i = 0; i < 4; i++) {
      const session = { appName: 'gaia', userId, sessionId: `s${i}` };
      await first!.sessions.createSession(session);
      const event = createEvent({ author: 'user', content: { parts: [{ text: `Grace number ${i}.` }] } });
      await first!.sessions.appendEvent({ session, event });
      expected.push(`${userId} s${i}`);
    }
  await new Promise((resolve) => setTimeout(resolve, 20));

  const reports = await Promise.all(processes.map(({ consolidator }) => consolidator.sweep({ appName: 'gaia' })));
  expect(reports.map(({ failed }) => failed)).toEqual([0, 0, 0]);
  expect(reports.reduce((sum, { consolidated }) => sum + consolidated, 0)).toBe(8);
  expect(added.toSorted()).toEqual(expected);
  expect((await first!.sessions.listSessions({ appName: 'gaia' })).total).toBe(0);
  for (const userId of ['ann', 'bob']) {
    const { memories } = await processes[2]!.memory.listMemories({ appName: 'gaia', userId });
    expect(memories).toHaveLength(4);
  }
});

it('of several processes that begin at once, each quiet session is consolidated by one, and none is left', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'many-'));
  const url = `sqlite:///${join(folder, 'many.db')}`;
  const sessions = new DatabaseSessionService(url);
  const memory = new DatabaseMemoryService(url);
  onTestFinished(async () => {
    await memory.close();
    await sessions.close();
    await rm(folder, { recursive: true, force: true });
  });
  const users = ['ann', 'bob', 'cat'];
  for (const userId of users)
    for (let i = 0; i < 4; i++) {
      const session = { appName: 'gaia', userId, sessionId: `s${i}` };
      await sessions.createSession(session);
      const event = createEvent({ author: 'user', content: { parts: [{ text: `Grace number ${i}.` }] } });
      await sessions.appendEvent({ session, event });
    }
  const children = [1, 2, 3].map(
    () =>
      new Child<{ at?: string; consolidated?: number; failed?: number }>(
        '../../memory/children/sweeps.ts',
        url,
        'gaia',
      ),
  );
  for (const child of children) expect(await child.next()).toEqual({ at: 'ready' });
  for (const child of children) child.say({ go: true });
  const reports = await Promise.all(children.map((child) => child.next()));
  expect(reports.map(({ failed }) => failed)).toEqual([0, 0, 0]);
  expect(reports.reduce((sum, { consolidated = 0 }) => sum + consolidated, 0)).toBe(12);
  expect((await sessions.listSessions({ appName: 'gaia' })).total).toBe(0);
  for (const userId of users) {
    const { memories } = await memory.listMemories({ appName: 'gaia', userId, filter: { kinds: ['turn', 'fact'] } });
    expect(memories.map(({ kind }) => kind).toSorted()).toEqual([...Array(4).fill('fact'), ...Array(4).fill('turn')]);
  }
});
