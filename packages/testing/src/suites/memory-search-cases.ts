import assert from 'node:assert/strict';
import { textOf, TholeError } from '@thole/core';
import type { MemoryFilter, MemoryService } from '@thole/core';
import type { Case } from '../case.ts';
import { alice, entry, found, longAgo, said, search, sessionWith } from './memory-fixture.ts';

const talk = sessionWith([
  said('user', 1, 'I love pizza with olives.'),
  said('concierge', 2, 'We have a garden and a pool.'),
  said('user', 3, 'Where is the pool?'),
  said('concierge', 4, 'The pool is on the roof, beside the pool bar.'),
  said('user', 5, 'Was it you who said that there is a sauna?'),
]);

/** What is found, in which order, and what is not. */
export const memorySearchCases: readonly Case<MemoryService>[] = [
  {
    id: 'search.ranked',
    sentence: 'what fits best comes first, each with a score that falls',
    contracts: [32],
    async check(memory) {
      await memory.addSessionToMemory(talk);
      const memories = await search(memory, 'pizza with olives by the pool');
      assert.ok(memories.length >= 3);
      assert.equal(memories[0]!.eventId, 'e1');
      const scores = memories.map((one) => one.score!);
      assert.ok(scores.every((score) => Number.isFinite(score)));
      assert.deepEqual(
        scores,
        [...scores].sort((a, b) => b - a),
      );
    },
  },
  {
    id: 'search.rare-first',
    sentence: 'a turn with the rare word of a query stands before those with its common one',
    contracts: [32],
    needs: ['words'],
    async check(memory) {
      const rooms = Array.from({ length: 20 }, (_, i) => said('user', i, `The room number ${i} was nice.`));
      await memory.addSessionToMemory(
        sessionWith([...rooms, said('user', 30, 'Breakfast in the room with marmalade was nice.')]),
      );
      assert.equal((await found(memory, 'nice room marmalade'))[0], 'Breakfast in the room with marmalade was nice.');
    },
  },
  {
    id: 'search.all-before-some',
    sentence: 'a turn with all words of a query stands before one with some of them',
    contracts: [32],
    async check(memory) {
      const turns = ['We saw a sunset.', 'The boat was slow.', 'A sunset from the boat.'].map((text, i) =>
        said('user', i, text),
      );
      await memory.addSessionToMemory(sessionWith(turns));
      assert.equal((await found(memory, 'sunset boat'))[0], 'A sunset from the boat.');
    },
  },
  {
    id: 'search.equals-newer-first',
    sentence: 'of equal turns the newer stands first, and the order is the same each time',
    contracts: [32],
    async check(memory) {
      for (const id of [3, 1, 2])
        await memory.addSessionToMemory(sessionWith([said('user', id, 'The same words again.')], { id: `s${id}` }));
      for (let i = 0; i < 3; i++)
        assert.deepEqual(
          (await search(memory, 'same words')).map((one) => one.eventId),
          ['e3', 'e2', 'e1'],
        );
    },
  },
  {
    id: 'search.no-hit',
    sentence: 'where no word fits, nothing is found',
    contracts: [32],
    needs: ['words'],
    async check(memory) {
      await memory.addSessionToMemory(talk);
      assert.deepEqual(await found(memory, 'helicopter'), []);
      assert.deepEqual(await found(memory, '?!'), []);
    },
  },
  {
    id: 'search.empty-query',
    sentence: 'an empty or blank query finds nothing',
    contracts: [32],
    async check(memory) {
      await memory.addSessionToMemory(talk);
      for (const query of ['', ' ', '\n\t']) assert.deepEqual(await found(memory, query), []);
    },
  },
  {
    id: 'search.punctuation',
    sentence: 'punctuation, spaces and case are no part of a word: "  PIZZA?!" finds pizza',
    contracts: [32],
    async check(memory) {
      await memory.addSessionToMemory(talk);
      for (const query of ['pizza?', '  PIZZA?! ', '"pizza"', 'Pizza-Olives']) {
        assert.equal((await found(memory, query))[0], 'I love pizza with olives.', query);
      }
    },
  },
  {
    id: 'search.stop-words',
    sentence: 'words that stand everywhere find nothing by themselves beside a word that tells',
    contracts: [32],
    needs: ['words'],
    async check(memory) {
      await addApart(memory, [
        'I love pizza with olives.',
        'Where is the pool?',
        'Was it you who said that you have it?',
      ]);
      assert.deepEqual(await found(memory, 'where is the pizza that you have?'), ['I love pizza with olives.']);
    },
  },
  {
    id: 'search.only-stop-words',
    sentence: 'a query and a text of nothing but such words still find each other',
    contracts: [32],
    needs: ['words'],
    async check(memory) {
      await addApart(memory, ['To be or not to be?', 'I love pizza.']);
      assert.deepEqual(await found(memory, 'not to be'), ['To be or not to be?']);
    },
  },
  {
    id: 'search.forms',
    sentence: 'an English word finds its other forms, regular or not',
    contracts: [32],
    needs: ['words'],
    async check(memory) {
      const texts = ['We went hiking in the hills.', 'The children were asleep.', 'He bought two tickets.'];
      await addApart(memory, texts);
      const pairs = [
        ['hike', 0],
        ['going', 0],
        ['child', 1],
        ['buys a ticket', 2],
      ] as const;
      for (const [query, i] of pairs) assert.deepEqual(await found(memory, query), [texts[i]], query);
    },
  },
  {
    id: 'search.answer',
    sentence: 'the answer to a question that fits is found with it, and turns far from any that fits are not',
    contracts: [32],
    needs: ['words'],
    async check(memory) {
      const small = Array.from({ length: 8 }, (_, i) => said('user', i + 10, `Small talk, part ${i}.`));
      await memory.addSessionToMemory(
        sessionWith([
          said('concierge', 1, 'What do you have for breakfast?'),
          said('user', 2, 'Porridge with honey.'),
          ...small,
        ]),
      );
      const texts = await found(memory, 'breakfast');
      assert.deepEqual(texts.slice(0, 2).sort(), ['Porridge with honey.', 'What do you have for breakfast?']);
      assert.ok(!texts.includes('Small talk, part 7.'));
    },
  },
  {
    id: 'search.whose',
    sentence: 'of two turns that fit alike the one by whom the question is about stands first',
    contracts: [32],
    needs: ['words'],
    async check(memory) {
      await memory.addSessionToMemory(sessionWith([said('Ada', 1, 'Chess is my game.')], { id: 's1' }));
      await memory.addSessionToMemory(sessionWith([said('Bob', 2, 'Chess is my game.')], { id: 's2' }));
      for (const [query, author] of [
        ['Does Ada play chess?', 'Ada'],
        ['Does Bob play chess?', 'Bob'],
      ] as const)
        assert.equal((await search(memory, query))[0]!.author, author, query);
    },
  },
  {
    id: 'search.when',
    sentence: 'a query that names a day or a month puts first what was said then, or tells of then',
    contracts: [32],
    needs: ['words'],
    async check(memory) {
      const at = (date: string): number => Date.parse(date) / 1000;
      const turns: readonly (readonly [string, string])[] = [
        ['2023-03-04T10:00:00Z', 'We had a picnic in the park.'],
        ['2023-05-20T10:00:00Z', 'We had a picnic in the wood.'],
        ['2023-08-10T10:00:00Z', 'We had a picnic by the lake yesterday.'],
      ];
      for (const [i, [time, text]] of turns.entries()) {
        const timestamp = at(time);
        await memory.addSessionToMemory(sessionWith([said('user', i, text, { timestamp })], { id: `s${i}` }));
      }
      assert.equal((await found(memory, 'picnic in May 2023'))[0], turns[1]![1]);
      assert.equal((await found(memory, 'the picnic on March 5, 2023'))[0], turns[0]![1]);
      assert.equal((await found(memory, 'Where was the picnic on 9 August 2023?'))[0], turns[2]![1]);
    },
  },
  {
    id: 'search.when-impossible',
    sentence: 'an entry whose time is in no calendar spoils no search that names a day',
    contracts: [32],
    needs: ['addMemory', 'words'],
    async check(memory) {
      const times = [Date.parse('2023-05-20T10:00:00Z') / 1000, Date.parse('2023-05-20') * 1000, -1e300, 1e300];
      await memory.addMemory!({
        ...alice,
        memories: times.map((timestamp, i) =>
          entry(`Picnic ${i}: we came yesterday, after the rain of May.`, { timestamp, sessionId: `s${i}` }),
        ),
      });
      for (const query of ['picnic in May 2023', 'picnic in May', 'picnic on May 19']) {
        const memories = await search(memory, query, { explain: true });
        assert.equal(memories.length, times.length, query);
        assert.equal(textOf(memories[0]!.content), 'Picnic 0: we came yesterday, after the rain of May.', query);
      }
    },
  },
  {
    id: 'search.limit',
    sentence: 'no more is found than was asked for, and it is the best',
    contracts: [32],
    async check(memory) {
      await memory.addSessionToMemory(
        sessionWith(Array.from({ length: 12 }, (_, i) => said('user', i, `Pizza number ${i}.`))),
      );
      const all = await found(memory, 'pizza', { limit: 100 });
      assert.equal(all.length, 12);
      for (const limit of [1, 3, 12, Number.MAX_SAFE_INTEGER])
        assert.deepEqual(await found(memory, 'pizza', { limit }), all.slice(0, limit));
      assert.deepEqual(await found(memory, 'pizza', { limit: 0 }), []);
    },
  },
  {
    id: 'search.default-limit',
    sentence: 'a search without a limit answers at most ten',
    contracts: [32],
    async check(memory) {
      await memory.addSessionToMemory(
        sessionWith(Array.from({ length: 30 }, (_, i) => said('user', i, `Pizza number ${i}.`))),
      );
      const { length } = await found(memory, 'pizza');
      assert.ok(length > 0 && length <= 10, `${length} answers`);
    },
  },
  {
    id: 'search.min-score',
    sentence: 'minScore is the fraction of the best score that an answer must reach',
    contracts: [32],
    needs: ['words'],
    async check(memory) {
      await memory.addSessionToMemory(talk);
      const all = await search(memory, 'pool bar');
      const [best, second] = all.map((one) => one.score!);
      assert.ok(all.length >= 3 && second! < best!);
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
    sentence: 'minScore is the least cosine that an answer may have',
    contracts: [32],
    needs: ['cosine'],
    async check(memory) {
      await memory.addSessionToMemory(talk);
      const all = await search(memory, 'I love pizza with olives.');
      assert.ok(Math.abs(all[0]!.score! - 1) < 1e-5, 'the same text has a cosine of 1');
      assert.ok(all.every((one) => one.score! <= 1 + 1e-5 && one.score! >= -1 - 1e-5));
      assert.deepEqual(await search(memory, 'I love pizza with olives.', { minScore: 0.99 }), all.slice(0, 1));
    },
  },
  {
    id: 'search.filter',
    sentence: 'author, session and time narrow a search: from is inclusive, to is not, and all must hold',
    contracts: [32],
    async check(memory) {
      await memory.addSessionToMemory(talk);
      await memory.addSessionToMemory(sessionWith([said('user', 6, 'A pool at last.')], { id: 's2' }));
      await eventsFound(memory, 'pool', {}, ['e1', 'e2', 'e3', 'e4', 'e5', 'e6']);
      await eventsFound(memory, 'pool', { author: 'user' }, ['e1', 'e3', 'e5', 'e6']);
      await eventsFound(memory, 'pool', { author: 'use' }, []);
      await eventsFound(memory, 'pool', { sessionId: 's2' }, ['e6']);
      await eventsFound(memory, 'pool', { from: longAgo + 3 * 60, to: longAgo + 5 * 60 }, ['e3', 'e4']);
      await eventsFound(memory, 'pool', { from: longAgo + 3 * 60, author: 'concierge', kinds: ['turn'] }, ['e4']);
      await eventsFound(memory, 'pool', { kinds: ['fact'] }, []);
    },
  },
  {
    id: 'search.filter-before-limit',
    sentence: 'a filter is applied before the limit, so that the best of what passes it is found',
    contracts: [32],
    async check(memory) {
      const others = Array.from({ length: 20 }, (_, i) => said('concierge', i, 'Pizza pizza pizza.'));
      await memory.addSessionToMemory(sessionWith([...others, said('user', 30, 'I had pizza once.')]));
      assert.deepEqual(await found(memory, 'pizza', { limit: 1, filter: { author: 'user' } }), ['I had pizza once.']);
    },
  },
  {
    id: 'search.filter-added',
    sentence: 'kind, metadata and the time for which a fact holds narrow a search',
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
      const of = async (filter: MemoryFilter): Promise<string[]> => (await found(memory, 'lives', { filter })).sort();
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
    sentence: 'a query, limit, filter or minScore of the wrong type is refused, and so is a session that is none',
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
        const asking = memory.searchMemory({ ...alice, query: 'pizza', ...more });
        await assert.rejects(asking, (error) => TholeError.is(error, 'INVALID_INPUT'), JSON.stringify(more));
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
    sentence: 'a call whose signal is aborted already does nothing and throws the reason',
    contracts: [32],
    async check(memory) {
      const reason = new Error('enough');
      const signal = AbortSignal.abort(reason);
      await assert.rejects(memory.addSessionToMemory(talk, { signal }), (error) => error === reason);
      await assert.rejects(search(memory, 'pool', { signal }), (error) => error === reason);
      assert.deepEqual(await found(memory, 'pool'), []);
    },
  },
  {
    id: 'search.other-process',
    sentence: 'what another process adds, changes and deletes is seen by the next search',
    contracts: [32],
    needs: ['shared', 'addMemory', 'updateMemory', 'deleteMemory'],
    async check(memory, t) {
      const other = await t.reopen!();
      await memory.addSessionToMemory(talk);
      assert.equal((await found(other, 'pizza'))[0], 'I love pizza with olives.');
      await other.addMemory!({ ...alice, memories: [entry('Allergic to kiwi.', { id: 'n1' })] });
      assert.equal((await found(memory, 'kiwi'))[0], 'Allergic to kiwi.');
      await other.updateMemory!({
        ...alice,
        id: 'n1',
        change: { content: { parts: [{ text: 'Allergic to mango.' }] } },
      });
      assert.equal((await found(memory, 'mango'))[0], 'Allergic to mango.');
      assert.ok(!(await found(memory, 'kiwi')).includes('Allergic to kiwi.'));
      await memory.deleteMemory!({ ...alice, ids: ['n1'] });
      assert.ok(!(await found(other, 'mango')).includes('Allergic to mango.'));
    },
  },
];

/** Each turn in a session of its own: none is another's neighbour. */
async function addApart(memory: MemoryService, texts: readonly string[]): Promise<void> {
  for (const [i, text] of texts.entries())
    await memory.addSessionToMemory(sessionWith([said('user', i, text)], { id: `apart-${i}` }));
}

async function eventsFound(
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
