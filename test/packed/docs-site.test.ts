import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { read, root } from '../architecture/workspace.ts';
import { run } from './workspace-copy.ts';

const site = join(root, 'docs/.vitepress/dist');
const pages = new Map<string, string>();

beforeAll(async () => {
  // The flag of `pnpm run docs`: 900 pages create many short-lived objects.
  await run(root, process.execPath, ['--max-semi-space-size=64', 'scripts/docs.mjs']);
  for (const page of globSync('**/*.html', { cwd: site })) pages.set(page, readFileSync(join(site, page), 'utf8'));
}, 300_000);

describe('pnpm run docs', () => {
  it('makes a page for every page of docs', () => {
    const sources = globSync('**/*.md', { cwd: join(root, 'docs') });
    const expectedPages = sources.map((file) => file.replace(/README\.md$/, 'README.html').replace(/\.md$/, '.html'));
    expect(expectedPages.filter((page) => !pages.has(page))).toEqual([]);
  });

  it('makes pages without dead links and without links to missing headings', () => {
    const deadLinks = new Set<string>();
    for (const [page, html] of pages) {
      for (const [, target] of html.matchAll(/<a[^>]* href="([^"]*)"/g)) {
        if (!hasTarget(page, target!.replaceAll('&amp;', '&'))) deadLinks.add(`${page} → ${target}`);
      }
    }
    expect([...deadLinks]).toEqual([]);
  });

  it('makes a search that finds guides and names', () => {
    const [index] = globSync('assets/chunks/@localSearchIndexroot.*.js', { cwd: site });
    const text = readFileSync(join(site, index!), 'utf8');
    expect(text).toContain('Security checklist');
    expect(text).toContain('DatabaseSessionService');
    expect(pages.get('index.html')).toContain('VPNavBarSearch');
  });

  it('makes a reference of every public name except those of kits', () => {
    const missing = globSync('packages/*/exports.txt', { cwd: root }).flatMap((file) => {
      const folder = file.split('/')[1]!;
      const place = folder === 'thole' ? 'reference/thole/index.html' : `reference/@thole/${folder}/index.html`;
      const [, main = ''] = /^# \.\n([^#]*)/m.exec(read(file)) ?? [];
      const names = main.split('\n').filter((name) => name !== '');
      return names.filter((name) => !pages.get(place)?.includes(`>${name}<`)).map((name) => `${folder}: ${name}`);
    });
    expect(missing).toEqual([]);
  });

  it('links the names in guides to the reference', () => {
    expect(pages.get('guides/security.html')).toContain('href="../reference/@thole/server/functions/bearerToken.html"');
  });
});

function hasTarget(page: string, target: string): boolean {
  if (/^(?:https?|mailto):/.test(target)) return true;
  const [path = '', hash = ''] = target.split('#');
  const file = path === '' ? page : path.startsWith('/') ? path.slice(1) : join(dirname(page), path);
  const found = [file, join(file, 'index.html'), `${file}.html`].find((each) => pages.has(each));
  if (found === undefined) return path !== '' && existsSync(join(site, file));
  return hash === '' || pages.get(found)!.includes(`id="${decodeURIComponent(hash)}"`);
}
