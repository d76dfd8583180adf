import assert from 'node:assert/strict';
import type { SessionMarks, SessionRef, SessionStore, WaitingKind, WaitingPage, WaitingRequest } from '@thole/core';
import {
  appendTo,
  askOf,
  expectGranted,
  insertSession,
  leasesOf,
  marksOf,
  expectNotGranted,
} from './lease-store-support.ts';
import type { SessionStoreCase } from './lease-store-support.ts';
import { numbers, refTo, rejectsWith, same } from './session-support.ts';

const START = 1_700_000_000;
const DAY = 24 * 60 * 60;
const idle: SessionMarks = { unfinished: null, wakeAt: null, openInterrupts: 0 };
const kinds: readonly WaitingKind[] = ['unfinished', 'due', 'interrupts'];
/** For each kind, the marks of a session that waits for this kind only. */
const marksFor: { readonly [kind in WaitingKind]: SessionMarks } = {
  unfinished: { ...idle, unfinished: 'i1' },
  due: { ...idle, wakeAt: START - 1 },
  interrupts: { ...idle, openInterrupts: 2 },
};

/** `SessionStore.waiting`: the lists of sessions that wait. */
export const storeWaitingCases: readonly SessionStoreCase[] = [
  {
    id: 'waiting.kinds',
    sentence: 'lists a session under each kind that its marks show, and no other session',
    contracts: [11],
    async check(store) {
      await insertSession(store, refTo('idle'));
      for (const kind of kinds) await insertSession(store, refTo(kind));
      await insertSession(store, refTo('all'));
      for (const kind of kinds) await appendTo(store, 'e1', { marks: marksFor[kind] }, refTo(kind));
      const all = { unfinished: 'i1', wakeAt: START, openInterrupts: 1 };
      await appendTo(store, 'e1', { marks: all }, refTo('all'));
      for (const kind of kinds) same((await idsOf(store, { kind })).toSorted(), ['all', kind].toSorted(), kind);
      await appendTo(store, 'e2', { marks: idle }, refTo('all'));
      for (const kind of kinds) same(await idsOf(store, { kind }), [kind], kind);
    },
  },
  {
    id: 'waiting.members',
    sentence: 'returns key, incarnation, lastSeq, lastUpdateTime and marks of the stored session',
    contracts: [11],
    async check(store) {
      const marks = { unfinished: 'i"1\u00e9', wakeAt: START + 0.125, openInterrupts: 3 };
      const key = refTo('s \u00e9/:{}', "o'u\u65e5", 'app\ud83d\ude42 %');
      await insertSession(store, key, { incarnation: 'first' });
      await appendTo(store, 'e1', { marks }, key);
      const session = { key, incarnation: 'first', lastSeq: 1, lastUpdateTime: START + 100, marks };
      for (const kind of kinds) {
        const { appName, userId } = key;
        for (const request of [{ appName }, { appName, userId }]) {
          const { next, sessions } = await readPage(store, { ...request, kind, before: START + 200 });
          same([sessions, next], [[session], undefined], kind);
        }
      }
    },
  },
  {
    id: 'waiting.inserted',
    sentence: 'lists a session that was inserted with marks',
    contracts: [11],
    async check(store) {
      for (const kind of kinds) await insertSession(store, refTo(kind), { marks: marksFor[kind] });
      for (const kind of kinds) same(await idsOf(store, { kind }), [kind], kind);
    },
  },
  {
    id: 'waiting.user-or-app',
    sentence: 'lists the sessions of one user, or of all users of the app',
    contracts: [1, 11],
    async check(store) {
      for (const key of [refTo('s1', 'u1'), refTo('s2', 'u2'), refTo('s3', 'u1'), refTo('s4', 'u1', 'other')]) {
        for (const kind of kinds)
          await insertSession(store, { ...key, sessionId: `${key.sessionId}-${kind}` }, { marks: marksFor[kind] });
      }
      for (const kind of kinds) {
        const idsOfKind = (...ids: string[]): string[] => ids.map((id) => `${id}-${kind}`);
        same((await idsOf(store, { kind })).toSorted(), idsOfKind('s1', 's2', 's3'));
        same((await idsOf(store, { kind, userId: 'u1' })).toSorted(), idsOfKind('s1', 's3'));
        same(await idsOf(store, { kind, userId: 'none' }), []);
        same(await idsOf(store, { kind, appName: 'other' }), idsOfKind('s4'));
        same(await idsOf(store, { kind, appName: 'none' }), []);
      }
    },
  },
  {
    id: 'waiting.order',
    sentence: 'sorts by wakeAt, or else by lastUpdateTime, also after these times have changed',
    contracts: [11],
    async check(store) {
      for (const [i, id] of ['s3', 's1', 's2'].entries()) {
        const marks = { unfinished: 'i', wakeAt: START - i * 0.25, openInterrupts: 1 };
        await insertSession(store, refTo(id), { lastUpdateTime: START + i * 0.25, marks });
      }
      const lists = async (userId?: string): Promise<string[][]> => {
        return Promise.all(kinds.map((kind) => idsOf(store, { kind, userId })));
      };
      const [older, byWakeAt] = [
        ['s3', 's1', 's2'],
        ['s2', 's1', 's3'],
      ];
      for (const userId of [undefined, 'u']) same(await lists(userId), [older, byWakeAt, older]);
      // An append without marks changes lastUpdateTime, and so the order of the lists.
      await appendTo(store, 'e1', undefined, refTo('s3'));
      await appendTo(store, 'e2', { marks: { wakeAt: START - 9 } }, refTo('s3'));
      const newer = ['s1', 's2', 's3'];
      for (const userId of [undefined, 'u']) same(await lists(userId), [newer, ['s3', 's2', 's1'], newer]);
    },
  },
  {
    id: 'waiting.before',
    sentence: 'returns sessions up to and including `before`; its default for due is the current time',
    contracts: [11, 41],
    async check(store, { runtime }) {
      for (const n of numbers(3)) {
        const marks = { unfinished: 'i', wakeAt: START + n, openInterrupts: 1 };
        await insertSession(store, refTo(`s${n}`), { lastUpdateTime: START + n, marks });
      }
      for (const userId of [undefined, 'u']) {
        for (const kind of kinds) {
          same(await idsOf(store, { kind, userId, before: START }), []);
          same(await idsOf(store, { kind, userId, before: START + 2 }), ['s1', 's2']);
          same(await idsOf(store, { kind, userId, before: START + 2.5 }), ['s1', 's2']);
          same(await idsOf(store, { kind, userId, before: START + 9 }), ['s1', 's2', 's3']);
        }
        for (const kind of ['unfinished', 'interrupts'] as const)
          same(await idsOf(store, { kind, userId }), ['s1', 's2', 's3']);
      }
      same(await idsOf(store, { kind: 'due' }), []);
      await runtime.advance(2_500);
      for (const userId of [undefined, 'u']) same(await idsOf(store, { kind: 'due', userId }), ['s1', 's2']);
    },
  },
  {
    id: 'waiting.pages',
    sentence: 'returns every session once over all pages, also if many have the same time',
    contracts: [11],
    async check(store) {
      const ids = numbers(23).map((n) => `s${n}`);
      for (const [i, id] of ids.entries()) {
        const time = START + Math.floor(i / 9);
        const marks = { unfinished: 'i', wakeAt: time - DAY, openInterrupts: 1 };
        await insertSession(store, refTo(id, `u${i % 2}`), { lastUpdateTime: time, marks });
      }
      for (const kind of kinds) {
        for (const limit of [1, 4, 23, 100]) {
          const pages = await pagesOf(store, { kind, limit });
          same(pages.length, Math.ceil(23 / limit));
          same(pages.flat().toSorted(), ids.toSorted(), `${kind}, ${limit}`);
        }
        const own = await pagesOf(store, { kind, limit: 5, userId: 'u1' });
        same(own.flat().toSorted(), ids.filter((_, i) => i % 2 === 1).toSorted());
      }
    },
  },
  {
    id: 'waiting.cursor',
    sentence: 'continues after the last session of a page, also if this session was deleted',
    contracts: [11],
    async check(store) {
      for (const n of numbers(6)) {
        const marks = { unfinished: 'i', wakeAt: START - 10 + n, openInterrupts: 1 };
        await insertSession(store, refTo(`s${n}`), { lastUpdateTime: START + n, marks });
      }
      for (const userId of [undefined, 'u']) {
        for (const kind of kinds) {
          const first = await readPage(store, { kind, limit: 2, userId });
          await store.remove(refTo('s2'), {});
          await store.remove(refTo('s3'), {});
          same(await idsOf(store, { kind, userId, after: first.next }), ['s4', 's5', 's6'], kind);
          for (const n of [2, 3]) {
            const marks = { unfinished: 'i', wakeAt: START - 10 + n, openInterrupts: 1 };
            const more = { lastUpdateTime: START + n, marks, incarnation: `again ${kind} ${userId}` };
            await insertSession(store, refTo(`s${n}`), more);
          }
        }
      }
    },
  },
  {
    id: 'waiting.bad-cursor',
    sentence: 'throws INVALID_INPUT for a cursor that no page returned',
    contracts: [11, 41],
    async check(store) {
      for (const after of ['', 'x', '[1]', '{}', '["a","b"]', 'null'])
        await rejectsWith('INVALID_INPUT', readPage(store, { kind: 'due', after }), JSON.stringify(after));
    },
  },
  {
    id: 'waiting.many-others',
    sentence: 'lists the few waiting sessions among many others',
    contracts: [11],
    async check(store) {
      for (const n of numbers(60)) await insertSession(store, refTo(`s${n}`));
      for (const n of [7, 30, 55]) await appendTo(store, 'e1', { marks: marksFor.interrupts }, refTo(`s${n}`));
      same((await pagesOf(store, { kind: 'interrupts', limit: 2 })).flat().toSorted(), ['s30', 's55', 's7']);
      same(await idsOf(store, { kind: 'unfinished' }), []);
    },
  },
  {
    id: 'waiting.released',
    sentence: 'lists and removes a session with the marks of a release',
    contracts: [11, 13],
    needs: ['lease'],
    async check(store) {
      const leases = leasesOf(store);
      await insertSession(store);
      await expectGranted(leases, askOf('f1'));
      await appendTo(store, 'e1', { fence: 'f1', marks: { unfinished: 'i1' } });
      same(await idsOf(store, { kind: 'unfinished' }), ['s']);
      await leases.release(refTo(), 'f1', { ifLastSeq: 1, marks: { unfinished: null, openInterrupts: 1, wakeAt: 5 } });
      for (const userId of [undefined, 'u']) {
        const lists = await Promise.all(kinds.map((kind) => idsOf(store, { kind, userId })));
        same(lists, [[], ['s'], ['s']]);
      }
      await expectGranted(leases, askOf('f2'));
      await leases.release(refTo(), 'f2', { marks: idle });
      for (const kind of kinds) same(await idsOf(store, { kind }), []);
    },
  },
  {
    id: 'waiting.take-over',
    sentence: 'keeps the mark of a crashed run under a new lease until a release clears it',
    contracts: [11, 13],
    needs: ['lease'],
    async check(store, { runtime }) {
      const leases = leasesOf(store);
      await insertSession(store);
      await expectGranted(leases, askOf('f1', { ttlMs: 1_000 }));
      await appendTo(store, 'e1', { fence: 'f1', marks: { unfinished: 'i1' } });
      // No process runs for two days.
      await runtime.advance(2 * DAY * 1_000);
      same(await idsOf(store, { kind: 'unfinished', before: START + DAY }), ['s']);
      await expectGranted(leases, askOf('f2'));
      same([await idsOf(store, { kind: 'unfinished' }), (await marksOf(store)).unfinished], [['s'], 'i1']);
      await expectNotGranted(leases, 'busy', askOf('f3', { policy: 'reject' }));
      await appendTo(store, 'e2', { fence: 'f2' });
      same(await idsOf(store, { kind: 'unfinished' }), ['s']);
      await leases.release(refTo(), 'f1', { marks: { unfinished: null } });
      same(await idsOf(store, { kind: 'unfinished' }), ['s'], 'a release without the lease must not change marks');
      await leases.release(refTo(), 'f2', { marks: { unfinished: null } });
      same(await idsOf(store, { kind: 'unfinished' }), []);
    },
  },
  {
    id: 'waiting.lost-lease',
    sentence: 'does not change the lists if an append is rejected',
    contracts: [11, 13],
    needs: ['lease'],
    async check(store) {
      const leases = leasesOf(store);
      await insertSession(store, refTo(), { marks: marksFor.interrupts });
      await expectGranted(leases, askOf('f1'));
      const marks = { unfinished: 'i1', wakeAt: 1, openInterrupts: 0 };
      await rejectsWith('LEASE_LOST', appendTo(store, 'e1', { fence: 'f0', marks }));
      await rejectsWith('NOT_RUNNING', appendTo(store, 'e1', { ifHeldBy: 'i9', marks }));
      await rejectsWith('SESSION_NOT_FOUND', appendTo(store, 'e1', { incarnation: 'other', marks }));
      await leases.release(refTo(), 'f0', { marks });
      await leases.release(refTo(), 'f1', { ifLastSeq: 7, marks });
      same(await Promise.all(kinds.map((kind) => idsOf(store, { kind }))), [[], [], ['s']]);
    },
  },
  {
    id: 'waiting.removed',
    sentence: 'removes deleted sessions from the lists, also those of a deleted user',
    contracts: [11, 12],
    async check(store) {
      const marks = { unfinished: 'i', wakeAt: 1, openInterrupts: 1 };
      const keys = [refTo('s1'), refTo('s2'), refTo('s3'), refTo('s4', 'other')];
      for (const key of keys) await insertSession(store, key, { marks });
      const lists = async (userId?: string): Promise<string[][]> =>
        Promise.all(kinds.map(async (kind) => (await idsOf(store, { kind, userId })).toSorted()));
      await store.remove(refTo('s1'), {});
      for (const list of await lists()) same(list, ['s2', 's3', 's4']);
      for (const list of await lists('u')) same(list, ['s2', 's3']);
      await insertSession(store, refTo('s1'), { incarnation: 'second' });
      for (const list of await lists()) same(list, ['s2', 's3', 's4']);
      await store.removeUser({ appName: 'app', userId: 'u' });
      for (const list of await lists()) same(list, ['s4']);
      for (const list of await lists('u')) same(list, []);
      await insertSession(store, refTo('s2'), { incarnation: 'second' });
      for (const list of await lists()) same(list, ['s4']);
    },
  },
  {
    id: 'waiting.if-idle',
    sentence: 'deletes a session with ifIdle only if it has no marks',
    contracts: [11],
    async check(store) {
      for (const kind of kinds) {
        const key = refTo(kind);
        await insertSession(store, key, { marks: marksFor[kind] });
        same(await store.remove(key, { ifIdle: true }), false, kind);
        same(await idsOf(store, { kind }), [kind]);
        await appendTo(store, 'e1', { marks: idle }, key);
        same(await store.remove(key, { ifIdle: true, ifLastSeq: 7 }), false, kind);
        same(await store.remove(key, { ifIdle: true, ifLastSeq: 1 }), true, kind);
        same(await store.remove(key, { ifIdle: true }), false, kind);
      }
      await insertSession(store, refTo(), { marks: marksFor.interrupts });
      same(await store.remove(refTo(), { ifIdle: false }), true);
    },
  },
];

