import { describe, expect, it } from 'vitest';
import { keyProblem, parseValue } from '../../page/inspector/state/parse-value.ts';
import { prefixOf, stateGroups } from '../../page/inspector/state/state-groups.ts';
import { stateHistory } from '../../page/inspector/state/state-history.ts';
import { event } from './events.ts';

const changing = (id: string, stateDelta: Record<string, string | null>, invocationId = 'run-1') => {
  const made = event({ id, invocationId });
  return { ...made, actions: { ...made.actions, stateDelta } };
};

describe('stateGroups', () => {
  it('sorts keys by scope and name, and goes by the first prefix alone', () => {
    const groups = stateGroups({ b: 1, a: 2, 'my user:x': 0, 'user:temp:x': 3, 'app:rate': 4 }, { 'temp:now': 5 });
    expect(groups.map(({ scope, rows }) => [scope, rows.map(({ name }) => name)])).toEqual([
      ['session', ['a', 'b', 'my user:x']],
      ['user', ['temp:x']],
      ['app', ['rate']],
      ['temp', ['now']],
    ]);
  });

  it('keeps an empty scope: that is where the first key is added', () => {
    expect(stateGroups({})).toHaveLength(4);
    expect(prefixOf('session') + 'a').toBe('a');
    expect(prefixOf('user') + 'a').toBe('user:a');
  });
});

describe('stateHistory', () => {
  it('tells each change of a key with what it was before, deletions included', () => {
    const { of } = stateHistory()([
      changing('one', { a: 'x' }),
      changing('two', { a: 'y', b: 'z' }),
      changing('three', { a: null }),
    ]);
    expect(of.changes.get('a')!.map(({ eventId, before, value }) => [eventId, before, value])).toEqual([
      ['one', undefined, 'x'],
      ['two', 'x', 'y'],
      ['three', 'y', null],
    ]);
    expect(of.changes.get('b')).toHaveLength(1);
  });

  it('keeps temporary keys for their own invocation only', () => {
    const read = stateHistory();
    const events = [changing('one', { 'temp:a': 'x' }), changing('two', { 'temp:b': 'y' })];
    expect(read(events).of.temporary).toEqual({ 'temp:a': 'x', 'temp:b': 'y' });
    expect(read([...events, changing('three', {}, 'run-2')]).of.temporary).toEqual({});
  });

  it('does not count what is only being written', () => {
    const { of } = stateHistory()([{ ...changing('one', { a: 'x' }), partial: true }, changing('one', { a: 'x' })]);
    expect(of.changes.get('a')).toHaveLength(1);
  });

  it('takes names of objects for nothing but names', () => {
    const { of } = stateHistory()([changing('one', { constructor: 'x' })]);
    expect(of.changes.get('constructor')).toHaveLength(1);
    expect(of.changes.get('toString')).toBeUndefined();
  });
});

describe('parseValue', () => {
  it('takes any JSON but null', () => {
    for (const value of [1, 'a', true, [1], { a: 1 }, '']) expect(parseValue(JSON.stringify(value))).toEqual({ value });
    expect(parseValue('null')).toMatchObject({ problem: expect.stringContaining('Delete') });
  });

  it('says how to write a text when letters were typed as they are', () => {
    expect(parseValue('high floor')).toMatchObject({ problem: expect.stringContaining('"high floor"') });
    expect(parseValue('{"a":')).toMatchObject({ problem: expect.not.stringContaining('For text') });
    expect(parseValue('  ')).toMatchObject({ problem: expect.stringContaining('JSON value') });
  });
});

describe('keyProblem', () => {
  it('wants a name that is not taken', () => {
    expect(keyProblem(' ', [])).toBeDefined();
    expect(keyProblem('a', ['a'])).toBeDefined();
    expect(keyProblem('a', ['b'])).toBeUndefined();
  });
});
