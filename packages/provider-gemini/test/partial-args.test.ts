import { describe, expect, it } from 'vitest';
import { PartialArgs } from '../src/partial-args.ts';

const collect = (...pieces: unknown[]) => {
  const args = new PartialArgs();
  for (const piece of pieces) args.add(piece);
  return args.toArgs(false);
};

describe('PartialArgs', () => {
  it('sets values at their paths, and joins continued texts', () => {
    expect(
      collect(
        { jsonPath: '$.a.b[0].c', stringValue: 'x', willContinue: true },
        { jsonPath: '$.a.b[0].c', stringValue: 'y', willContinue: true },
        { jsonPath: '$.a.b[0].c' },
        { jsonPath: '$.a.b[1]', numberValue: 1.5 },
        { jsonPath: "$['it\\'s']", boolValue: false },
        { jsonPath: '$["d.e"]', nullValue: 'NULL_VALUE' },
      ),
    ).toEqual({ args: { a: { b: [{ c: 'xy' }, 1.5] }, "it's": false, 'd.e': null } });
  });

  it('starts a new text at a path that was finished', () => {
    expect(collect({ jsonPath: '$.a', stringValue: 'x' }, { jsonPath: '$.a', stringValue: 'y' })).toEqual({
      args: { a: 'y' },
    });
  });

  it('reads __proto__ as an ordinary name', () => {
    const { args } = collect({ jsonPath: '$.__proto__.polluted', boolValue: true });
    expect(Object.keys(args)).toEqual(['__proto__']);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it.each([
    ['no path', { stringValue: 'x' }],
    ['an unsupported path', { jsonPath: '$..a', stringValue: 'x' }],
    ['a path with a wildcard', { jsonPath: '$.a[*]', stringValue: 'x' }],
    ['the root as its path', { jsonPath: '$', stringValue: 'x' }],
    ['an index that leaves a hole', { jsonPath: '$.a[3]', stringValue: 'x' }],
    ['a value that is not an object', 7],
  ])('returns brokenArgs with all pieces for a piece with %s', (_, piece) => {
    expect(collect(piece)).toEqual({ args: {}, brokenArgs: JSON.stringify([piece]) });
  });

  it('returns brokenArgs for a path through a value that is not an object', () => {
    expect(collect({ jsonPath: '$.a', numberValue: 1 }, { jsonPath: '$.a.b', numberValue: 2 }).brokenArgs).toContain(
      '$.a.b',
    );
  });
});
