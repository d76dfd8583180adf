import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { arrows } from './arrows.ts';
import { filesBelow, packages, read, root } from './workspace.ts';

const files = filesBelow('packages');
const folders = new Set(packages.map(({ folder }) => folder));

it('has every file that docs/architecture.md names in its layout', () => {
  const missing: string[] = [];
  let counted = 0;
  let owner: RegExp[] = [];
  let below = '';
  for (const line of sectionOf('Layout').split('\n')) {
    const start = /^packages\/([\w*-]+)\/src\//.exec(line);
    if (start) [owner, below] = [packagesLike(start[1]!), ''];
    else if (!line.startsWith(' ')) owner = [];
    const names = line.slice(start?.[0].length ?? 0);
    for (const [word] of names.matchAll(/[\w<>./-]+/g)) {
      if (/^[a-z]+\/$/.test(word)) below = word;
      if (!word.endsWith('.ts')) continue;
      for (const start of owner) {
        counted++;
        const name = start.source.match(/provider-([\w-]+)/)?.[1] ?? '';
        const wanted = new RegExp(
          `${start.source}(${below})?(.*/)?${word.replace('<name>', name).replaceAll('.', '\\.')}$`,
        );
        if (!files.some((file) => wanted.test(file))) missing.push(`${start.source}${below}${word}`);
      }
    }
  }
  expect(missing).toEqual([]);
  expect(counted).toBeGreaterThan(10);
});

it('has every file that docs/architecture.md names in "One message through the code"', () => {
  const missing: string[] = [];
  let counted = 0;
  for (const step of sectionOf('One message').split(/\n(?=\d+\. )/)) {
    let place = 'runner'; // package of a file without a path: the last package that this step names
    for (const [, path] of step.matchAll(/`([\w/-]+\.ts)`/g)) {
      const first = path!.split('/')[0]!;
      if (folders.has(first)) place = first;
      else if (path!.includes('/')) place = 'runner';
      counted++;
      const rest = path!.startsWith(`${place}/`) ? path!.slice(place.length + 1) : path!;
      if (!files.some((file) => file.startsWith(`packages/${place}/src/`) && file.endsWith(`/${rest}`)))
        missing.push(path!);
    }
  }
  expect(missing).toEqual([]);
  expect(counted).toBeGreaterThan(5);
});

it('allows the imports between packages that the table in docs/architecture.md lists', () => {
  const rows = [...sectionOf('Packages').matchAll(/^\| `?([\w-]+)`? \|.*\| ([^|]+) \|$/gm)];
  const documented = new Map(
    rows.map(([, name, mayImport]) => [name!, mayImport!.match(/[\w-]+/g)!.filter((word) => word in arrows)]),
  );
  for (const folder of folders) {
    const ours = (arrows[folder] ?? [])
      .filter((each) => each.startsWith('@thole/'))
      .map((each) => each.slice('@thole/'.length));
    if (folder in arrows) expect(documented.get(folder)?.sort(), folder).toEqual(ours.sort());
  }
});

it('has no link to a missing file in Markdown', () => {
  const documents = filesBelow('').filter((file) => file.endsWith('.md') && !file.startsWith('.changeset/'));
  const broken = documents.flatMap((file) =>
    [
      ...read(file)
        .replaceAll(/```[\s\S]*?```/g, '')
        .matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g),
    ]
      .map(([, target]) => target!)
      .filter((target) => !/^[a-z]+:/.test(target) && !existsSync(join(root, file, '..', target)))
      .map((target) => `${file} → ${target}`),
  );
  expect(broken).toEqual([]);
});

function sectionOf(title: string): string {
  expect(existsSync(join(root, 'docs/architecture.md')), 'docs/architecture.md, which this test reads').toBe(true);
  const section = read('docs/architecture.md')
    .split(/^## /m)
    .find((text) => text.startsWith(title));
  expect(section, `a section "${title}…" in docs/architecture.md`).toBeDefined();
  return section!;
}

function packagesLike(pattern: string): RegExp[] {
  const wanted = new RegExp(`^${pattern.replaceAll('*', '.*')}$`);
  return [...folders].filter((folder) => wanted.test(folder)).map((folder) => new RegExp(`^packages/${folder}/src/`));
}
