import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packages, read, root } from './architecture/workspace.ts';

const rows = read('docs/features.md')
  .split('\n')
  .filter((line) => /^\| F\d/.test(line))
  .map((line) => {
    const [id = '', , code = '', testCell = ''] = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    return { id, code, files: [...testCell.matchAll(/`([^`]+)`/g)].map(([, file]) => file!) };
  });
const tests = /(\.test\.ts|^packages\/testing\/src\/suites\/[a-z-]+-cases\.ts)$/;

it('docs/features.md lists each feature once, in order', () => {
  const ids = rows.map(({ id }) => id);
  expect(ids.length).toBeGreaterThan(100);
  expect(ids).toEqual([...new Set(ids)].toSorted());
});

it('docs/features.md names an existing test for each feature', () => {
  expect(rows.filter(({ files }) => files.length === 0).map(({ id }) => id)).toEqual([]);
  const missing = rows.flatMap(({ id, files }) =>
    files.filter((file) => !tests.test(file) || !existsSync(join(root, file))).map((file) => `${id}: ${file}`),
  );
  expect(missing).toEqual([]);
});

it('docs/features.md names only existing API and code', () => {
  const exported = new Set(packages.flatMap(({ folder }) => read(`packages/${folder}/exports.txt`).split('\n')));
  const missing = rows.flatMap(({ id, code }) =>
    [...code.matchAll(/`([A-Z]\w*[a-z]\w*)[`.({]|(?:core|recall) `(\w+)`/g)]
      .map(([, type, named]) => type ?? named!)
      .filter((name) => !exported.has(name))
      .map((name) => `${id}: ${name}`),
  );
  const files = rows.flatMap(({ code }) => [...code.matchAll(/runner `([\w/-]+\.ts)`/g)].map(([, file]) => file!));
  expect(missing).toEqual([]);
  expect(files.filter((file) => !existsSync(join(root, 'packages/runner/src', file)))).toEqual([]);
});
