import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readOptions } from '../src/options.ts';

describe('readOptions', () => {
  it('reads the folder of the option, of the environment, or the default one', () => {
    expect(readOptions(['--data', 'a'], { THOLE_DATA: 'b' }).folder).toBe(resolve('a'));
    expect(readOptions([], { THOLE_DATA: 'b', INIT_CWD: '/c' }).folder).toBe(resolve('/c/b'));
    for (const empty of [readOptions(['--data', ''], {}), readOptions([], { THOLE_DATA: '' })])
      expect(empty.folder).toBe(resolve('.thole/companion'));
  });

  it.each(['', ' ', '-1', '1e3', 'x', '65536'])('rejects the port "%s" with INVALID_INPUT', (port) => {
    expect(() => readOptions([`--port=${port}`], {})).toThrow('--port must be an integer from 0 to 65535.');
  });

  it('reads the arguments of grow, and rejects other commands', () => {
    expect(readOptions(['--', 'grow', 'apply', '1', '--user', 'ann'], {})).toMatchObject({
      grow: ['apply', '1'],
      user: 'ann',
      port: undefined,
    });
    expect(() => readOptions(['growl'], {})).toThrow('The only command is grow.');
    expect(() => readOptions(['--user', 'ann'], {})).toThrow('--user is only for grow.');
  });
});
