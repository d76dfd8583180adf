import assert from 'node:assert/strict';
import { textOf } from '@thole/core';
import type { MemoryScope } from '@thole/core';
import { alice, ids, listAll, log, nextCursor, note, segmentedOf, texts } from './memory-store-support.ts';
import type { MemoryStoreCase } from './memory-store-support.ts';

// Any way of joining app and user into one key makes two of these equal.
const SCOPES: readonly MemoryScope[] = (
  [
    ['a', 'b/c'],
    ['a/b', 'c'],
    ['a', 'b:c'],
    ['a:b', 'c'],
    ['a', 'b|c'],
    ['a|b', 'c'],
    ['a', 'b%7Cc'],
    ['a%7Cb', 'c'],
    ['a', 'b","c'],
    ['a","b', 'c'],
    ['a', 'b'],
    ['a', 'bc'],
    ['ab', 'c'],
    ['a', 'B'],
    ['A', 'b'],
    ['a', 'b '],
    ['a ', 'b'],
    ['a', '*'],
    ['*', 'b'],
    ['a', '{b}'],
    ['{a}', 'b'],
    ['a', '%'],
    ['a', '_'],
    ['a', 'é'],
    ['a', 'e\u0301'],
    ['a', '__proto__'],
    ['__proto__', 'b'],
    ['a', 'b}:m'],
    ['a', 'b:m'],
    ['b', 'a'],
    ['x'.repeat(512), 'b'],
    ['a', 'ü'.repeat(256)],
  ] as const
).map(([appName, userId]) => ({ appName, userId }));

const IDS: readonly string[] = [
  ...[
    'a',
    'A',
    'a ',
    ' a',
    'a\0',
    '\0',
    'a\n',
    'a\nb',
    '"a"',
    'a"',
    '["a","b"]',
    '["a","b"',
    'é',
    'e\u0301',
    '\ud800',
    '\udfff',
  ],
  ...[
    '\ud800\ud800',
    '💡',
    '__proto__',
    'constructor',
    'v',
    'seq',
    '1',
    '01',
    '%61',
    '*',
    '?',
    '_',
    "'",
    '\\',
    '\\u0061',
  ],
  ...['x'.repeat(10_000), `${'x'.repeat(10_000)}y`, '#', 'toString', 'ß', 'ss', 'ſ', 'a'.repeat(71), 'a'.repeat(70)],
];

