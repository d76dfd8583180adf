import assert from 'node:assert/strict';
import { textOf } from '@thole/core';
import type { MemoryService, SharedMemoryScope } from '@thole/core';
import type { Case } from '../case.ts';
import { alice, entry, searchTexts, listTexts, expectInvalidInput } from './memory-fixture.ts';

const bob = { ...alice, userId: 'bob' };
const needs = ['addMemory', 'getMemory', 'updateMemory', 'listMemories', 'deleteMemory', 'deleteUserMemory'];
/** Scopes that must stay different, no matter how names are joined. */
const SCOPES: readonly (SharedMemoryScope | undefined)[] = [
  undefined,
  { team: 'a' },
  { agent: 'a' },
  { team: 'a', agent: 'a' },
  { team: 'A' },
  { team: 'a,b' },
  { team: 'a', agent: 'b' },
  { team: 'a","b' },
  { team: 'null' },
  { agent: 'null' },
];

/** Memory of teams and agents. */
export const memorySharedCases: readonly Case<MemoryService>[] = [
  {
    id: 'shared.isolated',
    sentence: 'finds and lists an entry with a scope only for calls with exactly this scope',
    contracts: [30, 32, 34],
    needs,
    async check(memory) {
      for (const [i, scope] of SCOPES.entries())
        await memory.addMemory!({ ...alice, memories: [entry(`Pool number ${i}.`, { id: 'n', scope })] });
      for (const [i, scope] of SCOPES.entries()) {
        assert.deepEqual(await searchTexts(memory, 'pool', { scope }), [`Pool number ${i}.`]);
        const { memories } = await memory.listMemories!({ ...alice, scope });
        assert.deepEqual(
          memories.map(({ content }) => textOf(content)),
          [`Pool number ${i}.`],
        );
        const one = await memory.getMemory!({ ...alice, scope, id: 'n' });
        assert.deepEqual([textOf(one!.content), one!.scope], [`Pool number ${i}.`, scope]);
      }
    },
  },
  {
    id: 'shared.users',
    sentence: 'shares entries between users who name the same scope, not with other apps or scopes',
    contracts: [30, 34],
    needs,
    async check(memory) {
      const scope = { team: 'reception' };
      await memory.addMemory!({ ...alice, scope, memory: 'The pool closes at nine.' });
      assert.deepEqual(await searchTexts(memory, 'pool', { ...bob, scope }), ['The pool closes at nine.']);
      assert.deepEqual(await searchTexts(memory, 'pool', { appName: 'airline', scope }), []);
      for (const user of [alice, bob]) {
        assert.deepEqual(await searchTexts(memory, 'pool', user), []);
        assert.deepEqual(await listTexts(memory, user), []);
      }
    },
  },
  {
    id: 'shared.change-and-delete',
    sentence: 'changes and deletes only in the given scope; deleting a user keeps scopes',
    contracts: [30, 34],
    needs,
    async check(memory) {
      const scope = { team: 'reception', agent: 'concierge' };
      const memories = [entry('Pool.', { id: 'n1', scope }), entry('Sauna.', { id: 'n2', scope })];
      await memory.addMemory!({ ...alice, memories: [...memories, entry('Own pool.', { id: 'n1' })] });
      const change = { author: 'me' };
      assert.equal((await memory.updateMemory!({ ...bob, scope, id: 'n1', change }))?.author, 'me');
      assert.equal((await memory.getMemory!({ ...alice, id: 'n1' }))?.author, undefined);
      await expectInvalidInput(memory.updateMemory!({ ...alice, id: 'n1', change: { scope } }));
      assert.equal(await memory.deleteMemory!({ ...alice, ids: ['n1', 'n2'], scope: { team: 'reception' } }), 0);
      assert.equal(await memory.deleteMemory!({ ...alice, ids: ['n1'], scope }), 1);
      assert.deepEqual(await listTexts(memory), ['Own pool.']);
      assert.equal(await memory.deleteUserMemory!(alice), 1);
      assert.deepEqual(await searchTexts(memory, 'sauna', { scope }), ['Sauna.']);
      assert.equal(await memory.deleteUserMemory!({ ...alice, scope }), 1);
      assert.deepEqual(await searchTexts(memory, 'sauna', { scope }), []);
    },
  },
  {
    id: 'shared.refused',
    sentence: 'rejects an invalid scope, and a user id that is the key of a scope',
    contracts: [30, 34],
    needs,
    async check(memory) {
      const bad = [{}, 'team', 7, null, { team: '' }, { agent: 7 }, { team: 'nul\0' }, { team: 'a', room: 'b' }];
      for (const scope of [...bad, { team: 'x'.repeat(513) }] as never[]) {
        await expectInvalidInput(memory.addMemory!({ ...alice, memories: [entry('Pizza.', { scope })] }));
        await expectInvalidInput(memory.addMemory!({ ...alice, scope, memory: 'Pizza.' }));
        await expectInvalidInput(memory.searchMemory({ ...alice, scope, query: 'pizza' }));
        await expectInvalidInput(memory.listMemories!({ ...alice, scope }));
        await expectInvalidInput(memory.deleteUserMemory!({ ...alice, scope }));
      }
      const userId = 'thole:scope:["a",null]';
      await expectInvalidInput(memory.searchMemory({ ...alice, userId, query: 'pizza' }));
      await expectInvalidInput(memory.addMemory!({ ...alice, userId, memory: 'Pizza.' }));
      assert.deepEqual(await listTexts(memory), []);
    },
  },
];
