import { describe, expect, it } from 'vitest';
import { readOptions, usageOf } from '../src/options.ts';

const usual = { port: undefined, guest: 'user', memory: true, streaming: true, verbose: false, help: false };

describe('the options of npm start', () => {
  it('are a port, no memory, and help', () => {
    expect(readOptions('start', [])).toEqual(usual);
    expect(readOptions('start', ['--', '--port', '8123'])).toEqual({ ...usual, port: 8123 });
    expect(readOptions('start', ['--no-memory', '--help'])).toEqual({ ...usual, memory: false, help: true });
  });

  it.each([
    ['--port', 'x'],
    ['--port', '-1'],
    ['--port', '123456'],
    ['--host', '0.0.0.0'],
    ['--guest', 'bob'],
    ['here', ''],
  ])('are not %s %s', (...argv) => {
    expect(() => readOptions('start', argv)).toThrow();
  });
});

describe('the options of npm run chat', () => {
  it('are a guest, no memory, no streaming, and help', () => {
    expect(readOptions('chat', [])).toEqual(usual);
    const argv = ['--guest', 'bob', '--no-memory', '--no-stream', '--verbose', '--help'];
    const asked = { guest: 'bob', memory: false, streaming: false, verbose: true, help: true };
    expect(readOptions('chat', argv)).toEqual({ ...usual, ...asked });
    expect(() => readOptions('chat', ['--port', '1'])).toThrow('--port');
  });
});

it('each program tells the options that it takes, and no others', () => {
  const named = (usage: string): string[] => [...usage.matchAll(/^ {2}(--[\w-]+)/gm)].map(([, name]) => name!);
  expect(named(usageOf('start'))).toEqual(['--port', '--no-memory', '--verbose', '--help']);
  expect(named(usageOf('chat'))).toEqual(['--guest', '--no-memory', '--no-stream', '--verbose', '--help']);
});
