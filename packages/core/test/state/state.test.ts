import { State, TholeError } from '@thole/core';
import { applyDelta, getOwn } from '@thole/core/kit';
import type { Json, StateMap } from '@thole/core';
import type { StateView } from '@thole/core/kit';
import { describe, expect, expectTypeOf, it } from 'vitest';

const over = (live: StateMap): StateView => ({
  read: (key) => getOwn(live, key),
  copyInto: (target) => applyDelta(target, live),
});

describe('State', () => {
  it('gives a value the type of its fallback, not the literal type', () => {
    const state = new State({ read: () => undefined, copyInto: () => {} });
    expectTypeOf(state.get('tries', 0)).toEqualTypeOf<number>();
    expectTypeOf(state.get('city', '')).toEqualTypeOf<string>();
    expectTypeOf(state.get('late', false)).toEqualTypeOf<boolean>();
    expectTypeOf(state.get('room', { number: 912 })).toEqualTypeOf<{ number: number }>();
    expectTypeOf(state.get<'a' | 'b'>('mode', 'a')).toEqualTypeOf<'a' | 'b'>();
    expectTypeOf(state.get('other')).toEqualTypeOf<Json | undefined>();
    expect([state.get('tries', 0) === 3, state.get('city', '')]).toEqual([false, '']);
  });

  it('returns its own changes, otherwise values of the view', () => {
    const live: StateMap = { a: 1, b: 2 };
    const state = new State(over(live));
    state.set('a', 10);
    live['b'] = 20;
    expect([state.get('a'), state.get('b'), state.get('c'), state.get('c', 3), live['a']]).toEqual([
      10,
      20,
      undefined,
      3,
      1,
    ]);
    expect(state.toRecord()).toEqual({ a: 10, b: 20 });
  });

  it('returns its changes only once from takeDelta', () => {
    const state = new State(over({}));
    expect([state.hasDelta(), state.takeDelta()]).toEqual([false, undefined]);
    state.update({ a: 1, b: null, c: undefined as never });
    expect([state.hasDelta(), state.takeDelta(), state.hasDelta(), state.takeDelta()]).toEqual([
      true,
      { a: 1, b: null },
      false,
      undefined,
    ]);
  });

  it('shows the changes of takeDelta until they are settled, newer changes first', () => {
    const state = new State(over({ a: 0, b: 0, d: 0 }));
    state.update({ a: 1, b: 1, d: 1 });
    const first = state.takeDelta()!;
    state.update({ a: 2, c: 2, d: null });
    const second = state.takeDelta()!;
    expect([state.get('a'), state.get('b'), state.has('d')]).toEqual([2, 1, false]);
    expect(state.toRecord()).toEqual({ a: 2, b: 1, c: 2 });
    state.settle(first);
    expect([state.get('b'), state.toRecord()]).toEqual([0, { a: 2, b: 0, c: 2 }]);
    state.settle(second);
    expect(state.toRecord()).toEqual({ a: 0, b: 0, d: 0 });
  });

  it('hides a key that it deletes', () => {
    const state = new State(over({ a: 1 }));
    state.delete('a');
    expect([state.has('a'), state.get('a'), state.get('a', 5), state.toRecord(), state.takeDelta()]).toEqual([
      false,
      undefined,
      5,
      {},
      { a: null },
    ]);
  });

  it('stores a frozen copy of a value', () => {
    const state = new State(over({}));
    const cart = { items: [1] };
    state.set('cart', cart);
    cart.items.push(2);
    expect(state.get('cart')).toEqual({ items: [1] });
    expect(Object.isFrozen(state.get<{ items: number[] }>('cart')!.items)).toBe(true);
  });

  it('writes temp: keys directly if the view has them, otherwise to the delta (contract 4)', () => {
    const temp: StateMap = {};
    const [one, other] = [new State(over({}), { temp }), new State(over({}), { temp })];
    one.set('temp:a', 1);
    expect([other.get('temp:a'), one.hasDelta(), one.toRecord()]).toEqual([1, false, { 'temp:a': 1 }]);
    other.delete('temp:a');
    expect([one.has('temp:a'), temp]).toEqual([false, {}]);
    const alone = new State(over({}));
    alone.set('temp:a', 1);
    expect([alone.get('temp:a'), alone.takeDelta()]).toEqual([1, { 'temp:a': 1 }]);
  });

  it('treats __proto__, constructor and toString as plain keys (contract 5)', () => {
    const state = new State(over({}));
    for (const key of ['__proto__', 'constructor', 'toString']) {
      expect([state.has(key), state.get(key)]).toEqual([false, undefined]);
      state.set(key, key);
      expect([state.has(key), state.get(key)]).toEqual([true, key]);
    }
    expect(JSON.stringify(state.toRecord())).toBe(
      '{"__proto__":"__proto__","constructor":"constructor","toString":"toString"}',
    );
    expect(Object.keys(state.takeDelta()!)).toEqual(['__proto__', 'constructor', 'toString']);
  });

  it('rejects a value that is not JSON with its path and changes nothing (contract 5)', () => {
    const state = new State(over({}));
    expect(() => state.set('a', { when: new Date() } as unknown as Json)).toThrow(
      'state["a"].when must be JSON, but it is a Date.',
    );
    expect(() => state.set('a', undefined as unknown as Json)).toThrow('state["a"]');
    expect(() => state.update({ good: 1, bad: (() => 1) as unknown as Json })).toThrow('state.bad');
    for (const changes of [null, undefined, 'text', [1]])
      expect(() => state.update(changes as never)).toThrow('State changes must be an object');
    expect(() => state.set(7 as never, 1)).toThrow('A state key must be a string');
    expect(state.hasDelta()).toBe(false);
  });

  it('calls guard before each write, not before reads', () => {
    const guard = (): void => {
      throw new TholeError('CONTEXT_CLOSED', 'The call has ended.');
    };
    const state = new State(over({ a: 1 }), { guard });
    for (const write of [() => state.set('a', 2), () => state.delete('a'), () => state.update({ a: 2 })])
      expect(write).toThrow('The call has ended.');
    expect(state.get('a')).toBe(1);
  });
});
