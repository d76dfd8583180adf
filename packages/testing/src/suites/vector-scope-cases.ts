import assert from 'node:assert/strict';
import { TholeError } from '@thole/core';
import type { UserRef, VectorStore } from '@thole/core';
import type { Case } from '../case.ts';
import { ada, nearest, nearestIds, row } from './vector-fixture.ts';

// Any code that joins app and user into one name, or uses a name as a pattern, makes two of these equal.
const NAMES: readonly (readonly [string, string])[] = [
  ['a', 'b/c'],
  ['a/b', 'c'],
  ['a', 'b:c'],
  ['a:b', 'c'],
  ['a', 'b%2Fc'],
  ['a', 'b","c'],
  ['a","b', 'c'],
  ['a', 'b'],
  ['a', 'bc'],
  ['ab', 'c'],
  ['a', 'B'],
  ['A', 'b'],
  ['a', 'b '],
  ['a', '*'],
  ['a', '%'],
  ['a', '_'],
  ['a', "b' OR '1'='1"],
  ['a', 'é'],
  ['a', 'e\u0301'],
  ['a', '__proto__'],
  ['__proto__', 'b'],
  ['a', 'x'.repeat(512)],
];
const BAD_NAMES: readonly unknown[] = ['', 'nul\0', 'lone \ud800', 'x'.repeat(513), undefined, 7];
const IDS: readonly string[] = [
  '["s1","e1"]',
  'x'.repeat(2000),
  'x'.repeat(2001),
  "it's",
  'nul\0',
  'nul',
  'lone \ud800',
  'lone \udfff',
  '猫',
  'A',
  'a',
  'a ',
  '__proto__',
];

/** Isolation between users, apps and ids. */
export const vectorScopeCases: readonly Case<VectorStore>[] = [
  {
    id: 'vector.scope',
    sentence: 'isolates the vectors of users and apps in every method',
    contracts: [30],
    async check(store) {
      const others: readonly UserRef[] = [
        { appName: 'hotel', userId: 'bob' },
        { appName: 'airline', userId: 'ada' },
      ];
      await store.upsert(ada, [row('a', [1, 0])]);
      for (const scope of others) {
        assert.deepEqual(await nearest(store, [1, 0], { scope }), []);
        await store.upsert(scope, [row('a', [0, 1])]);
        await store.delete(scope, ['a']);
        await store.upsert(scope, [row('a', [0, 1, 0])]);
        await store.delete(scope, 'everything');
      }
      const [only] = await nearest(store, [1, 0]);
      assert.ok(only?.id === 'a' && only.score > 0.999, 'the vector of this user and app must not change');
    },
  },
  {
    id: 'vector.scope-lookalikes',
    sentence: 'keeps names apart that are prefixes, joins, patterns or encodings of each other',
    contracts: [30],
    async check(store) {
      for (const [i, [appName, userId]] of NAMES.entries())
        await store.upsert({ appName, userId }, [row(`v${i}`, [1, i])]);
      for (const [i, [appName, userId]] of NAMES.entries()) {
        assert.deepEqual(await nearestIds(store, [1, 0], { scope: { appName, userId } }), [`v${i}`]);
      }
      for (const [i, [appName, userId]] of NAMES.entries()) {
        await store.delete({ appName, userId }, 'everything');
        const left = await Promise.all(
          NAMES.map(([app, user]) => nearestIds(store, [1, 0], { scope: { appName: app, userId: user } })),
        );
        assert.equal(left.flat().length, NAMES.length - i - 1, `after the deletion of ${appName}, ${userId}`);
      }
    },
  },
  {
    id: 'vector.ids',
    sentence: 'accepts any text as an id and keeps all ids apart',
    contracts: [30],
    async check(store) {
      await store.upsert(
        ada,
        IDS.map((id, i) => row(id, [1, i])),
      );
      const found = await nearestIds(store, [1, 0], { limit: 100 });
      assert.deepEqual(found, IDS);
      await store.delete(ada, IDS.slice(0, 5));
      assert.deepEqual(await nearestIds(store, [1, 0], { limit: 100 }), IDS.slice(5));
    },
  },
  {
    id: 'vector.bad-names',
    sentence: 'rejects an invalid name in every call',
    contracts: [30],
    async check(store) {
      for (const name of BAD_NAMES as readonly string[]) {
        for (const scope of [
          { ...ada, appName: name },
          { ...ada, userId: name },
        ]) {
          const calls = [
            () => store.upsert(scope, [row('a', [1, 0])]),
            () => nearest(store, [1, 0], { scope }),
            () => store.delete(scope, 'everything'),
            () => store.delete(scope, ['a']),
          ];
          for (const call of calls) await assert.rejects(call, (error) => TholeError.is(error, 'INVALID_INPUT'));
        }
      }
    },
  },
];
