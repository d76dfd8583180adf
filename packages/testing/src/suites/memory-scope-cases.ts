import assert from 'node:assert/strict';
import { turnId } from '@thole/core/kit';
import type { MemoryService } from '@thole/core';
import type { Case } from '../case.ts';
import { alice, entry, searchTexts, listTexts, textEvent, sessionWith, expectInvalidInput } from './memory-fixture.ts';

// Any way of joining app and user into one key makes two of these equal.
const LOOKALIKES: readonly (readonly [string, string])[] = [
  ['a', 'b/c'],
  ['a/b', 'c'],
  ['a', 'b:c'],
  ['a:b', 'c'],
  ['a', 'b|c'],
  ['a|b', 'c'],
  ['a', 'b%2Fc'],
  ['a%2Fb', 'c'],
  ['a', 'b\u001fc'],
  ['a\u001fb', 'c'],
  ['a', 'b","c'],
  ['a","b', 'c'],
  ['a', 'b'],
  ['a', 'bc'],
  ['ab', 'c'],
  ['a', 'B'],
  ['A', 'b'],
  ['a', 'b '],
  ['a', '*'],
  ['*', 'b'],
  ['a', '{b}'],
  ['a', '%'],
  ['a', '_'],
  ['a', 'é'],
  ['a', 'e\u0301'],
  ['a', '__proto__'],
  ['__proto__', 'b'],
  ['a', 'undefined'],
];
const BAD_NAMES: readonly unknown[] = ['', 'nul\0', 'lone \ud800', 'x'.repeat(513), undefined, 7];

/** Isolation between users and apps. */
export const memoryScopeCases: readonly Case<MemoryService>[] = [
  {
    id: 'scope.search',
    sentence: 'returns no entry of another user or app',
    contracts: [30],
    async check(memory) {
      await memory.addSessionToMemory(sessionWith([textEvent('user', 1, 'I love pizza.')]));
      assert.deepEqual(await searchTexts(memory, 'pizza', { userId: 'bob' }), []);
      assert.deepEqual(await searchTexts(memory, 'pizza', { appName: 'airline' }), []);
      assert.deepEqual(await searchTexts(memory, 'pizza'), ['I love pizza.']);
    },
  },
  {
    id: 'scope.lookalikes',
    sentence: 'keeps names apart that are prefixes, joins, patterns or encodings of each other',
    contracts: [30],
    async check(memory) {
      for (const [i, [appName, userId]] of LOOKALIKES.entries()) {
        await memory.addSessionToMemory(sessionWith([textEvent('user', i, `Pizza number ${i}.`)], { appName, userId }));
      }
      for (const [i, [appName, userId]] of LOOKALIKES.entries()) {
        assert.deepEqual(await searchTexts(memory, 'pizza', { appName, userId }), [`Pizza number ${i}.`]);
      }
    },
  },
  {
    id: 'scope.bad-names',
    sentence: 'rejects an invalid name and stores nothing',
    contracts: [30],
    async check(memory) {
      for (const name of BAD_NAMES as readonly string[]) {
        const session = sessionWith([textEvent('user', 1, 'I love pizza.')]);
        await expectInvalidInput(memory.addSessionToMemory({ ...session, appName: name }));
        await expectInvalidInput(memory.addSessionToMemory({ ...session, userId: name }));
        await expectInvalidInput(memory.addSessionToMemory({ ...session, id: name }));
        await expectInvalidInput(memory.searchMemory({ ...alice, appName: name, query: 'pizza' }));
        await expectInvalidInput(memory.searchMemory({ ...alice, userId: name, query: '' }));
      }
      assert.deepEqual(await searchTexts(memory, 'pizza'), []);
    },
  },
  {
    id: 'scope.delete',
    sentence: 'does not delete an entry of another user or app',
    contracts: [30, 34],
    needs: ['deleteMemory', 'deleteSessionMemory', 'deleteUserMemory', 'listMemories'],
    async check(memory) {
      await memory.addSessionToMemory(sessionWith([textEvent('user', 1, 'I love pizza.')]));
      for (const other of [
        { ...alice, userId: 'bob' },
        { ...alice, appName: 'airline' },
      ]) {
        assert.equal(await memory.deleteMemory!({ ...other, ids: [turnId('s1', 'e1')] }), 0);
        assert.equal(await memory.deleteSessionMemory!({ ...other, sessionId: 's1' }), 0);
        assert.equal(await memory.deleteUserMemory!(other), 0);
        assert.deepEqual(await listTexts(memory, other), []);
      }
      assert.deepEqual(await listTexts(memory), ['I love pizza.']);
    },
  },
  {
    id: 'scope.update',
    sentence: 'keeps equal ids of two users apart, and does not change an entry of another user',
    contracts: [30, 34],
    needs: ['addMemory', 'updateMemory', 'listMemories'],
    async check(memory) {
      const bob = { ...alice, userId: 'bob' };
      await memory.addMemory!({ ...alice, memories: [entry('Pizza.', { id: 'n1' })] });
      assert.equal(await memory.updateMemory!({ ...bob, id: 'n1', change: { author: 'bob' } }), undefined);
      await memory.addMemory!({ ...bob, memories: [entry('Pasta.', { id: 'n1' })] });
      assert.deepEqual(await listTexts(memory), ['Pizza.']);
      assert.deepEqual(await listTexts(memory, bob), ['Pasta.']);
    },
  },
];
