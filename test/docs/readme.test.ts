import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { differences, replaceBetween } from '../../scripts/readme-figures.mjs';
import { filesBelow, read, root } from '../architecture/workspace.ts';
import { importedBy, installedBy } from './page.ts';

const readme = read('README.md');
/** The names of options in the code, which the compiler compares with the interface. */
const OPTION_LIST = /\boptionNames<(?:\w+Options|App|Concurrency|RunRequest)\b[^>]*>\(\{([^}]*)\}/g;

describe('README.md', () => {
  it('has the figures of docs/benchmarks.md', () => {
    const current = replaceBetween(readme, 'figures', differences(read('docs/benchmarks.md')));
    expect(readme, 'run `pnpm bench --write`').toBe(current);
  });

  it('names five differences with a figure each', () => {
    const lines = differences(read('docs/benchmarks.md')).split('\n');
    expect(lines).toHaveLength(5);
    expect(lines.filter((line) => !/\d/.test(line))).toEqual([]);
  });

  it('fits two screens, with a program of at most 15 lines', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(110);
    const [, program] = /```ts\n([\s\S]*?)\n```/.exec(readme)!;
    expect(program!.split('\n').length).toBeLessThanOrEqual(15);
  });

  it('names a guide and the tests of each protocol', () => {
    const rows = /\| protocol \|.*\n\|.*\n((?:\|.*\n)+)/.exec(readme)![1]!.trim().split('\n');
    expect(rows.length).toBeGreaterThanOrEqual(10);
    for (const row of rows) {
      const [guides, tests] = row
        .split('|')
        .slice(3, 5)
        .map((cell) => [...cell.matchAll(/\]\(([^)]+)\)/g)].map(([, path]) => path!));
      expect(guides, row).not.toEqual([]);
      expect(tests, row).not.toEqual([]);
      for (const path of tests!) expect(path).toMatch(/\.test\.ts$/);
      expect([...guides!, ...tests!].filter((path) => !existsSync(join(root, path)))).toEqual([]);
    }
  });

  it('says how to install and how to start without a key', () => {
    for (const command of ['node scripts/run.mjs tarballs', 'npm start', 'npm test']) expect(readme).toContain(command);
    expect(readme).toMatch(/no key\?/i);
  });
});

describe('README of each package', () => {
  const pages = filesBelow('packages').filter((path) => /^packages\/[\w-]+\/README\.md$/.test(path));

  it.each(pages)('%s installs the packages that its first program imports', (path) => {
    const commands = /^```sh\n([\s\S]*?)^```$/m.exec(read(path))?.[1];
    const program = /<!-- first program -->\s*```ts\n([\s\S]*?)^```$/m.exec(read(path))?.[1];
    expect(commands, 'a block of ```sh with the commands of the installation').toBeDefined();
    expect(program, 'a block of ```ts after <!-- first program -->').toBeDefined();
    expect(installedBy(commands!)).toEqual(expect.arrayContaining(importedBy(program!)));
  });

  // npm puts the dependencies of a package where programs find them, pnpm does not.
  it.each(pages)('%s installs @thole/core if one of its programs imports it', (path) => {
    const commands = /^```sh\n([\s\S]*?)^```$/m.exec(read(path))![1]!;
    const programs = [...read(path).matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, program]) => program!);
    const imported = programs.flatMap(importedBy).filter((name) => name === '@thole/core');
    expect(installedBy(commands)).toEqual(expect.arrayContaining(imported));
  });

  // `thole` has the options of `Runner`, which are in the README of the runner.
  it.each(pages.filter((path) => path !== 'packages/thole/README.md'))('%s names every option', (path) => {
    const sources = filesBelow(path.replace('README.md', 'src')).filter((file) => file.endsWith('.ts'));
    const lists = sources.flatMap((file) => [...read(file).matchAll(OPTION_LIST)].map(([, list]) => list!));
    const options = lists.flatMap((list) => [...list.matchAll(/(\w+): true/g)].map(([, name]) => name!));
    const inCode = [...read(path).matchAll(/^```[\s\S]*?^```$|`[^`\n]+`/gm)].join('\n');
    expect(options.filter((name) => !new RegExp(`\\b${name}\\b`).test(inCode))).toEqual([]);
  });
});

describe('differences', () => {
  it('throws if the page has no such figure', () => {
    expect(() => differences('# Benchmarks\n')).toThrow('does not have a figure');
  });
});
