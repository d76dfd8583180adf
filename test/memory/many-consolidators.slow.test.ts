import { IdleConsolidator } from '@thole/memory';
import { expect, it } from 'vitest';
import { Child } from '../durability/child.ts';
import { beginSession } from './begin-session.ts';
import { factsOfGrace } from './facts-of-grace.ts';
import { OneFile } from './one-file.ts';
import type { Connection } from './one-file.ts';

/** Creates four sessions of each user, with a message about Grace. Returns user and session ids. */
async function beginFour(connection: Connection, users: readonly string[]): Promise<string[]> {
  const names: string[] = [];
  for (const userId of users)
    for (let i = 0; i < 4; i++) {
      const session = { appName: 'gaia', userId, sessionId: `s${i}` };
      await beginSession(connection, session, ['user', `Grace number ${i}.`]);
      names.push(`${userId} s${i}`);
    }
  return names;
}

/** Returns the kinds of a user's entries in memory. */
async function kindsOf({ memory }: Connection, userId: string): Promise<string[]> {
  const { memories } = await memory.listMemories({ appName: 'gaia', userId, filter: { kinds: ['turn', 'fact'] } });
  return memories.map(({ kind }) => kind).toSorted();
}

const fourOfEach = [...Array<string>(4).fill('fact'), ...Array<string>(4).fill('turn')];

it('consolidates each session once with several connections that sweep concurrently', async () => {
  const file = new OneFile();
  const added: string[] = [];
  const connections = [1, 2, 3].map(() => {
    const connection = file.connect();
    const memory = factsOfGrace(connection.memory);
    const recordingMemory = {
      searchMemory: memory.searchMemory.bind(memory),
      addSessionToMemory: async (...p: Parameters<typeof memory.addSessionToMemory>) => {
        added.push(`${p[0].userId} ${p[0].id}`);
        await memory.addSessionToMemory(...p);
      },
    };
    const consolidator = new IdleConsolidator({ sessions: connection.sessions, memory: recordingMemory, idleMs: 1 });
    file.closeAtEnd(() => consolidator.close());
    return { ...connection, consolidator };
  });
  const [first] = connections;
  const names = await beginFour(first!, ['ann', 'bob']);
  await new Promise((resolve) => setTimeout(resolve, 20));

  const reports = await Promise.all(connections.map(({ consolidator }) => consolidator.sweep({ appName: 'gaia' })));
  expect(reports.map(({ failed }) => failed)).toEqual([0, 0, 0]);
  expect(reports.reduce((sum, { consolidated }) => sum + consolidated, 0)).toBe(8);
  expect(added.toSorted()).toEqual(names);
  expect((await first!.sessions.listSessions({ appName: 'gaia' })).total).toBe(0);
  for (const userId of ['ann', 'bob']) expect(await kindsOf(connections[2]!, userId)).toEqual(fourOfEach);
});

it('consolidates each quiet session once with several processes that start together', async () => {
  const file = new OneFile();
  const connection = file.connect();
  const users = ['ann', 'bob', 'cat'];
  await beginFour(connection, users);
  const children = [1, 2, 3].map(
    () =>
      new Child<{ at?: string; consolidated?: number; failed?: number }>(
        '../../memory/children/sweeps.ts',
        file.url,
        'gaia',
      ),
  );
  for (const child of children) expect(await child.next()).toEqual({ at: 'ready' });
  for (const child of children) child.say({ go: true });
  const reports = await Promise.all(children.map((child) => child.next()));
  expect(reports.map(({ failed }) => failed)).toEqual([0, 0, 0]);
  expect(reports.reduce((sum, { consolidated = 0 }) => sum + consolidated, 0)).toBe(12);
  expect((await connection.sessions.listSessions({ appName: 'gaia' })).total).toBe(0);
  for (const userId of users) expect(await kindsOf(connection, userId)).toEqual(fourOfEach);
});