/** Names stay distinct, and texts are returned unchanged. */
export const memoryStoreNameCases: readonly MemoryStoreCase[] = [
  {
    id: 'names.scopes',
    sentence: 'isolates users and apps in every method, for any names',
    contracts: [1, 30],
    async check(store) {
      for (const [i, scope] of SCOPES.entries()) {
        const entries = [note('same', { text: `text ${i}`, sessionId: 's' }), note(`own ${i}`)];
        assert.deepEqual(await store.put(scope, entries, 'ifAbsent'), { written: ['same', `own ${i}`], seq: 2 });
      }
      for (const [i, scope] of SCOPES.entries()) {
        assert.deepEqual(await texts(store, scope), [`text ${i}`, `own ${i}`]);
        assert.deepEqual(await log(store, scope), ['1 same', `2 own ${i}`]);
        assert.equal((await store.get(scope, ['same', `own ${i + 1}`])).length, 1);
      }
      for (const [i, scope] of SCOPES.entries()) {
        const removed = [store.remove(scope, { sessionId: 's' }, 0), store.remove(scope, 'everything', 10)];
        assert.equal(
          (await Promise.all(removed)).reduce((sum, each) => sum + each, 0),
          2,
        );
        for (const [j, other] of SCOPES.entries()) {
          if (j === i + 1) assert.deepEqual(await texts(store, other), [`text ${j}`, `own ${j}`]);
          if (j <= i) assert.deepEqual(await ids(store, other), []);
        }
      }
    },
  },
  {
    id: 'names.segments',
    sentence: 'keeps segments of users apart, also when entries are removed',
    contracts: [1, 30],
    needs: ['segmented'],
    async check(store) {
      const segmented = segmentedOf(store);
      for (const [i, scope] of SCOPES.entries()) {
        await store.put(scope, [note('a')], 'ifAbsent');
        const segment = { analyzer: 'x', upTo: 1, bytes: Uint8Array.of(i) };
        assert.equal(await segmented.saveSegment(scope, segment, { ifRemovals: 0 }), true);
      }
      for (const [i, scope] of SCOPES.entries()) {
        const [found, ...more] = await segmented.loadSegments(scope);
        assert.deepEqual([Array.from(found!.bytes), more], [[i], []]);
        await store.remove(scope, 'everything', 0);
        assert.deepEqual(await segmented.loadSegments(scope), []);
      }
    },
  },
  {
    id: 'names.users',
    sentence: 'lists each user of an app once, page by page, also users whose entries are deleted',
    contracts: [1, 30],
    needs: ['users'],
    async check(store) {
      const usersOf = async (appName: string, limit: number): Promise<string[]> => {
        const found: string[] = [];
        for (let cursor: string | undefined; ;) {
          const { userIds, next } = await store.abilities.users!.listUsers(appName, { limit, cursor });
          assert.ok(userIds.length <= limit, `expected at most ${limit} users on a page, got ${userIds.length}`);
          found.push(...userIds);
          if (next === undefined) return found;
          cursor = nextCursor(next, cursor);
        }
      };
      assert.deepEqual(await usersOf('a', 10), []);
      for (const scope of SCOPES) await store.put(scope, [note('x'), note('y')], 'ifAbsent');
      for (const scope of SCOPES.slice(0, 9)) await store.remove(scope, 'everything', 10);
      const apps = Map.groupBy(SCOPES, ({ appName }) => appName);
      for (const [appName, scopes] of apps) {
        const users = scopes.map(({ userId }) => userId).sort();
        for (const limit of [1, 7, users.length, 1000])
          assert.deepEqual(
            (await usersOf(appName, limit)).sort(),
            users,
            `users of ${appName.slice(0, 20)} by ${limit}`,
          );
      }
      assert.deepEqual(await usersOf('unknown', 10), []);
    },
  },
  {
    id: 'names.ids',
    sentence: 'keeps ids apart that differ in any character and returns them unchanged',
    contracts: [1, 33],
    async check(store) {
      const { written } = await store.put(
        alice,
        IDS.map((id, i) => note(id, { text: `text ${i}` })),
        'ifAbsent',
      );
      assert.deepEqual(written, IDS);
      assert.deepEqual(await ids(store), IDS);
      const found = await store.get(alice, IDS);
      assert.deepEqual(
        found.map(({ entry }) => textOf(entry.content)),
        IDS.map((_, i) => `text ${i}`),
      );
      for (const [i, id] of IDS.entries()) {
        assert.equal(await store.remove(alice, { ids: [id] }, 0), 1);
        assert.equal((await listAll(store)).length, IDS.length - i - 1);
      }
      assert.deepEqual(
        (await log(store)).map((line) => line.slice(line.indexOf(' ') + 2)),
        IDS,
      );
    },
  },
  {
    id: 'texts.odd',
    sentence: 'returns NUL, lone surrogates and all other characters of a string unchanged',
    contracts: [5, 33],
    async check(store) {
      const odd = ['\0', 'a\0b', '\ud800', 'x\udc00y', '\u2028', '\ufeff', '\\u0000', '💡', 's', 'b', '', '\r\n', '"'];
      await store.put(
        alice,
        odd.map((text, i) => note(`n${i}`, { text, author: text || 'x', customMetadata: { [text]: text } })),
        'ifAbsent',
      );
      const found = (await listAll(store)).map(({ entry }) => entry);
      assert.deepEqual(
        found,
        odd.map((text, i) => note(`n${i}`, { text, author: text || 'x', customMetadata: { [text]: text } })),
      );
      const { changes } = await store.since(alice, 0, 100);
      assert.deepEqual(
        changes.map((each) => 'entry' in each && each.entry),
        found,
      );
    },
  },
  {
    id: 'texts.large',
    sentence: 'returns texts of millions of characters, several of them in one put and one page',
    contracts: [33],
    async check(store) {
      const large = Array.from({ length: 4 }, (_, i) => note(`n${i}`, { text: `${'wörter '.repeat(200_000)}${i}` }));
      await store.put(alice, large, 'ifAbsent');
      assert.deepEqual(
        (await listAll(store)).map(({ entry }) => entry),
        large,
      );
      assert.equal((await store.since(alice, 0, 100)).changes.length, 4);
    },
  },
];
