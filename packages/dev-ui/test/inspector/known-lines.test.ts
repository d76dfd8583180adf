import type { MemoryEntry } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { knownLines } from '../../page/inspector/memory/known-lines.ts';
import type { KnownLine } from '../../page/inspector/memory/known-lines.ts';

const NOW = 100;

function fact(id: string, more: Partial<MemoryEntry> = {}): MemoryEntry {
  return { id, kind: 'fact', content: { role: 'user', parts: [{ text: id }] }, timestamp: 1, ...more };
}

const namesOf = (lines: readonly KnownLine[]): string[] =>
  lines.map(({ entry, earlierVersions }) => [entry.id, ...earlierVersions.map(({ id }) => id)].join(' < '));

describe('knownLines', () => {
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
    expect(namesOf(lines.facts)).toEqual(['Vegetarian', 'Lisbon < Porto < Lisboa < Rome']);
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
    expect(namesOf(lines.facts)).toEqual(['until tomorrow']);
    expect(namesOf(lines.ended)).toEqual(['replaced by what is forgotten < before that', 'ended']);
  });

  it('lists notes separately, also one that replaced a fact', () => {
    const lines = knownLines([fact('old', { supersededBy: 'note' }), fact('note', { kind: 'note' })], NOW);
    expect(namesOf(lines.notes)).toEqual(['note < old']);
    expect(lines.facts).toEqual([]);
  });

  it('returns each entry once, also if entries replace each other or themselves', () => {
    const entries = [
      fact('a', { supersededBy: 'b' }),
      fact('b', { supersededBy: 'a' }),
      fact('self', { supersededBy: 'self' }),
    ];
    const { facts, notes, ended } = knownLines(entries, NOW);
    const shown = [...facts, ...notes, ...ended].flatMap(({ entry, earlierVersions }) => [entry, ...earlierVersions]);
    expect(shown.map(({ id }) => id).sort()).toEqual(['a', 'b', 'self']);
  });
});
