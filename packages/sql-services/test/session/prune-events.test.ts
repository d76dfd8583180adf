import { createEvent } from '@thole/core';
import { DatabaseSessionService } from '@thole/sql-services';
import { describe, expect, it, onTestFinished } from 'vitest';

const ref = { appName: 'app', userId: 'u', sessionId: 's' };

async function createFilledSession(
  times: readonly number[],
  sessionId = 's',
  service = openService(),
): Promise<DatabaseSessionService> {
  await service.createSession({ ...ref, sessionId });
  for (const [i, timestamp] of times.entries()) {
    const event = createEvent({ id: `e${i + 1}`, author: 'a', timestamp, actions: { stateDelta: { last: i + 1 } } });
    await service.appendEvent({ session: { ...ref, sessionId }, event });
  }
  return service;
}

function openService(): DatabaseSessionService {
  const service = new DatabaseSessionService('sqlite://:memory:');
  onTestFinished(() => service.close());
  return service;
}

const seqs = async (service: DatabaseSessionService, sessionId = 's'): Promise<(number | undefined)[]> =>
  (await service.getSession({ ...ref, sessionId }))!.events.map((event) => event.seq);

describe('pruneEvents', () => {
  it('deletes older events except the last N of each session, not seq and state (contract 8)', async () => {
    const service = await createFilledSession([10, 20, 30, 40, 50]);
    expect(await service.pruneEvents({ olderThan: 45, keepLast: 2 })).toBe(3);
    expect(await seqs(service)).toEqual([4, 5]);
    await service.appendEvent({ session: ref, event: createEvent({ id: 'e6', author: 'a' }) });
    const session = (await service.getSession(ref))!;
    expect([session.lastSeq, session.state, session.events.map((event) => event.seq)]).toEqual([
      6,
      { last: 5 },
      [4, 5, 6],
    ]);
    expect(await service.pruneEvents({ olderThan: 45, keepLast: 2 })).toBe(1);
    expect(await seqs(service)).toEqual([5, 6]);
  });

  it('stops at the first event to keep, so that no gap remains (contract 8)', async () => {
    const service = await createFilledSession([10, 90, 20, 30]);
    expect(await service.pruneEvents({ olderThan: 50 })).toBe(1);
    expect(await seqs(service)).toEqual([2, 3, 4]);
  });

  it('can delete all events of a session, which continues with the next seq', async () => {
    const service = await createFilledSession([10, 20]);
    expect(await service.pruneEvents({ olderThan: 50 })).toBe(2);
    expect([(await service.getSession(ref))!.lastSeq, await seqs(service)]).toEqual([2, []]);
    expect((await service.appendEvent({ session: ref, event: createEvent({ author: 'a' }) })).seq).toBe(3);
  });

  it.each([
    [{ keepLast: 1 }, [1_205], [3]],
    [{ olderThan: 5 }, [1_204, 1_205], []],
    [{ olderThan: 5, keepLast: 2 }, [1_204, 1_205], [2, 3]],
  ])('deletes the events of several sessions in several transactions: %j', async (request, ...remaining) => {
    const service = await createFilledSession(Array.from({ length: 1_205 }, (_, i) => (i < 1_203 ? 1 : 9)));
    await createFilledSession([1, 2, 3], 'other', service);
    expect(await service.pruneEvents(request)).toBe(1_208 - remaining.flat().length);
    expect([await seqs(service), await seqs(service, 'other')]).toEqual(remaining);
  });

  it('deletes only events of the given app, user or session (contract 1)', async () => {
    const service = await createFilledSession([10, 20]);
    await createFilledSession([10, 20], 'other', service);
    expect(await service.pruneEvents({ keepLast: 0, ...ref })).toBe(2);
    expect(await service.pruneEvents({ keepLast: 0, appName: 'another' })).toBe(0);
    expect(await seqs(service, 'other')).toEqual([1, 2]);
  });

  it.each([
    [{}],
    [{ olderThan: Number.NaN }],
    [{ keepLast: -1 }],
    [{ keepLast: 1, userId: 'u' }],
    [{ keepLast: 1, appName: '' }],
    [{ olderThan: 1, keeplast: 100 }],
    [{ keepLast: 1, appName: 'app', userID: 'u' }],
    [undefined],
    [{ olderThan: Date.now() }],
  ])('rejects %j with INVALID_INPUT (contract 42)', async (request) => {
    await expect(openService().pruneEvents(request as never)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('rejects a time that is not a finite number, and says so (contract 42)', async () => {
    const message = 'olderThan must be a finite number of seconds, got a number.';
    await expect(openService().pruneEvents({ olderThan: Infinity })).rejects.toThrow(message);
    const inMilliseconds = 'olderThan must be a time in seconds since the epoch';
    await expect(openService().pruneEvents({ olderThan: Date.now() })).rejects.toThrow(inMilliseconds);
  });
});
