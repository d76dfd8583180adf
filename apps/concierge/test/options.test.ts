import { describe, expect, it } from 'vitest';
import { CHAT_USAGE, readChatOptions, readServerOptions, SERVER_USAGE } from '../src/options.ts';

const common = { memory: true, verbose: false, help: false };

describe('readServerOptions', () => {
  it('reads port, memory and help', () => {
    expect(readServerOptions([])).toEqual({ ...common, port: undefined });
    expect(readServerOptions(['--', '--port', '8123'])).toEqual({ ...common, port: 8123 });
    expect(readServerOptions(['--no-memory', '--help'])).toEqual({ memory: false, verbose: false, help: true });
  });

  it.each([
    ['--port', 'x'],
    ['--port', '-1'],
    ['--port', '123456'],
    ['--port', ''],
    ['--host', '0.0.0.0'],
    ['--guest', 'bob'],
    ['here', ''],
  ])('rejects %s %s', (...argv) => {
    expect(() => readServerOptions(argv)).toThrow();
  });
});

describe('readChatOptions', () => {
  it('reads guest, memory, streaming, stacks and help', () => {
    expect(readChatOptions([])).toEqual({ ...common, guest: 'user', stream: true });
    const argv = ['--guest', 'bob', '--no-memory', '--no-stream', '--verbose', '--help'];
    const all = { guest: 'bob', memory: false, stream: false, verbose: true, help: true };
    expect(readChatOptions(argv)).toEqual(all);
    expect(() => readChatOptions(['--port', '1'])).toThrow('--port');
  });
});

describe('usage texts', () => {
  it('name the options of their program', () => {
    const named = (usage: string): string[] => [...usage.matchAll(/^ {2}(--[\w-]+)/gm)].map(([, name]) => name!);
    expect(named(SERVER_USAGE)).toEqual(['--port', '--no-memory', '--verbose', '--help']);
    expect(named(CHAT_USAGE)).toEqual(['--guest', '--no-memory', '--no-stream', '--verbose', '--help']);
  });
});
