import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { build } from 'vite';

/** The page built from the current sources, by file name. */
const files = new Map<string, string>();

beforeAll(async () => {
  const configFile = join(import.meta.dirname, '..', 'vite.config.ts');
  const results = await build({ configFile, logLevel: 'error', build: { write: false } });
  for (const result of [results].flat()) {
    if (!('output' in result)) continue;
    for (const file of result.output) {
      files.set(file.fileName, file.type === 'chunk' ? file.code : Buffer.from(file.source).toString());
    }
  }
}, 120_000);

describe('The built page', () => {
  it('has less than 300 kB in total, gzipped', () => {
    const bytes = [...files.values()].reduce((sum, text) => sum + gzipSync(text).length, 0);
    expect(files.size).toBeGreaterThan(2);
    expect(bytes).toBeLessThan(300_000);
  });

  it('refers to its files by relative addresses, so that it works below any path', () => {
    const addresses = [...files.get('index.html')!.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address!);
    expect(addresses.length).toBeGreaterThan(2);
    for (const address of addresses) expect(address).toMatch(/^(\.\/|data:image\/)/);
  });

  it('loads no script, style, font or image from another host and has no inline script', () => {
    const html = files.get('index.html')!;
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)/);
    expect(html).not.toMatch(/\son\w+=/);
    for (const [name, text] of files) {
      if (name.endsWith('.css')) expect(text, name).not.toMatch(/url\(\s*["']?(https?:)?\/\/|@import/);
      if (name.endsWith('.js')) expect(text, name).not.toMatch(/\b(import|importScripts)\(\s*["'`]https?:/);
    }
  });

  it('loads the code highlighter on demand', () => {
    const entry = /src="\.\/(assets\/[^"]+\.js)"/.exec(files.get('index.html')!)![1]!;
    const lazy = [...files.keys()].filter((name) => name.startsWith('assets/highlight') && name.endsWith('.js'));
    expect(lazy).toHaveLength(1);
    expect(files.get(entry)).not.toContain('registerLanguage');
  });
});
