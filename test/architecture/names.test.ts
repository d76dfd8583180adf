import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { entriesOf, exportsText, namesOf } from '../../scripts/exports.mjs';
import { codeOf } from './imports.ts';
import { filesBelow, packages, read, root } from './workspace.ts';

describe.each(packages.map(({ folder }) => folder))('packages/%s', (folder) => {
  it('exports the names of its exports.txt (`node scripts/exports.mjs` writes it)', () => {
    expect(existsSync(join(root, `packages/${folder}/exports.txt`)), `packages/${folder}/exports.txt`).toBe(true);
    expect(
      withoutBlankLines(read(`packages/${folder}/exports.txt`)),
      `run \`node scripts/exports.mjs ${folder}\``,
    ).toEqual(withoutBlankLines(exportsText(folder)));
  });

  it('documents every exported name', () => {
    const undocumented = declarationsOf(folder)
      .filter(({ name, text }) => !new RegExp(`\\*\\/\\n${declared(name)}`, 'm').test(text))
      .map(({ name, file }) => `${file}: ${name}`);
    expect(undocumented, 'write a doc comment directly above the declaration').toEqual([]);
  });

  it('declares every exported name where index.ts says', () => {
    const missing = declarationsOf(folder).filter(({ name, text }) => !new RegExp(declared(name), 'm').test(text));
    expect(missing.map(({ name, file }) => `${file}: ${name}`)).toEqual([]);
  });
});

// A user sees these names first. Names that only our own packages need belong in @thole/core/kit.
it.each([
  ['core', 200],
  ['thole', 150],
])('keeps the main entry of packages/%s at %i names or fewer', (folder, limit) => {
  expect(namesOf(folder, 'src/index.ts').length).toBeLessThanOrEqual(limit);
});

it('registers every exported service with its suite', () => {
  const suites = ['packages', 'apps', 'test']
    .flatMap(filesBelow)
    .filter((file) => file.endsWith('.test.ts'))
    .map(codeOf)
    .filter((code) => /\bregister\(/.test(code));
  const unregistered = packages
    .filter(({ folder }) => folder.endsWith('-services'))
    .flatMap(({ folder }) => declarationsOf(folder))
    .filter(({ name, text }) => name.endsWith('Service') && new RegExp(`^export class ${name}\\b`, 'm').test(text))
    .filter(({ name }) => !suites.some((code) => new RegExp(`\\bnew ${name}\\(`).test(code)))
    .map(({ name, file }) => `${name} (${file})`);
  expect(unregistered, 'call `register` with `new <Service>(` in a test').toEqual([]);
});

it('imports only exported names in the programs of Markdown files', () => {
  const exported = new Map(
    packages.flatMap(({ folder, manifest }) =>
      entriesOf(folder).map(([entry, file]) => [
        manifest.name + entry.slice(1),
        new Set(namesOf(folder, file).map(([name]) => name)),
      ]),
    ),
  );
  const programs = ['README.md', 'CONTRIBUTING.md', ...['packages', 'apps', 'docs'].flatMap(filesBelow)].filter(
    (file) => file.endsWith('.md'),
  );
  const imported = programs.flatMap((file) =>
    [...read(file).matchAll(/^import (?:type )?\{([^}]*)\} from '((?:@thole\/|thole)[^']*)';$/gm)].flatMap(
      ([, list, from]) =>
        list!
          .split(',')
          .map(
            (each) =>
              each
                .trim()
                .replace(/^type /, '')
                .split(' as ')[0]!,
          )
          .filter((name) => name !== '')
          .map((name) => ({ file, name, from: from! })),
    ),
  );
  const missing = imported.filter(({ name, from }) => !exported.get(from)?.has(name));
  expect(imported.length).toBeGreaterThan(200);
  expect(missing.map(({ file, name, from }) => `${file}: ${name} of ${from}`)).toEqual([]);
});

/**
 * Returns the declarations of a package's own exported names with their files' texts, without re-exports of other
 * packages.
 */
function declarationsOf(folder: string): { name: string; file: string; text: string }[] {
  return entriesOf(folder).flatMap(([, entry]) =>
    namesOf(folder, entry)
      .filter(([, { from }]) => from === undefined || from.startsWith('.'))
      .map(([, { name, from }]) => {
        const path = `packages/${folder}/${entry}`;
        const file = from === undefined ? path : posix.join(posix.dirname(path), from);
        return { name, file, text: read(file) };
      }),
  );
}

function declared(name: string): string {
  return `^export (declare )?(abstract )?(async )?(class|function\\*?|interface|type|const) ${name}\\b`;
}

function withoutBlankLines(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}
