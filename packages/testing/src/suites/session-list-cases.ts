import assert from 'node:assert/strict';
import type { ListSessionsRequest, SessionService } from '@thole/core';
import {
  append,
  eventOf,
  idsOf,
  createSession,
  numbers,
  read,
  refTo,
  rejectsWith,
  same,
  stateOf,
  stateEvent,
} from './session-support.ts';
import type { SessionCase } from './session-support.ts';

/** `listSessions` and `deleteSession`. */
export const sessionListCases: readonly SessionCase[] = [
  {
    id: 'list.empty',
    sentence: 'returns no sessions and total 0 for an unknown app or user',
    contracts: [11],
    async check(service) {
      await createSession(service);
      same(await service.listSessions({ appName: 'none' }), { sessions: [], total: 0 });
      same(await service.listSessions({ appName: 'app', userId: 'none' }), { sessions: [], total: 0 });
    },
  },
  {
    id: 'list.summaries',
    sentence: 'returns sessions without events: merged state, time, seq and incarnation',
    contracts: [11],
    async check(service) {
      await createSession(service, refTo(), { own: 1, 'user:a': 2, 'app:b': 3 });
      await append(service, refTo(), stateEvent('e1', { own: 4 }, { timestamp: 1_700_000_009 }));
      const { events: _, initialState: __, marks: ___, ...summary } = await read(service);
      same(await service.listSessions({ appName: 'app', userId: 'u' }), { sessions: [summary], total: 1 });
    },
  },
  {
    id: 'list.user-or-app',
    sentence: 'lists the sessions of one user, or of all users of the app',
    contracts: [1, 11],
    async check(service) {
      for (const ref of [refTo('s1', 'u1'), refTo('s2', 'u2'), refTo('s3', 'u1'), refTo('s4', 'u1', 'other')])
        await createSession(service, ref);
      same(await listIds(service, { userId: 'u1' }), ['s1', 's3']);
      same(await listIds(service, {}), ['s1', 's2', 's3']);
    },
  },
  {
    id: 'list.order',
    sentence: 'sorts by lastUpdateTime and then by id; desc is the exact reverse',
    contracts: [11],
    async check(service, { runtime }) {
      for (const id of ['s3', 's1', 's2']) await createSession(service, refTo(id));
      await runtime.advance(1_000);
      for (const id of ['s9', 's0']) await createSession(service, refTo(id));
      await append(service, refTo('s1'), eventOf('e1', { timestamp: 1_700_000_050 }));
      same(await listIds(service, {}), ['s2', 's3', 's0', 's9', 's1']);
      same(await listIds(service, { order: 'asc' }), ['s2', 's3', 's0', 's9', 's1']);
      same(await listIds(service, { order: 'desc' }), ['s1', 's9', 's0', 's3', 's2']);
      same(await listIds(service, { userId: 'u', order: 'desc' }), ['s1', 's9', 's0', 's3', 's2']);
    },
  },
  {
    id: 'list.pages',
    sentence: 'returns pages by limit and offset, and the total of all pages',
    contracts: [11],
    async check(service) {
      const ids = numbers(7).map((n) => `s${n}`);
      for (const id of ids) await createSession(service, refTo(id));
      const page = async (p: Partial<ListSessionsRequest>): Promise<unknown> => {
        const { sessions, total } = await service.listSessions({ appName: 'app', userId: 'u', ...p });
        return [sessions.map((session) => session.id), total];
      };
      same(await page({ limit: 3 }), [['s1', 's2', 's3'], 7]);
      same(await page({ limit: 3, offset: 3 }), [['s4', 's5', 's6'], 7]);
      same(await page({ limit: 3, offset: 6 }), [['s7'], 7]);
      same(await page({ limit: 3, offset: 9 }), [[], 7]);
      same(await page({ limit: 0 }), [[], 7]);
      same(await page({ offset: 5 }), [['s6', 's7'], 7]);
      same(await page({ limit: 2, offset: 1, order: 'desc' }), [['s6', 's5'], 7]);
      same(await page({}), [ids, 7]);
    },
  },
  {
    id: 'list.invalid',
    sentence: 'throws INVALID_INPUT that names an invalid limit, offset or order',
    contracts: [11, 42],
    async check(service) {
      const bad: [keyof ListSessionsRequest, unknown][] = [
        ['limit', -1],
        ['limit', 1.5],
        ['limit', '3'],
        ['offset', -1],
        ['offset', Number.NaN],
        ['order', 'newest'],
      ];
      for (const [name, value] of bad) {
        const error = await rejectsWith(
          'INVALID_INPUT',
          service.listSessions({ appName: 'app', [name]: value }),
          `${name} ${String(value)}`,
        );
        assert.ok(error.message.includes(name), `the message must name ${name}: ${error.message}`);
      }
    },
  },
  {
    id: 'list.own-copy',
    sentence: 'does not store changes of a returned summary',
    contracts: [9, 11],
    async check(service) {
      await createSession(service, refTo(), { a: { b: 1 }, 'user:c': [1] });
      const { sessions } = await service.listSessions({ appName: 'app' });
      assert.ok(sessions[0], 'the list must have the session');
      (sessions[0].state['a'] as { b: number }).b = 2;
      (sessions[0].state['user:c'] as number[]).push(2);
      sessions.length = 0;
      same(await stateOf(service), { a: { b: 1 }, 'user:c': [1] });
      same((await service.listSessions({ appName: 'app' })).total, 1);
    },
  },
  {
    id: 'delete.once',
    sentence: 'returns true for an existing session and false for the second call',
    contracts: [11],
    async check(service) {
      await createSession(service);
      await append(service, refTo(), eventOf('e1'));
      assert.equal(await service.deleteSession(refTo()), true);
      assert.equal(await service.deleteSession(refTo()), false);
      same(await service.getSession(refTo()), undefined);
      same(await service.listSessions({ appName: 'app' }), { sessions: [], total: 0 });
    },
  },
  {
    id: 'delete.concurrent',
    sentence: 'returns true to one of ten concurrent calls',
    contracts: [11],
    async check(service) {
      await createSession(service);
      const answers = await Promise.all(numbers(10).map(() => service.deleteSession(refTo())));
      same(answers.filter(Boolean).length, 1);
    },
  },
  {
    id: 'delete.other-owners',
    sentence: 'does not delete the session of another user or app with the same id',
    contracts: [1, 11],
    async check(service) {
      await createSession(service, refTo('s', 'u1'), { a: 1 });
      assert.equal(await service.deleteSession(refTo('s', 'u2')), false);
      assert.equal(await service.deleteSession(refTo('s', 'u1', 'other')), false);
      same(await stateOf(service, refTo('s', 'u1')), { a: 1 });
    },
  },
  {
    id: 'delete.leaves-shared-state',
    sentence: 'keeps user: and app: state, also after the last session is deleted',
    contracts: [3, 11, 14],
    async check(service) {
      await createSession(service, refTo('s1'), { own: 1, 'user:a': 1, 'app:b': 1 });
      await service.deleteSession(refTo('s1'));
      same(await service.getUserState(refTo()), { 'user:a': 1 });
      same((await service.createSession(refTo('s2'))).state, { 'app:b': 1, 'user:a': 1 });
    },
  },
  {
    id: 'delete.if-last-seq',
    sentence: 'deletes a session only if its lastSeq is ifLastSeq, also for 0',
    contracts: [11],
    async check(service) {
      await createSession(service);
      await append(service, refTo(), eventOf('e1'), eventOf('e2'));
      for (const ifLastSeq of [0, 1, 3])
        assert.equal(
          await service.deleteSession({ ...refTo(), ifLastSeq }),
          false,
          `deleted with ifLastSeq ${ifLastSeq}`,
        );
      same((await read(service)).lastSeq, 2);
      assert.equal(await service.deleteSession({ ...refTo(), ifLastSeq: 2 }), true);
      await createSession(service);
      assert.equal(await service.deleteSession({ ...refTo(), ifLastSeq: 0 }), true);
      await rejectsWith('INVALID_INPUT', service.deleteSession({ ...refTo(), ifLastSeq: -1 }));
    },
  },
  {
    id: 'delete.created-again',
    sentence: 'creates a deleted session again with a new incarnation, seq from 1 and no old data',
    contracts: [7, 8, 11],
    async check(service) {
      const before = await service.createSession({ ...refTo(), state: { old: 1 } });
      await append(service, refTo(), stateEvent('e1', { a: 1 }), eventOf('e2'));
      await service.deleteSession(refTo());
      const after = await service.createSession(refTo());
      assert.notEqual(after.incarnation, before.incarnation);
      same([after.state, after.events, after.lastSeq], [{}, [], 0]);
      const [stored] = await append(service, refTo(), stateEvent('e1', { a: 2 }));
      same([stored!.seq, await stateOf(service), idsOf((await read(service)).events)], [1, { a: 2 }, ['e1']]);
    },
  },
  {
    id: 'delete.among-appends',
    sentence: 'stores each concurrent append before the deletion, or throws SESSION_NOT_FOUND',
    contracts: [7, 11],
    async check(service) {
      await createSession(service);
      const appends = numbers(20).map((n) => service.appendEvent({ session: refTo(), event: eventOf(`e${n}`) }));
      const deleting = service.deleteSession(refTo());
      const more = numbers(20).map((n) => service.appendEvent({ session: refTo(), event: eventOf(`f${n}`) }));
      for (const result of await Promise.allSettled([...appends, ...more])) {
        if (result.status === 'rejected') assert.equal((result.reason as { code?: string }).code, 'SESSION_NOT_FOUND');
      }
      assert.equal(await deleting, true);
      same(await service.getSession(refTo()), undefined);
      same((await service.createSession(refTo())).events, []);
    },
  },
];

async function listIds(service: SessionService, p: Partial<ListSessionsRequest>): Promise<string[]> {
  return (await service.listSessions({ appName: 'app', ...p })).sessions.map((session) => session.id);
}
