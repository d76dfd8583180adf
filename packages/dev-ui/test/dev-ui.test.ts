import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { devUi } from '../src/index.ts';
import { contentTypeOf } from '../src/content-type-of.ts';

const folder = join(import.meta.dirname, '..', 'dist', 'page');
const isBuilt = existsSync(join(folder, 'index.html'));
const files = isBuilt
  ? readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) =>
        join(entry.parentPath, entry.name)
          .slice(folder.length + 1)
          .replaceAll('\\', '/'),
      )
  : [];

describe('devUi', () => {
  it('returns the page, or a page with the command that builds it', async () => {
    const page = await devUi()('');
    expect(page?.type).toBe('text/html; charset=utf-8');
    expect(new TextDecoder().decode(Buffer.from(page!.body))).toContain(
      isBuilt ? 'id="page"' : 'pnpm --filter @thole/dev-ui build',
    );
  });

  it('returns every file of the page by its name, with its type', async () => {
    const ui = devUi();
    for (const name of files) {
      const file = await ui(name);
      expect(Buffer.from(file!.body).equals(readFileSync(join(folder, name))), name).toBe(true);
      expect(file!.type, name).toBe(contentTypeOf(name));
    }
  });

  it('returns undefined for missing files, and for files outside the folder', async () => {
    const ui = devUi();
    const paths = [
      '../index.js',
      '../../package.json',
      '..%2f..%2fpackage.json',
      'assets/../../index.js',
      'assets',
      'assets/',
      '/etc/passwd',
      '//etc/passwd',
      'index.html/',
      './index.html',
      'INDEX.HTML',
      'index.html\0.js',
      '..\\index.js',
      'file:///etc/passwd',
      'constructor',
      '__proto__',
    ];
    for (const path of paths) expect(await ui(path), path).toBeUndefined();
  });
});

describe('contentTypeOf', () => {
  it('returns the media type of each kind of file', () => {
    const names = ['index.html', 'a.js', 'a.css', 'a.svg', 'a.b.json', 'noending', 'a.constructor'];
    expect(names.map(contentTypeOf)).toEqual([
      'text/html; charset=utf-8',
      'text/javascript; charset=utf-8',
      'text/css; charset=utf-8',
      'image/svg+xml',
      'application/json',
      'application/octet-stream',
      'application/octet-stream',
    ]);
  });
});
