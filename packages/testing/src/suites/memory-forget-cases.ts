import assert from 'node:assert/strict';
import { turnId } from '@thole/core/kit';
import type { MemoryEntry, MemoryService } from '@thole/core';
import type { Case } from '../case.ts';
import { alice, entry, searchTexts, listTexts, textEvent, sessionWith } from './memory-fixture.ts';

const talk = sessionWith([
  textEvent('user', 1, 'I love pizza.'),
  textEvent('concierge', 2, 'Pizza it is.'),
  textEvent('user', 3, 'And a pizza for Bob.'),
]);
const [first, second, third] = ['e1', 'e2', 'e3'].map((id) => turnId('s1', id)) as [string, string, string];

function fact(text: string, evidence: string[]): MemoryEntry {
  return entry(text, { kind: 'fact', evidence });
}

/** Deletions of entries, sessions and users, and later attempts to add the deleted data again. */
export const memoryForgetCases: readonly Case<MemoryService>[] = [
  {
    id: 'forget.entry',
    sentence: 'does not find or list a deleted entry, and returns 0 for a second deletion',
    contracts: [31, 34],
    needs: ['deleteMemory', 'listMemories', 'turns'],
    async check(memory) {
      await memory.addSessionToMemory(talk);
      assert.equal((await searchTexts(memory, 'pizza')).length, 3);
      assert.equal(await memory.deleteMemory!({ ...alice, ids: [first, first, 'nobody'] }), 1);
      assert.equal(await memory.deleteMemory!({ ...alice, ids: [first] }), 0);
      assert.equal(await memory.deleteMemory!({ ...alice, ids: [] }), 0);
      assert.deepEqual((await searchTexts(memory, 'pizza')).sort(), ['And a pizza for Bob.', 'Pizza it is.']);
      assert.deepEqual(await listTexts(memory), ['Pizza it is.', 'And a pizza for Bob.']);
    },
  },
  {
    id: 'forget.same',
    sentence: 'finds entries with the same statement as a fact, except its versions and their evidence',
    contracts: [34],
    needs: ['findSameMemories', 'addMemory'],
    async check(memory) {
      await memory.addSessionToMemory(sessionWith([textEvent('user', 1, 'The dog of Alice is called Rex.')]));
      await memory.addMemory!({
        ...alice,
        memories: [
          { ...fact('The dog of Alice is called Rex.', [first]), id: 'f' },
          { ...fact('Alice walked in Prague.', []), id: 'old', validTo: 1, supersededBy: 'f' },
          entry('Rex is the dog of Alice.', { id: 'n1' }),
          entry('The cat of Bob sleeps all day.', { id: 'n2' }),
          entry('In Prague Alice walked.', { id: 'n3' }),
        ],
      });
      const same = async (ids: string[]): Promise<string[]> =>
        (await memory.findSameMemories!({ ...alice, ids })).map(({ id }) => id);
      assert.deepEqual((await same(['f'])).toSorted(), ['n1', 'n3']);
      assert.deepEqual((await same(['old'])).toSorted(), ['n1', 'n3']);
      assert.deepEqual(await same(['n2']), []);
      assert.deepEqual(await same(['nobody']), []);
      assert.deepEqual(await memory.findSameMemories!({ ...alice, userId: 'bob', ids: ['f'] }), []);
    },
  },
  {
    id: 'forget.not-ingested',
    sentence: 'does not restore a deleted turn when its session is added again, whole or in part',
    contracts: [31],
    needs: ['deleteMemory', 'addEventsToMemory', 'listMemories', 'turns', 'deletion-records'],
    async check(memory) {
      await memory.addSessionToMemory(talk);
      await memory.deleteMemory!({ ...alice, ids: [first] });
      await memory.addSessionToMemory(talk);
      await memory.addEventsToMemory!({ ...alice, sessionId: 's1', events: talk.events.slice(0, 1) });
      assert.deepEqual(await listTexts(memory), ['Pizza it is.', 'And a pizza for Bob.']);
    },
  },
  {
    id: 'forget.session',
    sentence: 'deletes exactly the entries of a forgotten session and does not restore them',
    contracts: [31, 34],
    needs: ['deleteSessionMemory', 'addMemory', 'listMemories'],
    async check(memory) {
      await memory.addSessionToMemory(talk);
      await memory.addSessionToMemory(sessionWith([textEvent('user', 1, 'Pasta too.')], { id: 's10' }));
      await memory.addMemory!({
        ...alice,
        memories: [entry('A note of then.', { sessionId: 's1' }), entry('Another note.')],
      });
      assert.equal(await memory.deleteSessionMemory!({ ...alice, sessionId: 's1' }), 4);
      assert.deepEqual(await listTexts(memory), ['Pasta too.', 'Another note.']);
      await memory.addSessionToMemory(talk);
      assert.deepEqual(await listTexts(memory), ['Pasta too.', 'Another note.']);
      assert.equal(await memory.deleteSessionMemory!({ ...alice, sessionId: 's1' }), 0);
    },
  },
  {
    id: 'forget.everything',
    sentence: 'ingests only later turns after deleteUserMemory',
    contracts: [31, 34],
    needs: ['deleteUserMemory', 'listMemories', 'deletion-records'],
    async check(memory, { runtime }) {
      await memory.addSessionToMemory(talk);
      assert.equal(await memory.deleteUserMemory!(alice), 3);
      assert.deepEqual(await searchTexts(memory, 'pizza'), []);
      const never = textEvent('user', 4, 'Pizza that was never in memory.', { timestamp: runtime.now() });
      const later = textEvent('user', 5, 'Pizza, said later.', { timestamp: runtime.now() + 1 });
      await memory.addSessionToMemory(sessionWith([...talk.events, never, later]));
      assert.deepEqual(await listTexts(memory), ['Pizza, said later.']);
      assert.deepEqual(await searchTexts(memory, 'pizza'), ['Pizza, said later.']);
    },
  },
  {
    id: 'forget.everything-unknown',
    sentence: 'does not ingest older sessions after deleteUserMemory for a user without entries',
    contracts: [31, 34],
    needs: ['deleteUserMemory', 'listMemories', 'deletion-records'],
    async check(memory) {
      assert.equal(await memory.deleteUserMemory!(alice), 0);
      await memory.addSessionToMemory(talk);
      assert.deepEqual(await listTexts(memory), []);
    },
  },
  {
    id: 'forget.written-again',
    sentence: 'lets an explicit addMemory restore forgotten entries',
    contracts: [31, 34],
    needs: ['addMemory', 'deleteMemory', 'deleteUserMemory', 'listMemories', 'turns'],
    async check(memory) {
      const turn = entry('I love pizza.', { id: first, kind: 'turn', sessionId: 's1', eventId: 'e1' });
      for (const forget of [
        () => memory.deleteMemory!({ ...alice, ids: [first] }),
        () => memory.deleteUserMemory!(alice),
      ]) {
        await memory.addSessionToMemory(sessionWith(talk.events.slice(0, 1)));
        await forget();
        assert.deepEqual(await searchTexts(memory, 'pizza'), []);
        await memory.addMemory!({ ...alice, memories: [turn] });
        assert.deepEqual(await searchTexts(memory, 'pizza'), ['I love pizza.']);
      }
    },
  },
  {
    id: 'forget.fact',
    sentence: 'deletes the turns that are a fact’s evidence with it and does not restore them',
    contracts: [31, 34],
    needs: ['addMemory', 'deleteMemory', 'listMemories', 'turns', 'deletion-records', 'evidence'],
    async check(memory) {
      await memory.addSessionToMemory(talk);
      await memory.addMemory!({ ...alice, memories: [fact('Loves pizza.', [first, second])] });
      assert.equal(await memory.deleteMemory!({ ...alice, ids: ['Loves pizza.'] }), 3);
      await memory.addSessionToMemory(talk);
      assert.deepEqual(await listTexts(memory), ['And a pizza for Bob.']);
    },
  },
  {
    id: 'forget.fact-versions',
    sentence: 'deletes a fact with every version that supersededBy links to it, in both directions',
    contracts: [31, 34],
    needs: ['addMemory', 'deleteMemory', 'listMemories', 'turns', 'evidence'],
    async check(memory) {
      for (const chosen of ['Loved pasta.', 'Loves pizza.', 'Loves ramen.']) {
        await memory.addSessionToMemory(sessionWith([textEvent('user', 1, `Pasta, before ${chosen}`)], { id: chosen }));
        const turn = turnId(chosen, 'e1');
        const memories = [
          entry('Loved pasta.', { kind: 'fact', evidence: [turn], validTo: 1, supersededBy: 'Loves pizza.' }),
          entry('Loves pizza.', { kind: 'fact', evidence: ['gone'], validTo: 2, supersededBy: 'Loves ramen.' }),
          entry('Loves ramen.', { kind: 'fact' }),
          entry('Has a dog.', { kind: 'fact' }),
        ];
        await memory.addMemory!({ ...alice, memories });
        assert.equal(await memory.deleteMemory!({ ...alice, ids: [chosen] }), 4, chosen);
        assert.deepEqual(await listTexts(memory), ['Has a dog.']);
      }
    },
  },
  {
    id: 'forget.version-alone',
    sentence: 'deletes only the given version of a fact with keepEvidence',
    contracts: [31, 34],
    needs: ['addMemory', 'deleteMemory', 'listMemories'],
    async check(memory) {
      const memories = [
        entry('Loved pasta.', { kind: 'fact', validTo: 1, supersededBy: 'Loves pizza.' }),
        entry('Loves pizza.', { kind: 'fact' }),
      ];
      await memory.addMemory!({ ...alice, memories });
      assert.equal(await memory.deleteMemory!({ ...alice, ids: ['Loved pasta.'], keepEvidence: true }), 1);
      assert.deepEqual(await listTexts(memory), ['Loves pizza.']);
    },
  },
  {
    id: 'forget.fact-alone',
    sentence: 'deletes a fact without its evidence with keepEvidence',
    contracts: [31, 34],
    needs: ['addMemory', 'deleteMemory', 'listMemories'],
    async check(memory) {
      await memory.addSessionToMemory(talk);
      await memory.addMemory!({ ...alice, memories: [fact('Loves pizza.', [first, second])] });
      assert.equal(await memory.deleteMemory!({ ...alice, ids: ['Loves pizza.'], keepEvidence: true }), 1);
      assert.equal((await listTexts(memory)).length, 3);
    },
  },
  {
    id: 'forget.evidence',
    sentence: 'removes a deleted turn from the evidence of facts and deletes facts without evidence',
    contracts: [31, 34],
    needs: ['addMemory', 'deleteMemory', 'listMemories', 'turns', 'evidence'],
    async check(memory) {
      await memory.addSessionToMemory(talk);
      const memories = [fact('Of both.', [first, second]), fact('Of one.', [first]), fact('Of none.', [])];
      await memory.addMemory!({ ...alice, memories });
      assert.equal(await memory.deleteMemory!({ ...alice, ids: [first] }), 2);
      const facts = (await memory.listMemories!({ ...alice, filter: { kinds: ['fact'] } })).memories;
      assert.deepEqual(Object.fromEntries(facts.map((one) => [one.id, one.evidence])), {
        'Of both.': [second],
        'Of none.': [],
      });
      const left = await searchTexts(memory, 'Of one.', { filter: { kinds: ['fact'] } });
      assert.ok(!left.includes('Of one.'), 'the deleted fact must not be found');
    },
  },
  {
    id: 'forget.evidence-at-once',
    sentence: 'deletes a fact whose turns are deleted one by one at the same time',
    contracts: [31, 34],
    needs: ['addMemory', 'deleteMemory', 'listMemories', 'turns', 'evidence'],
    async check(memory) {
      await memory.addSessionToMemory(talk);
      await memory.addMemory!({ ...alice, memories: [fact('Of all.', [first, second, third])] });
      await Promise.all([first, second, third].map((id) => memory.deleteMemory!({ ...alice, ids: [id] })));
      assert.deepEqual(await listTexts(memory), []);
    },
  },
  {
    id: 'forget.shared-evidence',
    sentence: 'removes evidence that is deleted with one fact from all other facts',
    contracts: [31, 34],
    needs: ['addMemory', 'deleteMemory', 'listMemories', 'turns', 'evidence'],
    async check(memory) {
      await memory.addSessionToMemory(talk);
      await memory.addMemory!({
        ...alice,
        memories: [fact('A.', [first]), fact('B.', [first]), fact('C.', [first, third])],
      });
      await memory.deleteMemory!({ ...alice, ids: ['A.'] });
      assert.deepEqual((await listTexts(memory)).sort(), ['And a pizza for Bob.', 'C.', 'Pizza it is.']);
    },
  },
  {
    id: 'forget.session-evidence',
    sentence: 'deletes a fact whose only evidence is in a forgotten session',
    contracts: [31, 34],
    needs: ['addMemory', 'deleteSessionMemory', 'listMemories'],
    async check(memory) {
      await memory.addSessionToMemory(talk);
      await memory.addMemory!({
        ...alice,
        memories: [fact('Of s1.', [first]), fact('Of two.', [second, turnId('s2', 'e1')])],
      });
      assert.equal(await memory.deleteSessionMemory!({ ...alice, sessionId: 's1' }), 4);
      assert.deepEqual(await listTexts(memory), ['Of two.']);
    },
  },
  {
    id: 'forget.session-to-come',
    sentence: 'never ingests the events given with a deleted session, but ingests other events',
    contracts: [31, 34],
    needs: ['deleteSessionMemory', 'addEventsToMemory', 'addMemory', 'listMemories'],
    async check(memory) {
      const s1 = { ...alice, sessionId: 's1' };
      await memory.addEventsToMemory!({ ...s1, events: talk.events.slice(0, 1) });
      assert.equal(await memory.deleteSessionMemory!({ ...s1, events: talk.events }), 1);
      assert.deepEqual(await listTexts(memory), []);
      await memory.addSessionToMemory(talk);
      await memory.addEventsToMemory!({ ...s1, events: talk.events.slice(1) });
      assert.deepEqual([await listTexts(memory), await searchTexts(memory, 'pizza')], [[], []]);
      assert.equal(await memory.deleteSessionMemory!({ ...s1, events: talk.events }), 0);
      await memory.addEventsToMemory!({ ...s1, events: [textEvent('user', 4, 'Or pasta.')] });
      await memory.addSessionToMemory(sessionWith([textEvent('user', 1, 'I love pizza.')], { id: 's2' }));
      assert.deepEqual(await listTexts(memory), ['Or pasta.', 'I love pizza.']);
      await memory.addMemory!({ ...alice, memories: [entry('Pizza it is.', { id: second, kind: 'turn' })] });
      assert.ok(
        (await searchTexts(memory, 'pizza it is')).includes('Pizza it is.'),
        'an entry that addMemory restored must be found',
      );
    },
  },
  {
    id: 'forget.update',
    sentence: 'does not restore a deleted entry by an update, also a concurrent one',
    contracts: [31, 34],
    needs: ['addMemory', 'updateMemory', 'deleteMemory', 'listMemories'],
    async check(memory) {
      await memory.addMemory!({ ...alice, memories: [entry('Pizza.', { id: 'n1' })] });
      const update = (): Promise<unknown> => memory.updateMemory!({ ...alice, id: 'n1', change: { author: 'me' } });
      const calls: Promise<unknown>[] = [memory.deleteMemory!({ ...alice, ids: ['n1'] })];
      for (let i = 0; i < 12; i++) {
        calls.push(update());
        await Promise.resolve(); // One of the updates must read before the deletion and write after it.
      }
      await Promise.all(calls);
      assert.equal(await update(), undefined);
      assert.deepEqual(await listTexts(memory), []);
    },
  },
  {
    id: 'forget.update-elsewhere',
    sentence: 'does not restore an entry by an update that another process deletes concurrently',
    contracts: [31, 34],
    needs: ['shared', 'addMemory', 'updateMemory', 'deleteMemory', 'listMemories'],
    async check(memory, t) {
      const other = await t.reopen!();
      // For any number of steps in between, one distance lets the update read before the deletion and write after
      // it.
      for (let distance = -8; distance <= 8; distance++) {
        const id = `n${distance}`;
        await memory.addMemory!({ ...alice, memories: [entry('Pizza.', { id })] });
        const steps = [
          () => memory.deleteMemory!({ ...alice, ids: [id] }),
          () => other.updateMemory!({ ...alice, id, change: { author: 'me' } }),
        ];
        if (distance < 0) steps.reverse();
        const first = steps[0]!();
        for (let i = 0; i < Math.abs(distance); i++) await Promise.resolve();
        await Promise.all([first, steps[1]!()]);
        assert.deepEqual(await listTexts(memory), []);
      }
    },
  },
];
