import { TholeError } from '@thole/core';
import {
  deepFreeze,
  findNonJson,
  failInvalidJson,
  isPlainObject,
  JsonCopier,
  jsonBytes,
  MAX_JSON_DEPTH,
  thawJson,
  typeName,
} from '@thole/core/kit';
import type { Json } from '@thole/core';
import { describe, expect, it } from 'vitest';

const copy = (value: unknown): Json => new JsonCopier(failInvalidJson).copy(value, 'value');
const problemOf = (value: unknown): unknown => {
  try {
    return copy(value);
  } catch (error) {
    return TholeError.is(error, 'INVALID_INPUT') ? error.message : error;
  }
};

describe('JsonCopier', () => {
  it('returns a deeply frozen copy and leaves the original unfrozen', () => {
    const given = { a: [{ b: 1 }], c: null, d: 'x', e: false };
    const copied = copy(given) as typeof given;
    expect(copied).toEqual(given);
    expect([copied === given, copied.a === given.a, Object.isFrozen(copied.a[0]), Object.isFrozen(given)]).toEqual([
      false,
      false,
      true,
      false,
    ]);
  });

  it('leaves out members that are undefined, at every depth (contract 5)', () => {
    expect(JSON.stringify(copy({ a: undefined, b: { c: undefined, d: 1 } }))).toBe('{"b":{"d":1}}');
  });

  it('names the path of a value that is not JSON, never the value (contract 5, 42)', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = [cycle];
    expect(problemOf({ cart: [0, 1, { when: new Date(0) }] })).toBe(
      'value.cart[2].when must be JSON, but it is a Date.',
    );
    expect(problemOf({ 'odd key': () => 'secret' })).toBe('value["odd key"] must be JSON, but it is a function.');
    expect(problemOf([1, undefined])).toBe('value[1] must be JSON, but it is undefined.');
    expect(problemOf(1n)).toBe('value must be JSON, but it is a bigint.');
    expect(problemOf({ n: Number.NaN })).toBe('value.n must be JSON, but it is NaN.');
    expect(problemOf(cycle)).toBe('value.self[0] must be JSON, but it refers back to a value that contains it.');
    expect(problemOf({ map: new Map() })).toBe('value.map must be JSON, but it is a Map.');
  });

  it(`accepts ${MAX_JSON_DEPTH} levels and rejects one more`, () => {
    const nest = (levels: number): unknown => (levels === 0 ? 1 : [nest(levels - 1)]);
    expect(copy(nest(MAX_JSON_DEPTH))).toEqual(nest(MAX_JSON_DEPTH));
    expect(problemOf(nest(MAX_JSON_DEPTH + 1))).toContain('deeper than 100 levels');
  });

  it('copies a value that occurs in two places twice, because it is not a cycle', () => {
    const shared = { a: 1 };
    expect(copy({ one: shared, other: [shared] })).toEqual({ one: { a: 1 }, other: [{ a: 1 }] });
  });

  it('treats __proto__ and constructor as plain keys (contract 5)', () => {
    const text = '{"__proto__":{"polluted":true},"constructor":{"prototype":1}}';
    const copied = copy(JSON.parse(text)) as { polluted?: boolean };
    expect([JSON.stringify(copied), copied.polluted, Object.getPrototypeOf(copied) === Object.prototype]).toEqual([
      text,
      undefined,
      true,
    ]);
    expect(JSON.stringify(thawJson(copied as Json))).toBe(text);
  });

  it('converts -0 to 0, as JSON text does', () => {
    expect(Object.is(copy(-0), 0)).toBe(true);
  });

  it('counts at least a sixth of the bytes of the JSON text', () => {
    const many = (value: unknown): unknown[] => Array.from({ length: 100 }, () => value);
    const kinds = [null, true, -Number.MAX_VALUE, '', '\u0001', '\ud800', [], {}, { '': null }, { '\u0001': 1 }];
    for (const value of [...kinds.map(many), {}, [], 'text', { a: 'b', c: [1, true, null, { d: 'é' }] }]) {
      const copier = new JsonCopier(failInvalidJson);
      copier.copy(value, 'value');
      expect(copier.size * 6).toBeGreaterThanOrEqual(jsonBytes(value as Json));
    }
  });
});

describe('thawJson', () => {
  it('returns a mutable copy', () => {
    const frozen = copy({ a: [{ b: 1 }] }) as { a: { b: number }[] };
    const thawed = thawJson(frozen);
    thawed.a[0]!.b = 2;
    expect(frozen.a[0]!.b).toBe(1);
  });
});

describe('deepFreeze', () => {
  it('freezes a value and all its members in place', () => {
    const value = { a: [{ b: 1 }] };
    expect(deepFreeze(value)).toBe(value);
    expect([Object.isFrozen(value), Object.isFrozen(value.a), Object.isFrozen(value.a[0])]).toEqual([true, true, true]);
  });
});

describe('jsonBytes', () => {
  it('returns the number of bytes of JSON text in UTF-8', () => {
    expect([jsonBytes('é'), jsonBytes('🙂'), jsonBytes({ a: 1 }), jsonBytes('\0')]).toEqual([4, 6, 7, 8]);
  });
});

describe('findNonJson', () => {
  it('returns undefined for JSON', () => {
    expect(findNonJson({ a: [null, 'x', 1, true, {}] }, 'value')).toBeUndefined();
  });
});

describe('isPlainObject', () => {
  it('accepts object literals of any realm and rejects instances of classes', () => {
    class Money {}
    expect([{}, Object.create(null), JSON.parse('{}')].map(isPlainObject)).toEqual([true, true, true]);
    expect([new Money(), new Date(), [], null, 'a', () => 1, new Map()].map(isPlainObject)).toEqual(
      Array(7).fill(false),
    );
  });
});

describe('typeName', () => {
  it('names types and classes, never values', () => {
    class Money {}
    const values = [
      undefined,
      null,
      'secret',
      7,
      true,
      [1],
      { a: 1 },
      new Money(),
      () => 1,
      Symbol('s'),
      new Error('secret'),
      new (class {})(),
    ];
    expect(values.map(typeName)).toEqual([
      'undefined',
      'null',
      'a string',
      'a number',
      'a boolean',
      'an array',
      'an object',
      'a Money',
      'a function',
      'a symbol',
      'an Error',
      'a class instance',
    ]);
  });
});
