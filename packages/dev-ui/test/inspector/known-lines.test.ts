import type { MemoryEntry } from '@thole/core';
import { expect, it } from 'vitest';
import { knownLines } from '../../page/inspector/memory/known-lines.ts';
import type { KnownLine } from '../../page/inspector/memory/known-lines.ts';

const NOW = 100;

function fact(id: string, more: Partial<MemoryEntry> = {}): MemoryEntry {
  return { id, kind: 'fact', content: { role: 'user', parts: [{ text: id }] }, timestamp: 1, ...more };
}

const told = (lines: readonly KnownLine[]): string[] =>
  lines.map(({ entry, before }) => [entry.id, ...before.map(({ id }) => id)].join(' < '));

it('lists earlier versions after the current one, newest first, for any number of steps', () => {
  const lines = knownLines(
    [
      fact('Rome', { validTo: 10, supersededBy: 'Porto' }),
      fact('Porto', { validTo: 20, supersededBy: 'Lisbon' }),
      fact('Lisboa', { validTo: 15, supersededBy: 'Lisbon' }),
      fact('Lisbon', { timestamp: 20 }),
      fact('Vegetarian', { timestamp: 30 }),
    ],
    NOW,
  );
  expect(told(lines.facts)).toEqual(['Vegetarian', 'Lisbon < Porto < Lisboa < Rome']);
  expect([lines.notes, lines.ended]).toEqual([[], []]);
});

it('separates facts that ended without a replacement from those that end later', () => {
  const lines = knownLines(
    [
      fact('ended', { validTo: NOW }),
      fact('before that', { validTo: 2, supersededBy: 'replaced by what is forgotten' }),
      fact('replaced by what is forgotten', { supersededBy: 'gone', timestamp: 2 }),
      fact('until tomorrow', { validTo: NOW + 1 }),
    ],
    NOW,
  );
  expect(told(lines.facts)).toEqual(['until tomorrow']);
  expect(told(lines.ended)).toEqual(['replaced by what is forgotten < before that', 'ended']);
});

it('lists notes separately, also one that replaced a fact', () => {
  const lines = knownLines([fact('old', { supersededBy: 'note' }), fact('note', { kind: 'note' })], NOW);
  expect(told(lines.notes)).toEqual(['note < old']);
  expect(lines.facts).toEqual([]);
});

it('shows each entry once, also if entries name each other or themselves', () => {
  const entries = [
    fact('a', { supersededBy: 'b' }),
    fact('b', { supersededBy: 'a' }),
    fact('self', { supersededBy: 'self' }),
  ];
  const { facts, notes, ended } = knownLines(entries, NOW);
  const shown = [...facts, ...notes, ...ended].flatMap(({ entry, before }) => [entry, ...before]);
  expect(shown.map(({ id }) => id).sort()).toEqual(['a', 'b', 'self']);
});
