import { pairCalls } from '@thole/core/kit';
import type { Content, Part } from '@thole/core';
import { describe, expect, it } from 'vitest';

const call = (name: string, id?: string): Part => ({ functionCall: { name, args: {}, ...(id && { id }) } });
const answer = (name: string, said: string, id?: string): Part => ({
  functionResponse: { name, response: { said }, ...(id && { id }) },
});
const model = (...parts: Part[]): Content => ({ role: 'model', parts });
const user = (...parts: Part[]): Content => ({ role: 'user', parts });

/** Returns the answer of each call, in order; undefined for an open call. */
const answers = (...contents: Content[]): unknown[] =>
  pairCalls(contents).calls.map((pair) => pair.answer?.response['said']);

describe('pairCalls', () => {
  it.each<[string, Content[], unknown[]]>([
    [
      'by id',
      [model(call('a', '1'), call('a', '2')), user(answer('a', 'two', '2'), answer('a', 'one', '1'))],
      ['one', 'two'],
    ],
    [
      'by name if there are no ids',
      [model(call('a'), call('b')), user(answer('b', 'B'), answer('a', 'A'))],
      ['A', 'B'],
    ],
    [
      'in order if two calls have the same id',
      [model(call('a', '1'), call('a', '1')), user(answer('a', 'x', '1'), answer('a', 'y', '1'))],
      ['x', 'y'],
    ],
    [
      'with the later call if an id is used again',
      [model(call('a', '1')), user(answer('a', 'x', '1')), model(call('a', '1')), user(answer('a', 'y', '1'))],
      ['x', 'y'],
    ],
    [
      'with the last answer of several',
      [model(call('a', '1')), user(answer('a', 'soon', '1')), user(answer('a', 'done', '1'))],
      ['done'],
    ],
    ['with a call without an id', [model(call('a', '9'), call('a')), user(answer('a', 'x', '1'))], [undefined, 'x']],
    ['with no later call', [user(answer('a', 'x', '1')), model(call('a', '1'))], [undefined]],
  ])('pairs an answer %s', (_what, contents, expected) => {
    expect(answers(...contents)).toEqual(expected);
  });

  it('returns undefined for an answer without a call, and marks replaced answers', () => {
    const pairs = pairCalls([
      model(call('a', '1')),
      user(answer('b', 'stray'), answer('a', 'soon', '1')),
      user(answer('a', 'done', '1')),
    ]);
    expect(pairs.at(1, 0)).toBeUndefined();
    expect(pairs.at(1, 1)).toBe(pairs.calls[0]);
    expect([pairs.isReplaced(0, 0), pairs.isReplaced(1, 0), pairs.isReplaced(1, 1), pairs.isReplaced(2, 0)]).toEqual([
      false,
      false,
      true,
      false,
    ]);
  });

  it('returns the open calls of a content in order', () => {
    const pairs = pairCalls([model(call('a', '1'), call('b', '2'), call('c', '3')), user(answer('b', 'B', '2'))]);
    expect(pairs.openIn(0).map((pair) => pair.call.name)).toEqual(['a', 'c']);
    expect(pairs.openIn(1)).toEqual([]);
  });

  it('reads each call a bounded number of times in a history of 20,000 calls', () => {
    let reads = 0;
    const counted = (name: string, id: string): Part => ({
      functionCall: {
        name,
        args: {},
        get id() {
          reads++;
          return id;
        },
      },
    });
    const contents = Array.from({ length: 20_000 }, (_, i) => [
      model(counted('a', `${i}`)),
      user(answer('a', 'x', `${i}`)),
    ]).flat();
    expect(pairCalls(contents).openIn(0)).toEqual([]);
    expect(reads).toBeLessThan(100_000);
  });
});
