import { describe, expect, it } from 'vitest';
import type { Json } from '@thole/core';
import { isDelta } from '../../page/inspector/event/delta-paths.ts';
import { foldAll, jsonRows } from '../../page/inspector/event/json-rows.ts';
import type { JsonRow } from '../../page/inspector/event/json-rows.ts';

const paths = (rows: readonly JsonRow[]): string[] => rows.map(({ path }) => path);

describe('jsonRows', () => {
  it('shows the requested number of levels and folds deeper ones', () => {
    const rows = jsonRows({ a: { b: { c: { d: 1 } } } }, { open: 3 });
    expect(paths(rows)).toEqual(['', '/a', '/a/b', '/a/b/c']);
    expect(rows.at(-1)).toMatchObject({ isOpen: false, text: '{ d }', depth: 3 });
  });

  it('shows characters that change the direction of text as escapes', () => {
    const texts = jsonRows({ to: 'a\u202eb' }).map(({ text }) => text);
    expect(texts).toContain('"a\\u202eb"');
  });

  it('folds a long list, except at the root', () => {
    const list = Array.from({ length: 50 }, (_, i) => i);
    expect(jsonRows({ list })).toHaveLength(2);
    expect(jsonRows(list)).toHaveLength(51);
  });

  it('prefers nodes that the user opened and closed to the default', () => {
    const value = { a: { b: { c: { d: 1 } } } };
    expect(paths(jsonRows(value, { folds: new Map([['/a', false]]) }))).toEqual(['', '/a']);
    expect(paths(jsonRows(value, { open: 3, folds: new Map([['/a/b/c', true]]) }))).toContain('/a/b/c/d');
  });

  it('distinguishes names with slashes and tildes', () => {
    expect(paths(jsonRows({ 'a/b': 1, a: { b: 2 }, 'a~1b': 3 }))).toEqual(['', '/a~1b', '/a', '/a/b', '/a~01b']);
  });

  it('finds names and values in any case and depth, and shows only their parents', () => {
    const value = { a: { b: { c: { City: 'Rome' } } }, other: ['rome', 'Oslo'], no: 1 };
    expect(paths(jsonRows(value, { query: 'ROME' }))).toEqual([
      '',
      '/a',
      '/a/b',
      '/a/b/c',
      '/a/b/c/City',
      '/other',
      '/other/0',
    ]);
    expect(jsonRows(value, { query: 'city' }).filter(({ isMatch }) => isMatch)).toHaveLength(1);
    expect(jsonRows(value, { query: 'nowhere' })).toEqual([]);
  });

  it('shows the length of an image instead of its data', () => {
    const [, row] = jsonRows({ data: 'A'.repeat(5_000_000) });
    expect(row!.text.length).toBeLessThan(2_100);
    expect(row!.text).toContain('5,000,000 characters');
  });

  it('returns the position of each row among its siblings, for screen readers', () => {
    const rows = jsonRows({ a: 1, b: 2 });
    expect(rows.slice(1).map(({ position, siblings }) => [position, siblings])).toEqual([
      [1, 2],
      [2, 2],
    ]);
  });

  it('returns empty values as rows that cannot be opened', () => {
    expect(jsonRows({ a: {}, b: [] }).slice(1)).toMatchObject([
      { isOpen: undefined, text: '{}' },
      { isOpen: undefined, text: '[]' },
    ]);
  });
});

describe('foldAll', () => {
  const value: Json = { a: { b: { c: { d: { e: { f: 1 } } } } } };

  it('opens everything', () => {
    expect(jsonRows(value, { folds: foldAll(value, true) })).toHaveLength(7);
  });

  it('closes everything except the root', () => {
    expect(paths(jsonRows(value, { folds: foldAll(value, false) }))).toEqual(['', '/a']);
  });
});

describe('isDelta', () => {
  it('returns true for changes of an event, not for its empty maps', () => {
    expect(isDelta('/actions/stateDelta/user:name')).toBe(true);
    expect(isDelta('/actions/artifactDelta/a.png')).toBe(true);
    expect(isDelta('/actions/transferToAgent')).toBe(true);
    expect(isDelta('/actions/stateDelta')).toBe(false);
    expect(isDelta('/content/parts/0/text')).toBe(false);
  });
});
