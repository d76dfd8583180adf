import { readdir, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

const source = new URL('../src/', import.meta.url);

it('@thole/core uses Node APIs only if they exist: process.env, nextTick and setImmediate', async () => {
  for (const file of await readdir(source, { recursive: true })) {
    // This file checks whether the functions exist.
    if (!file.endsWith('.ts') || file === 'runtime/node-globals.ts') continue;
    const text = withoutComments(await readFile(new URL(file, source), 'utf8'));
    expect(text, file).not.toMatch(/from '(?!\.)|import\('|node:|\bBuffer\b|\brequire\b|__dirname|\bsetImmediate\b/);
    const asking = /\(globalThis as \{[^)]*\)\.process\?\.env/g;
    expect(text.replaceAll(asking, ''), file).not.toMatch(/(?<![-\w])process\??\.\w/);
  }
});

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|(?<=[;{]) \/\/.*$/gm, '');
}
