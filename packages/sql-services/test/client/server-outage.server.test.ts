import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEvent, TholeError } from '@thole/core';
import { FixedRuntime } from '@thole/testing';
import { DatabaseSessionService } from '@thole/sql-services';
import { expect, it, onTestFinished } from 'vitest';
import { describeWith, rounds, startMariaDb, startPostgres, until } from '../../../../test/servers/index.ts';
import { createDatabase } from '../support/create-database.ts';
import { readOutput, startProcess } from '../support/start-process.ts';

const ref = { appName: 'app', userId: 'u', sessionId: 's' };
const starts = [
  ['postgres', startPostgres],
  ['mariadb', startMariaDb],
] as const;

for (const [kind, start] of starts) {
  describeWith(kind, `Outages of ${kind}`, (sharedUrl) => {
    it(
      'keep each acknowledged event once if the server is killed repeatedly (contract 7)',
      { timeout: rounds(300_000, 900_000) },
      async () => {
        const server = await start();
        onTestFinished(() => server.remove());
        const service = new DatabaseSessionService({ dbUrl: server.url, timeoutMs: 5_000 });
        onTestFinished(() => service.close());
        const patient = new DatabaseSessionService(server.url);
        onTestFinished(() => patient.close());
        await patient.createSession(ref);
        const acknowledged: string[] = [];
        const codes = new Set<string>();
        let isOver = false;
        const appending = Array.from({ length: 4 }, async (_, task) => {
          for (let i = 0; !isOver;) {
            const id = `e${task}-${i}`;
            try {
              const event = createEvent({ id, author: 'a', actions: { stateDelta: { [`k${id}`]: 1, 'user:n': i } } });
              await service.appendEvent({ session: ref, event });
              acknowledged.push(id);
              i++;
            } catch (error) {
              if (!TholeError.is(error)) throw error;
              codes.add(error.code);
              await sleep(20);
            }
          }
        });
        const untilMore = (): Promise<void> => {
          const before = acknowledged.length;
          return until(() => acknowledged.length > before + 10);
        };
        for (let round = 0; round < rounds(2, 30); round++) {
          await untilMore();
          await server.kill();
          await server.restart();
        }
        await untilMore();
        isOver = true;
        await Promise.all(appending);
        const { events, state, lastSeq } = (await patient.getSession(ref))!;
        expect(events.map((event) => event.id).toSorted()).toEqual(acknowledged.toSorted());
        expect(events.map((event) => event.seq)).toEqual(acknowledged.map((_, i) => i + 1));
        expect([lastSeq, Object.keys(state).length]).toEqual([acknowledged.length, acknowledged.length + 1]);
        expect([...codes].filter((code) => !/^STORE_(OUTCOME_UNKNOWN|UNAVAILABLE)$/.test(code))).toEqual([]);
        expect(codes.size).toBeGreaterThan(0);
      },
    );

    it('keep no process alive after close() if the server does not answer', async () => {
      const server = await start();
      onTestFinished(() => server.remove());
      const socketCount = (): number =>
        process.getActiveResourcesInfo().filter((each) => each === 'TCPSocketWrap').length;
      const before = socketCount();
      const runtime = new FixedRuntime();
      const service = new DatabaseSessionService({ dbUrl: server.url, runtime });
      await Promise.all(['a', 'b', 'c'].map((sessionId) => service.createSession({ ...ref, sessionId })));
      await server.pause();
      onTestFinished(() => server.resume());
      const reading = expect(service.getSession({ ...ref, sessionId: 'a' })).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
      });
      await runtime.advance(30_000);
      await reading;
      await service.close();
      await expect.poll(socketCount).toBeLessThanOrEqual(before);
    });

    it('keep acknowledged events if our process is killed (contract 7)', async () => {
      const { url, remove } = await createDatabase(kind, sharedUrl);
      onTestFinished(remove);
      const service = new DatabaseSessionService(url);
      onTestFinished(() => service.close());
      const acknowledged: string[] = [];
      for (let round = 0; round < rounds(2, 30); round++) {
        const child = startProcess('append-many.ts', url, `p${round}`, '8', '100000');
        const ending = readOutput(child);
        await once(child.stdout, 'data');
        await sleep(50 + 30 * (round % 7));
        child.kill('SIGKILL');
        acknowledged.push(...(await ending).lines);
      }
      const { events, state } = (await service.getSession(ref))!;
      const stored = new Set(events.map((event) => event.id));
      expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
      expect([...stored].filter((id) => state[`k-${id}`] !== 1)).toEqual([]);
      expect(events.map((event) => event.seq)).toEqual(events.map((_, i) => i + 1));
    });
  });
}
