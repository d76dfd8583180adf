import { createEvent } from '@thole/core';
import { DatabaseSessionService } from '@thole/sql-services';
import { register, sessionServiceCases } from '@thole/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sqliteFiles } from '../support/sqlite-files.ts';

const files = sqliteFiles();

register({ describe, it }, sessionServiceCases, {
  name: 'DatabaseSessionService (SQLite file)',
  claims: ['lease', 'watch', 'durable'],
  create: (runtime) => files.create((dbUrl) => new DatabaseSessionService({ dbUrl, runtime })),
  reopen: (service, runtime) => new DatabaseSessionService({ dbUrl: files.urlOf(service), runtime }),
  destroy: (service) => (service as DatabaseSessionService).close(),
});

register({ describe, it }, sessionServiceCases, {
  name: 'DatabaseSessionService (SQLite in memory)',
  claims: ['lease', 'watch'],
  create: (runtime) => new DatabaseSessionService({ dbUrl: 'sqlite://:memory:', runtime }),
  destroy: (service) => (service as DatabaseSessionService).close(),
});

describe('createSession in SQLite', () => {
  // Quadratic time would exceed the time limit of the test.
  it('stores a state with very many keys in linear time', async () => {
    const service = new DatabaseSessionService(files.next().dbUrl);
    onTestFinished(() => service.close());
    const state = Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`key${i}`, i]));
    const session = await service.createSession({ appName: 'app', userId: 'u', state });
    expect(Object.keys(session.state)).toHaveLength(200_000);
  });
});

describe('appendEvent and pruneEvents in SQLite', () => {
  it('write very many keys of state in a session with very many other keys in linear time', async () => {
    const service = new DatabaseSessionService(files.next().dbUrl);
    onTestFinished(() => service.close());
    const keys = (start: string) => Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`${start}${i}`, i]));
    const createdAt = performance.now();
    const session = await service.createSession({ appName: 'app', userId: 'u', state: keys('old') });
    const stateDelta = { ...keys('new'), old0: null };
    const start = performance.now();
    await service.appendEvent({ session, event: createEvent({ author: 'user', actions: { stateDelta } }) });
    expect(await service.pruneEvents({ appName: 'app', keepLast: 0 })).toBe(1);
    // Linear time is as long as the creation of the session, quadratic time 100 times as long.
    expect(performance.now() - start).toBeLessThan(20 * (start - createdAt));
    expect(Object.keys(session.state)).toHaveLength(119_999);
  });
});
