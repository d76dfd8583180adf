import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readLuaFile } from '../../src/client/read-lua-file.ts';
import { redisScript } from '../../src/client/redis-script.ts';
import { createLuaModule } from '../../inline-lua.ts';

const src = join(import.meta.dirname, '../../src');
const names = globSync('**/*.lua', { cwd: src })
  .map((file) => file.replaceAll('\\', '/').slice(0, -'.lua'.length))
  .sort();
const shared = names.filter((name) => readLuaFile(name).startsWith('-- Shared code'));

describe('Lua files', () => {
  it('describe purpose, keys, arguments and reply of each script at its start', () => {
    const scripts = names.filter((name) => !shared.includes(name));
    expect(scripts.length).toBeGreaterThan(20);
    const head = /^-- [A-Z][^]*?\n-- KEYS: [^]*?\n-- ARGV: [^]*?\n-- Returns: [^]*?\n(?!--)/;
    expect(scripts.filter((name) => !head.test(readLuaFile(name)))).toEqual([]);
  });

  it('are all used, the shared code by two scripts or more', () => {
    const code = globSync('**/*.ts', { cwd: src }).map((file) => readFileSync(join(src, file), 'utf8'));
    const unused = names.filter((name) => {
      if (shared.includes(name)) return names.filter((each) => includesOf(each).includes(name)).length < 2;
      return !code.some((text) => text.includes(`redisScript('${name}')`));
    });
    expect(unused).toEqual([]);
  });

  it('neither scan keys nor run code from data (contract 1)', () => {
    const forbidden = /'(?:KEYS|SCAN|HSCAN|SSCAN|ZSCAN|FLUSHALL|FLUSHDB)'|loadstring/;
    expect(names.filter((name) => forbidden.test(readLuaFile(name)))).toEqual([]);
  });
});

describe('redisScript', () => {
  it('replaces each include by the code of that file', () => {
    const { source } = redisScript('session/append-event');
    expect(source).not.toContain('@include');
    expect(source.match(/^local late = /gm)).toHaveLength(1);
    expect(source.match(/^local function (\w+)/gm)).toEqual([
      'local function apply_state',
      'local function add_to_outbox',
      'local function list_waiting',
      'local function drop_expired',
      'local function set_expiry',
      'local function add_expiry',
    ]);
  });
});

describe('inlineLua', () => {
  it('replaces the file reader by a module with the texts of all Lua files', async () => {
    const built = (await import(`data:text/javascript,${encodeURIComponent(createLuaModule())}`)) as {
      readLuaFile: typeof readLuaFile;
    };
    expect(names.length).toBeGreaterThan(30);
    for (const name of names) expect(built.readLuaFile(name)).toBe(readLuaFile(name));
    expect(createLuaModule()).not.toMatch(/\bimport\b|readFile(?:Sync)?\(/);
  });

  it('replaces the only module that reads Lua files', () => {
    const readers = globSync('**/*.ts', { cwd: src }).filter((file) =>
      readFileSync(join(src, file), 'utf8').includes('.lua`'),
    );
    expect(readers.map((file) => file.replaceAll('\\', '/'))).toEqual(['client/read-lua-file.ts']);
  });
});

function includesOf(name: string): string[] {
  return [...readLuaFile(name).matchAll(/^-- @include (\S+)$/gm)].map(([, included]) => included!);
}
