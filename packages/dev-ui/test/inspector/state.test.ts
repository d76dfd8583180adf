import { describe, expect, it } from 'vitest';
import { keyProblem, parseValue } from '../../page/inspector/state/parse-value.ts';
import { prefixOf, stateGroups } from '../../page/inspector/state/state-groups.ts';
import { stateHistory } from '../../page/inspector/state/state-history.ts';
import { event } from './events.ts';

const stateEvent = (id: string, stateDelta: Record<string, string | null>, invocationId = 'run-1') => {
  const unchanged = event({ id, invocationId });
  return { ...unchanged, actions: { ...unchanged.actions, stateDelta } };
};

describe('stateGroups', () => {
  it('sorts keys by scope and name, by the first prefix only', () => {
    const groups = stateGroups({ b: 1, a: 2, 'my user:x': 0, 'user:temp:x': 3, 'app:rate': 4 }, { 'temp:now': 5 });
    expect(groups.map(({ scope, rows }) => [scope, rows.map(({ name }) => name)])).toEqual([
      ['session', ['a', 'b', 'my user:x']],
      ['user', ['temp:x']],
      ['app', ['rate']],
      ['temp', ['now']],
    ]);
  });

  it('keeps an empty scope, so that a key can be added', () => {
    expect(stateGroups({})).toHaveLength(4);
    expect(prefixOf('session') + 'a').toBe('a');
    expect(prefixOf('user') + 'a').toBe('user:a');
  });
});

describe('stateHistory', () => {
  it('returns each change of a key with its earlier value, including deletions', () => {
    const { result } = stateHistory()([
      stateEvent('one', { a: 'x' }),
      stateEvent('two', { a: 'y', b: 'z' }),
      stateEvent('three', { a: null }),
    ]);
    expect(result.changes.get('a')!.map(({ eventId, before, value }) => [eventId, before, value])).toEqual([
      ['one', undefined, 'x'],
      ['two', 'x', 'y'],
      ['three', 'y', null],
    ]);
    expect(result.changes.get('b')).toHaveLength(1);
  });

  it('keeps temporary keys for their own invocation only', () => {
    const read = stateHistory();
    const events = [stateEvent('one', { 'temp:a': 'x' }), stateEvent('two', { 'temp:b': 'y' })];
    expect(read(events).result.temporary).toEqual({ 'temp:a': 'x', 'temp:b': 'y' });
    expect(read([...events, stateEvent('three', {}, 'run-2')]).result.temporary).toEqual({});
  });

  it('ignores partial events', () => {
    const { result } = stateHistory()([
      { ...stateEvent('one', { a: 'x' }), partial: true },
      stateEvent('one', { a: 'x' }),
    ]);
    expect(result.changes.get('a')).toHaveLength(1);
  });

  it('reads names such as __proto__ as ordinary keys', () => {
    const { result } = stateHistory()([stateEvent('one', { constructor: 'x' })]);
    expect(result.changes.get('constructor')).toHaveLength(1);
    expect(result.changes.get('toString')).toBeUndefined();
  });
});

describe('parseValue', () => {
  it('accepts all JSON except null', () => {
    for (const value of [1, 'a', true, [1], { a: 1 }, '']) expect(parseValue(JSON.stringify(value))).toEqual({ value });
    expect(parseValue('null')).toMatchObject({ problem: expect.stringContaining('Delete') });
  });

  it('rejects numbers that would lose digits, and keeps others unchanged', () => {
    for (const text of ['9007199254740993', '{"a":[-9007199254740993]}', '1e400'])
      expect(parseValue(text)).toMatchObject({ problem: expect.stringContaining('digits') });
    for (const text of ['9007199254740991', '9007199254740992', '1e+21', '0.1', '{"__proto__":1}'])
      expect(JSON.stringify(parseValue(text))).toBe(`{"value":${text}}`);
  });

  it('shows how to write a text if it has no quotes', () => {
    expect(parseValue('high floor')).toMatchObject({ problem: expect.stringContaining('"high floor"') });
    expect(parseValue('{"a":')).toMatchObject({ problem: expect.not.stringContaining('For text') });
    expect(parseValue('  ')).toMatchObject({ problem: expect.stringContaining('JSON value') });
  });
});

describe('keyProblem', () => {
  it('requires a name that is not taken', () => {
    expect(keyProblem(' ', [], 'session')).toBeDefined();
    expect(keyProblem('a', ['a'], 'session')).toBeDefined();
    expect(keyProblem('a', ['b'], 'session')).toBeUndefined();
  });

  it('rejects a name with the prefix of another scope in the session state', () => {
    expect(keyProblem('temp:a', [], 'session')).toContain('not stored');
    expect(keyProblem('user:a', [], 'session')).toContain('the user state');
    expect(keyProblem('app:a', [], 'session')).toContain('the app state');
    expect(keyProblem('my user:a', [], 'session')).toBeUndefined();
    expect(keyProblem('temp:a', [], 'user')).toBeUndefined();
  });
});