/** Returns a page of waiting sessions. Default of `appName`: `app`. */
async function readPage(
  store: SessionStore,
  request: Omit<WaitingRequest, 'appName'> & { appName?: string },
): Promise<WaitingPage> {
  const waiting = store.waiting?.bind(store);
  assert.ok(
    waiting,
    'the store has no method waiting, which recover() needs. Add it, or list the ids of these cases as pending',
  );
  return waiting({ appName: 'app', ...request });
}

/** Returns the ids of the sessions on a page of up to 100. */
async function idsOf(store: SessionStore, request: Parameters<typeof readPage>[1]): Promise<string[]> {
  const { sessions, next } = await readPage(store, request);
  assert.equal(next, undefined, 'the page must be the last');
  return sessions.map(({ key }) => key.sessionId);
}

/** Returns the ids on all pages. */
async function pagesOf(store: SessionStore, request: Parameters<typeof readPage>[1]): Promise<string[][]> {
  const pages: string[][] = [];
  const keys = new Set<string>();
  for (let after: string | undefined; ;) {
    const { sessions, next } = await readPage(store, { ...request, after });
    pages.push(sessions.map(({ key }: { key: SessionRef }) => key.sessionId));
    for (const { key } of sessions) keys.add(JSON.stringify(key));
    assert.equal(keys.size, pages.flat().length, 'no session may be on two pages');
    if (next === undefined) return pages;
    assert.ok(sessions.length > 0, 'a page with a next page must not be empty');
    after = next;
  }
}
