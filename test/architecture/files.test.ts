import { expect, it } from 'vitest';
import { codeOf } from './imports.ts';
import { filesBelow, packages, read, sourcesOf } from './workspace.ts';
import { publishedFields } from '../../scripts/published-fields.mjs';

const all = filesBelow('');
const code = all.filter((file) => /\.(ts|mts|mjs|js|json|jsonc|yaml|sh)$/.test(file) && file !== 'pnpm-lock.yaml');
const itself = 'test/architecture/files.test.ts';

it('names every source file after its content, in kebab-case', () => {
  const sources = packages.flatMap(({ folder }) => sourcesOf(folder));
  const vague = sources.filter((file) => /\/(utils?|helpers?|types?|common|misc|shared)\.ts$/.test(file));
  const odd = sources.filter(
    (file) => !/^packages\/[a-z0-9-]+\/src\/(?:[a-z0-9-]+\/)*[a-z0-9-]+(?:\.lua)?\.ts$/.test(file),
  );
  expect([...vague, ...odd], 'name the file after its export, in kebab-case').toEqual([]);
});

it('keeps index.ts a list of names', () => {
  const lists = packages.flatMap(({ folder }) => sourcesOf(folder)).filter((file) => file.endsWith('/index.ts'));
  const more = lists.filter(
    (file) =>
      codeOf(file)
        .replaceAll(/\bexport\s+(?:type\s+)?(?:\{[^}]*\}|\*)\s*(?:from\s*'[^']+')?\s*;/g, '')
        .trim() !== '',
  );
  expect(more, 'declare names in other files, and only export them here').toEqual([]);
});

it('gives sibling providers the same file names', () => {
  const wanted = [
    'to-?-request',
    'from-?-response',
    'read-?-stream',
    'map-?-error',
    '?-llm',
    '?-embedder',
    '?-models',
  ].sort();
  const providers = packages.filter(({ folder }) => folder.startsWith('provider-'));
  const found = providers.map(({ folder }) => {
    const name = folder.slice('provider-'.length);
    const names = sourcesOf(folder).map((file) => file.slice(`packages/${folder}/src/`.length, -'.ts'.length));
    const generic = names.map((each) => each.replace(name, '?')).filter((each) => wanted.includes(each));
    // Anthropic has no embeddings.
    if (name === 'anthropic') generic.push('?-embedder');
    return [folder, generic.sort()];
  });
  expect(found).toEqual(providers.map(({ folder }) => [folder, wanted]));
});

it('gives sql-services and redis-services the same folders and file names for the same jobs', () => {
  const expected = [
    'client/?-options',
    'client/map-?-error',
    'client/server-clock',
    'session/?-session-service',
    'session/?-session-store',
    'session/session-marks',
    'session/session-store-options',
    'lease/?-lease-store',
    'lease/node-processes',
    'artifact/?-artifact-service',
    'artifact/?-artifact-store',
    'credential/?-credential-service',
    'credential/?-credential-store',
    'memory/?-index-snapshots',
    'memory/?-memory-service',
    'memory/?-memory-store',
  ].sort();
  const folders = ['artifact', 'client', 'credential', 'lease', 'memory', 'session'];
  const own = { sql: ['adk', 'dialects', 'schema', 'vector'], redis: [] };
  for (const [name, ownFolders] of Object.entries(own)) {
    const root = `packages/${name}-services/src/`;
    const names = sourcesOf(`${name}-services`).map((file) => file.slice(root.length, -'.ts'.length));
    const shared = names.map((each) => each.replace(name, '?')).filter((each) => expected.includes(each));
    expect(shared.sort(), name).toEqual(expected);
    const found = new Set(names.filter((each) => each !== 'index').map((each) => each.split('/')[0]!));
    expect([...found].sort(), name).toEqual([...folders, ...ownFolders].sort());
  }
});

it('keeps the root at no more than thirteen scripts', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  expect(Object.keys(scripts).length).toBeLessThanOrEqual(13);
});

it('gives all packages the same scripts, engines, licence and dependency versions', () => {
  const odd = packages.flatMap(({ folder, manifest }) => {
    const { license, engines, type } = manifest as { license?: string; engines?: { node?: string }; type?: string };
    const scripts = Object.keys(manifest.scripts ?? {}).sort();
    const fits = license === 'Apache-2.0' && type === 'module' && engines?.node === '^22.18 || ^24.11 || >=26';
    return fits && scripts.join() === 'build,check,prepack,test' ? [] : [folder];
  });
  expect(odd, 'compare package.json with the one of another package').toEqual([]);
  const ranges = new Map<string, Set<string>>();
  for (const file of all.filter((each) => /(^|\/)package\.json$/.test(each))) {
    const manifest = JSON.parse(read(file)) as Record<
      'dependencies' | 'devDependencies',
      Record<string, string> | undefined
    >;
    for (const [name, range] of Object.entries({ ...manifest.devDependencies, ...manifest.dependencies })) {
      ranges.set(name, (ranges.get(name) ?? new Set()).add(range));
    }
  }
  const differing = [...ranges].filter(([, versions]) => versions.size > 1);
  expect(
    differing.map(([name, versions]) => `${name}: ${[...versions].join(', ')}`),
    'use one version range in all package.json files',
  ).toEqual([]);
});

