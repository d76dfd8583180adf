import assert from 'node:assert/strict';
import { textOf } from '@thole/core';
import type { MemoryService } from '@thole/core';
import type { Case } from '../case.ts';
import { alice, entry, searchTexts, textEvent, search, sessionWith, talk } from './memory-fixture.ts';

/** Search results and their order. */
export const memoryRankingCases: readonly Case<MemoryService>[] = [
  {
    id: 'search.ranked',
    sentence: 'returns the best match first, with decreasing scores',
    contracts: [32],
    needs: ['turns'],
    async check(memory) {
      await memory.addSessionToMemory(talk);
      const memories = await search(memory, 'pizza with olives by the pool');
      assert.ok(memories.length >= 3, `expected at least 3 results, got ${memories.length}`);
      assert.equal(memories[0]!.eventId, 'e1');
      const scores = memories.map((one) => one.score!);
      assert.ok(
        scores.every((score) => Number.isFinite(score)),
        'each score must be a finite number',
      );
      assert.deepEqual(
        scores,
        [...scores].sort((a, b) => b - a),
      );
    },
  },
  {
    id: 'search.rare-first',
    sentence: 'prefers a turn with the rare word of a query to turns with its common word',
    contracts: [32],
    needs: ['words'],
    async check(memory) {
      const rooms = Array.from({ length: 20 }, (_, i) => textEvent('user', i, `The room number ${i} was nice.`));
      await memory.addSessionToMemory(
        sessionWith([...rooms, textEvent('user', 30, 'Breakfast in the room with marmalade was nice.')]),
      );
      assert.equal(
        (await searchTexts(memory, 'nice room marmalade'))[0],
        'Breakfast in the room with marmalade was nice.',
      );
    },
  },
  {
    id: 'search.all-before-some',
    sentence: 'prefers a turn with all words of a query to a turn with some',
    contracts: [32],
    needs: ['turn-ranking'],
    async check(memory) {
      const turns = ['We saw a sunset.', 'The boat was slow.', 'A sunset from the boat.'].map((text, i) =>
        textEvent('user', i, text),
      );
      await memory.addSessionToMemory(sessionWith(turns));
      assert.equal((await searchTexts(memory, 'sunset boat'))[0], 'A sunset from the boat.');
    },
  },
  {
    id: 'search.equals-newer-first',
    sentence: 'prefers the newer of equal turns, in a stable order',
    contracts: [32],
    needs: ['turns'],
    async check(memory) {
      for (const id of [3, 1, 2])
        await memory.addSessionToMemory(
          sessionWith([textEvent('user', id, 'The same words again.')], { id: `s${id}` }),
        );
      for (let i = 0; i < 3; i++)
        assert.deepEqual(
          (await search(memory, 'same words')).map((one) => one.eventId),
          ['e3', 'e2', 'e1'],
        );
    },
  },
  {
    id: 'search.no-hit',
    sentence: 'returns nothing if no word matches',
    contracts: [32],
    needs: ['words'],
    async check(memory) {
      await memory.addSessionToMemory(talk);
      assert.deepEqual(await searchTexts(memory, 'helicopter'), []);
      assert.deepEqual(await searchTexts(memory, '?!'), []);
    },
  },
  {
    id: 'search.empty-query',
    sentence: 'returns nothing for an empty or blank query',
    contracts: [32],
    async check(memory) {
      await memory.addSessionToMemory(talk);
      for (const query of ['', ' ', '\n\t']) assert.deepEqual(await searchTexts(memory, query), []);
    },
  },
  {
    id: 'search.punctuation',
    sentence: 'ignores punctuation, spaces and case: "  PIZZA?!" finds pizza',
    contracts: [32],
    async check(memory) {
      await memory.addSessionToMemory(talk);
      for (const query of ['pizza?', '  PIZZA?! ', '"pizza"', 'Pizza-Olives']) {
        assert.equal((await searchTexts(memory, query))[0], 'I love pizza with olives.', query);
      }
    },
  },
  {
    id: 'search.stop-words',
    sentence: 'ignores common words in a query that also has a rare word',
    contracts: [32],
    needs: ['words'],
    async check(memory) {
      await addApart(memory, [
        'I love pizza with olives.',
        'Where is the pool?',
        'Was it you who said that you have it?',
      ]);
      assert.deepEqual(await searchTexts(memory, 'where is the pizza that you have?'), ['I love pizza with olives.']);
    },
  },
  {
    id: 'search.only-stop-words',
    sentence: 'finds a text of common words by a query of common words',
    contracts: [32],
    needs: ['words'],
    async check(memory) {
      await addApart(memory, ['To be or not to be?', 'I love pizza.']);
      assert.deepEqual(await searchTexts(memory, 'not to be'), ['To be or not to be?']);
    },
  },
  {
    id: 'search.forms',
    sentence: 'finds other forms of an English word, regular or not',
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
      for (const [query, i] of pairs) assert.deepEqual(await searchTexts(memory, query), [texts[i]], query);
    },
  },
  {
    id: 'search.answer',
    sentence: 'finds the answer next to a matching question, and no distant turns',
    contracts: [32],
    needs: ['words'],
    async check(memory) {
      const small = Array.from({ length: 8 }, (_, i) => textEvent('user', i + 10, `Small talk, part ${i}.`));
      await memory.addSessionToMemory(
        sessionWith([
          textEvent('concierge', 1, 'What do you have for breakfast?'),
          textEvent('user', 2, 'Porridge with honey.'),
          ...small,
        ]),
      );
      const texts = await searchTexts(memory, 'breakfast');
      assert.deepEqual(texts.slice(0, 2).sort(), ['Porridge with honey.', 'What do you have for breakfast?']);
      assert.ok(!texts.includes('Small talk, part 7.'), 'a distant turn must not be a result');
    },
  },
  {
    id: 'search.whose',
    sentence: 'prefers the turn of the person a question is about among equal matches',
    contracts: [32],
    needs: ['words'],
    async check(memory) {
      await memory.addSessionToMemory(sessionWith([textEvent('Ada', 1, 'Chess is my game.')], { id: 's1' }));
      await memory.addSessionToMemory(sessionWith([textEvent('Bob', 2, 'Chess is my game.')], { id: 's2' }));
      for (const [query, author] of [
        ['Does Ada play chess?', 'Ada'],
        ['Does Bob play chess?', 'Bob'],
      ] as const)
        assert.equal((await search(memory, query))[0]!.author, author, query);
    },
  },
  {
    id: 'search.when',
    sentence: 'prefers turns from, or about, the day or month that a query names',
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
        await memory.addSessionToMemory(sessionWith([textEvent('user', i, text, { timestamp })], { id: `s${i}` }));
      }
      assert.equal((await searchTexts(memory, 'picnic in May 2023'))[0], turns[1]![1]);
      assert.equal((await searchTexts(memory, 'the picnic on March 5, 2023'))[0], turns[0]![1]);
      assert.equal((await searchTexts(memory, 'Where was the picnic on 9 August 2023?'))[0], turns[2]![1]);
    },
  },
  {
    id: 'search.when-impossible',
    sentence: 'ignores an entry with an impossible time in searches that name a day',
    contracts: [32],
    needs: ['addMemory', 'words'],
    async check(memory) {
      const times = [Date.parse('2023-05-20T10:00:00Z') / 1000, -1.6e15, -1e300];
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
];

/** Adds each text as a separate session, so that no turn has a neighbour. */
async function addApart(memory: MemoryService, texts: readonly string[]): Promise<void> {
  for (const [i, text] of texts.entries())
    await memory.addSessionToMemory(sessionWith([textEvent('user', i, text)], { id: `apart-${i}` }));
}
