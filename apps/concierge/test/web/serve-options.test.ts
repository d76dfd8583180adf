import { expect, it } from 'vitest';
import { readServeOptions } from '../../src/web/serve-options.ts';

it('takes a port, and nothing else but help', () => {
  expect(readServeOptions(['--', '--port', '8123'])).toEqual({ port: 8123, help: false });
  expect(readServeOptions([])).toEqual({ port: undefined, help: false });
  expect(readServeOptions(['--help']).help).toBe(true);
});

it.each([['--port', 'x'], ['--port', '-1'], ['--port', '123456'], ['--host', '0.0.0.0'], ['here']])(
  'refuses %s %s',
  (...argv) => {
    expect(() => readServeOptions(argv)).toThrow();
  },
);