it('depends only on packages that accept every version of Node in engines', () => {
  const ranges = [
    ...read('pnpm-lock.yaml').matchAll(/^  (\S+):\n(?: {4}.*\n)*? {4}engines: \{.*?\bnode: '?([^',}]+)/gm),
  ];
  expect(ranges.length).toBeGreaterThan(100);
  const rejecting = ranges.filter(
    ([, , range]) => !['22.18.0', '24.11.0', '26.0.0'].every((each) => allows(range!, each)),
  );
  expect(
    rejecting.map(([, name, range]) => `${name}: ${range}`),
    'use an older version: pnpm stops if a package rejects the running Node',
  ).toEqual([]);
});

it('gives every package the fields that npm shows', () => {
  for (const { folder, manifest } of packages) {
    const { keywords, ...shown } = publishedFields(folder).manifest;
    expect(manifest, folder).toMatchObject(shown);
    expect((manifest as { keywords?: string[] }).keywords, folder).toEqual(expect.arrayContaining(keywords));
    expect(manifest.scripts?.prepack, folder).toContain(publishedFields(folder).scripts.prepack);
  }
});

it('lists every entry of a package in exports, in publishConfig.exports and in tsup.config.ts', () => {
  for (const { folder, manifest } of packages) {
    const published: { [entry: string]: unknown } = {};
    for (const [entry, target] of Object.entries(manifest.exports ?? {})) {
      if (typeof target === 'string') {
        published[entry] = target;
        continue;
      }
      const { '@thole/source': source = '', ...built } = target;
      const output = source.replace('./src/', './dist/').replace(/\.ts$/, '');
      expect(built, `${folder} ${entry}`).toEqual({ types: `${output}.d.ts`, default: `${output}.js` });
      const config = `${read(`packages/${folder}/tsup.config.ts`)} src/index.ts`;
      expect(config, `packages/${folder}/tsup.config.ts`).toContain(source.slice('./'.length));
      published[entry] = built;
    }
    const { publishConfig } = manifest as { publishConfig?: { exports?: object } };
    expect(publishConfig?.exports, `publishConfig.exports of ${folder}`).toEqual(published);
  }
});

it('gives the server the version of its package', () => {
  const { version } = packages.find(({ folder }) => folder === 'server')!.manifest;
  expect(read('packages/server/src/version.ts')).toContain(`version = '${version}'`);
});

it('names no registry host and no folder of a machine', () => {
  const text = all.filter((file) => /\.(ts|mts|mjs|json|jsonc|yaml|md|txt|sh)$|\/run$/.test(file) && file !== itself);
  const host =
    /\bregistry\.[a-z0-9-]+\.[a-z]|\/\/[\w.-]*(?:artifactory|verdaccio|nexus|npmmirror)|_authToken|^\s*tarball:/im;
  const path = /(?<![\w.~:*/-])\/(?:home|Users|root|work|workspaces?|mnt)\/[\w.]|\b[A-Z]:\\\\?Users/;
  const wrong = text.flatMap((file) =>
    [host, path].flatMap((each) => each.exec(read(file))?.[0] ?? []).map((found) => `${file}: ${found.trim()}`),
  );
  expect(wrong).toEqual([]);
});

it('has no markers of unfinished work: docs/known-gaps.md lists it', () => {
  expect(code.filter((file) => file !== itself && /\bTO[D]O\b|\bFIX[M]E\b|\bX[X]X\b/.test(read(file)))).toEqual([]);
});

it('skips and focuses no test', () => {
  const tests = all.filter((file) => file.endsWith('.test.ts') && file !== itself);
  const wrong = tests.filter((file) =>
    /\b(?:it|test|describe)\.(?:skip|only|todo|fails)\b|\bvi\.mock\(/.test(codeOf(file)),
  );
  expect(wrong).toEqual([]);
});

it('starts no processes in the tests of pnpm check', () => {
  const tests = all.filter((file) => file.endsWith('.test.ts') && !/\.(?:slow|server|browser)\.test\.ts$/.test(file));
  const fast = tests.filter((file) => !file.startsWith('test/packed/') && file !== itself);
  const starting = fast.filter((file) => /['"](?:node:)?child_process['"]/.test(read(file)));
  expect(starting, 'rename the test to *.slow.test.ts').toEqual([]);
});

/** True if a version is in a range of `||`, `^`, `>=` and plain versions, such as `^22.18 || >=24`. */
function allows(range: string, version: string): boolean {
  return range.split('||').some((alternative) =>
    [...alternative.matchAll(/(>=|\^)? *([\d.]+)/g)].every(([, operator, lowest]) => {
      const isSameMajor = Number.parseInt(version, 10) === Number.parseInt(lowest!, 10);
      return (operator === '>=' || isSameMajor) && orderOf(version) >= orderOf(lowest!);
    }),
  );
}

/** Returns a number that is higher for a later version. */
function orderOf(version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return (major * 1000 + minor) * 1000 + patch;
}
