import assert from 'node:assert/strict';
import { TholeError } from '@thole/core';
import type { MemoryFilter, MemoryService } from '@thole/core';
import type { Case } from '../case.ts';
import { alice, entry, searchTexts, longAgo, textEvent, search, sessionWith, talk } from './memory-fixture.ts';

/** Limits and filters of searches, invalid input, and visibility of writes. */
export const memorySearchCases: readonly Case<MemoryService>[] = [
  {
    id: 'search.limit',
    sentence: 'returns the best entries up to the limit',
    contracts: [32],
    async check(memory) {
      await memory.addSessionToMemory(
        sessionWith(Array.from({ length: 12 }, (_, i) => textEvent('user', i, `Pizza number ${i}.`))),
      );
      const all = await searchTexts(memory, 'pizza', { limit: 100 });
      assert.equal(all.length, 12);
      for (const limit of [1, 3, 12, Number.MAX_SAFE_INTEGER])
        assert.deepEqual(await searchTexts(memory, 'pizza', { limit }), all.slice(0, limit));
      assert.deepEqual(await searchTexts(memory, 'pizza', { limit: 0 }), []);
    },
  },
  {
    id: 'search.default-limit',
    sentence: 'returns at most ten entries without a limit',
    contracts: [32],
    async check(memory) {
      await memory.addSessionToMemory(
        sessionWith(Array.from({ length: 30 }, (_, i) => textEvent('user', i, `Pizza number ${i}.`))),
      );
      const { length } = await searchTexts(memory, 'pizza');
      assert.ok(length > 0 && length <= 10, `got ${length} entries`);
    },
  },
  {
    id: 'search.min-score',
    sentence: 'treats minScore as a fraction of the best score',
    contracts: [32],
    needs: ['words'],
    async check(memory) {
      await memory.addSessionToMemory(talk);
      const all = await search(memory, 'pool bar');
      const [best, second] = all.map((one) => one.score!);
      assert.ok(all.length >= 3 && second! < best!, 'expected at least 3 results, with a lower score for the second');
      assert.deepEqual(await search(memory, 'pool bar', { minScore: 0 }), all);
      assert.deepEqual(await search(memory, 'pool bar', { minScore: 1 }), all.slice(0, 1));
      const half = second! / best!;
      assert.deepEqual(
        await search(memory, 'pool bar', { minScore: half - 0.001 }),
        all.filter((one) => one.score! >= (half - 0.001) * best!),
      );
    },
  },
  {
    id: 'search.cosine-floor',
    sentence: 'treats minScore as a minimum cosine',
    contracts: [32],
    needs: ['cosine'],
    async check(memory) {
      await memory.addSessionToMemory(talk);
      const all = await search(memory, 'I love pizza with olives.');
      assert.ok(Math.abs(all[0]!.score! - 1) < 1e-5, 'the same text has a cosine of 1');
      assert.ok(
        all.every((one) => one.score! <= 1 + 1e-5 && one.score! >= -1 - 1e-5),
        'each score must be from -1 to 1',
      );
      assert.deepEqual(await search(memory, 'I love pizza with olives.', { minScore: 0.99 }), all.slice(0, 1));
    },
  },
  {
    id: 'search.filter',
    sentence: 'filters by author, session and time (from inclusive, to exclusive) together',
    contracts: [32],
    needs: ['turns'],
    async check(memory) {
      await memory.addSessionToMemory(talk);
      await memory.addSessionToMemory(sessionWith([textEvent('user', 6, 'A pool at last.')], { id: 's2' }));
      await expectEvents(memory, 'pool', {}, ['e1', 'e2', 'e3', 'e4', 'e5', 'e6']);
      await expectEvents(memory, 'pool', { author: 'user' }, ['e1', 'e3', 'e5', 'e6']);
      await expectEvents(memory, 'pool', { author: 'use' }, []);
      await expectEvents(memory, 'pool', { sessionId: 's2' }, ['e6']);
      await expectEvents(memory, 'pool', { from: longAgo + 3 * 60, to: longAgo + 5 * 60 }, ['e3', 'e4']);
      await expectEvents(memory, 'pool', { from: longAgo + 3 * 60, author: 'concierge', kinds: ['turn'] }, ['e4']);
      await expectEvents(memory, 'pool', { kinds: ['fact'] }, []);
    },
  },
  {
    id: 'search.filter-before-limit',
    sentence: 'applies a filter before the limit',
    contracts: [32],
    needs: ['turns'],
    async check(memory) {
      const others = Array.from({ length: 20 }, (_, i) => textEvent('concierge', i, 'Pizza pizza pizza.'));
      await memory.addSessionToMemory(sessionWith([...others, textEvent('user', 30, 'I had pizza once.')]));
      assert.deepEqual(await searchTexts(memory, 'pizza', { limit: 1, filter: { author: 'user' } }), [
        'I had pizza once.',
      ]);
    },
  },
  {
    id: 'search.filter-added',
    sentence: 'filters by kind, metadata and the time at which a fact is valid',
    contracts: [32, 33],
    needs: ['addMemory'],
    async check(memory) {
      await memory.addMemory!({
        ...alice,
        memories: [
          entry('Lives in Bonn.', {
            kind: 'fact',
            validFrom: 100,
            validTo: 200,
            customMetadata: { topic: 'home', checked: true },
          }),
          entry('Lives in Rome.', { kind: 'fact', validFrom: 200, customMetadata: { topic: 'home' } }),
          entry('Lives for opera.', { customMetadata: { topic: 'music' } }),
        ],
      });
      const of = async (filter: MemoryFilter): Promise<string[]> =>
        (await searchTexts(memory, 'lives', { filter })).sort();
      assert.deepEqual(await of({ kinds: ['note'] }), ['Lives for opera.']);
      assert.deepEqual(await of({ kinds: ['fact', 'turn'] }), ['Lives in Bonn.', 'Lives in Rome.']);
      assert.deepEqual(await of({ validAt: 199 }), ['Lives in Bonn.']);
      assert.deepEqual(await of({ validAt: 200 }), ['Lives in Rome.']);
      assert.deepEqual(await of({ validAt: 99 }), []);
      assert.deepEqual(await of({ metadata: { topic: 'home' } }), ['Lives in Bonn.', 'Lives in Rome.']);
      assert.deepEqual(await of({ metadata: { topic: 'home', checked: true } }), ['Lives in Bonn.']);
      assert.deepEqual(await of({ metadata: { constructor: 'home' } }), []);
    },
  },
  {
    id: 'search.bad-input',
    sentence: 'rejects a query, limit, filter, minScore or session of the wrong type',
    contracts: [32],
    async check(memory) {
      const bad: readonly object[] = [
        { query: 7 },
        { query: undefined },
        { query: null },
        { limit: -1 },
        { limit: 1.5 },
        { limit: '3' },
        { minScore: NaN },
        { minScore: '1' },
        { filter: 'pizza' },
        { filter: { kinds: 'fact' } },
        { filter: { kinds: ['dream'] } },
        { filter: { from: '2024' } },
        { filter: { to: NaN } },
        { filter: { author: 7 } },
        { filter: { sessionId: '' } },
        { filter: { metadata: [] } },
      ];
      for (const more of bad) {
        const call = memory.searchMemory({ ...alice, query: 'pizza', ...more });
        await assert.rejects(call, (error) => TholeError.is(error, 'INVALID_INPUT'), JSON.stringify(more));
      }
      for (const session of [
        undefined,
        'talk',
        { ...talk, events: undefined },
        { ...talk, events: ['pizza'] },
      ] as never[]) {
        await assert.rejects(memory.addSessionToMemory(session), (error) => TholeError.is(error, 'INVALID_INPUT'));
      }
    },
  },
  {
    id: 'search.aborted',
    sentence: 'throws the reason without any effect if the signal is aborted already',
    contracts: [32],
    async check(memory) {
      const reason = new Error('enough');
      const signal = AbortSignal.abort(reason);
      await assert.rejects(memory.addSessionToMemory(talk, { signal }), (error) => error === reason);
      await assert.rejects(search(memory, 'pool', { signal }), (error) => error === reason);
      assert.deepEqual(await searchTexts(memory, 'pool'), []);
    },
  },
  {
    id: 'search.other-process',
    sentence: 'applies changes and deletions of another process in the next search',
    contracts: [32],
    needs: ['shared', 'addMemory', 'updateMemory', 'deleteMemory'],
    async check(memory, t) {
      const other = await t.reopen!();
      await memory.addSessionToMemory(talk);
      assert.equal((await searchTexts(other, 'pizza'))[0], 'I love pizza with olives.');
      await other.addMemory!({ ...alice, memories: [entry('Allergic to kiwi.', { id: 'n1' })] });
      assert.equal((await searchTexts(memory, 'kiwi'))[0], 'Allergic to kiwi.');
      await other.updateMemory!({
        ...alice,
        id: 'n1',
        change: { content: { parts: [{ text: 'Allergic to mango.' }] } },
      });
      assert.equal((await searchTexts(memory, 'mango'))[0], 'Allergic to mango.');
      assert.ok(
        !(await searchTexts(memory, 'kiwi')).includes('Allergic to kiwi.'),
        'a text that another instance replaced or deleted must not be found',
      );
      await memory.deleteMemory!({ ...alice, ids: ['n1'] });
      assert.ok(
        !(await searchTexts(other, 'mango')).includes('Allergic to mango.'),
        'a text that another instance replaced or deleted must not be found',
      );
    },
  },
];

async function expectEvents(
  memory: MemoryService,
  query: string,
  filter: MemoryFilter,
  expected: string[],
): Promise<void> {
  const words = `${query} pizza garden sauna`;
  assert.deepEqual(
    (await search(memory, words, { filter, limit: 50 })).map((one) => one.eventId!).sort(),
    expected,
    JSON.stringify(filter),
  );
}
