import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const folder = join(import.meta.dirname, '../src/scripts');

it('says in the head of every script what it does, with which keys, and what it answers', () => {
  const heads = readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')] as const);
  const scripts = heads.filter(([, text]) => text.includes('redisScript(`'));
  expect(scripts.length).toBeGreaterThan(20);
  const silent = scripts.filter(([file, text]) => {
    const name = file.slice(0, -'.lua.ts'.length);
    return (
      !text.includes(`\n * ${name}`) || !/ \* KEYS: /.test(text) || !/ \* ARGV/.test(text) || !/ \* Answers /.test(text)
    );
  });
  expect(silent.map(([file]) => file)).toEqual([]);
});

it('scans no keys and builds no script of anything given (contract 1)', () => {
  const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
  expect(texts.filter((text) => /'(?:KEYS|SCAN|HSCAN|SSCAN|ZSCAN|FLUSHALL|FLUSHDB)'|loadstring/.test(text))).toEqual(
    [],
  );
});
