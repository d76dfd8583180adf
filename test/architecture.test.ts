import { expect, it } from 'vitest';
import { allows, arrowsOf, portable } from './architecture/arrows.ts';
import { cyclesIn } from './architecture/cycles.ts';
import { bareCodeOf, codeOf, importsOf, packageOf, targetOf } from './architecture/imports.ts';
import type { Import } from './architecture/imports.ts';
import { filesBelow, packages, read, sourcesOf } from './architecture/workspace.ts';
import type { Manifest } from './architecture/workspace.ts';

const coreOrder =
  'json < errors < runtime < content < model < event < interrupt < state < session < artifact < memory < credential < agent < tool < plugin < app';
const runnerOrder =
  'otel < models < traces < hooks < history < contents < request < flow < agents < session < contexts < resume < invocation < compaction < rewind < runner < plugins';

const sources = packages.flatMap(({ folder }) => sourcesOf(folder));
const imports = new Map(sources.map((file) => [file, importsOf(file)]));

it('lets a package import only packages that test/architecture/arrows.ts allows', () => {
  const wrong = packages.flatMap(({ folder, manifest }) => {
    const mayImport = arrowsOf(folder, Object.keys(manifest.dependencies ?? {})) ?? [];
    return outside(folder).filter(({ specifier }) => !allows(mayImport, packageOf(specifier)));
  });
  expect(describeImports(wrong)).toEqual([]);
});

it('limits imports to the package’s src and published entries of other packages', () => {
  const wrong = packages.flatMap(({ folder }) =>
    sourcesOf(folder)
      .flatMap((file) => imports.get(file) ?? [])
      .filter((each) => !(targetOf(each) ?? `packages/${folder}/src/`).startsWith(`packages/${folder}/src/`)),
  );
  const known = new Map(packages.map(({ manifest }) => [manifest.name, Object.keys(manifest.exports ?? {})]));
  const deep = [...filesBelow('packages'), ...filesBelow('apps')]
    .filter((file) => file.endsWith('.ts'))
    .flatMap(importsOf)
    .filter(({ specifier }) => {
      const entries = known.get(packageOf(specifier));
      return entries && !entries.includes(`.${specifier.slice(packageOf(specifier).length)}`);
    });
  expect(
    describeImports([...wrong, ...deep]),
    'import a name from the entry of its package, and export it there or in its /kit',
  ).toEqual([]);
});

it('imports neither testing nor apps into a published package', () => {
  const apps = filesBelow('apps').filter((file) => /^apps\/[^/]+\/package\.json$/.test(file));
  const unwanted = new Set([
    '@thole/testing',
    ...apps.map((file) => (JSON.parse(read(file)) as { name: string }).name),
  ]);
  // A replay is a tool for tests and has FixedRuntime.
  const published = packages.filter(({ folder }) => folder !== 'replay');
  const wrong = published
    .flatMap(({ folder }) => outside(folder))
    .filter((each) => unwanted.has(packageOf(each.specifier)));
  expect(describeImports(wrong)).toEqual([]);
  const dependents = published.filter(({ manifest }) =>
    Object.keys(manifest.dependencies ?? {}).some((name) => unwanted.has(name)),
  );
  expect(dependents.map(({ folder }) => folder)).toEqual([]);
});

it('lists exactly the packages that src imports in package.json', () => {
  const wrong = packages.flatMap(({ folder, manifest }) => {
    const used = new Set(outside(folder).map(({ specifier }) => packageOf(specifier)));
    const named = new Set(Object.keys({ ...manifest.dependencies, ...optionalOf(manifest) }));
    const missing = [...used].filter((name) => !named.has(name) && !name.startsWith('node:'));
    const unused = Object.keys(manifest.dependencies ?? {}).filter(
      (name) =>
        !used.has(name) &&
        !providesPeer(manifest, name) &&
        read(`packages/${folder}/src/index.ts`).trim() !== 'export {};',
    );
    return [
      ...missing.map((name) => `${folder} misses ${name}`),
      ...unused.map((name) => `${folder} never imports ${name}`),
    ];
  });
  expect(wrong).toEqual([]);
});

it(`orders core's folders, types included: ${coreOrder}`, () => {
  expect(describeImports(againstOrder('core', coreOrder, 'types too'))).toEqual([]);
});

it(`orders runner's folders, types excepted: ${runnerOrder}`, () => {
  expect(describeImports(againstOrder('runner', runnerOrder, 'values only'))).toEqual([]);
});

it('has no import cycles', () => {
  expect(cyclesIn(sources)).toEqual([]);
});

it('takes time, ids and randomness from the runtime only', () => {
  const hidden = [
    /\bnew Date\b(?!\s*\(\s*[^)\s])/,
    /(?<!new\s|\.|\w)Date\(/,
    /globalThis\??\.(crypto|Date|Math|performance|setImmediate|queueMicrotask)\b/,
    /\bperformance\.now\b/,
    /\bsetImmediate\b/,
    /\bcrypto\.getRandomValues\b/,
    /AbortSignal\.timeout\b/,
  ];
  const wrong = sources
    .filter((file) => !file.startsWith('packages/core/src/runtime/') && !file.startsWith('packages/testing/'))
    .flatMap((file) =>
      hidden.flatMap((pattern) => (pattern.exec(bareCodeOf(file)) ?? []).slice(0, 1).map((text) => `${file}: ${text}`)),
    );
  expect(wrong, 'use the Runtime of the context, the runner or the options').toEqual([]);
});

it('keeps Node out of portable packages, types included', () => {
  const wrong = portable
    .flatMap(sourcesOf)
    .filter((file) => !file.startsWith('packages/mem-services/src/file/'))
    .filter(
      (file) =>
        /import\(\s*['"]node:|from\s*['"]node:/.test(codeOf(file)) ||
        /\bBuffer\b|(?<![.)]\s*)\bprocess\??\.|\bNodeJS\./.test(bareCodeOf(file)),
    );
  expect(wrong, `no node: imports, Buffer, process or NodeJS types in ${portable.join(', ')}`).toEqual([]);
});

it('imports OpenTelemetry only in runner’s /otel, which the main entry never imports', () => {
  const importers = sourcesOf('runner').filter((file) =>
    imports.get(file)!.some(({ specifier }) => packageOf(specifier).startsWith('@opentelemetry/')),
  );
  expect(importers.filter((file) => !file.startsWith('packages/runner/src/otel/'))).toEqual([]);
  const reached = reachedFrom('packages/runner/src/index.ts');
  expect(reached.filter((file) => file.startsWith('packages/runner/src/otel/'))).toEqual([]);
});

it('never imports mem-services’ /file from its main entry', () => {
  const reached = reachedFrom('packages/mem-services/src/index.ts');
  expect(reached.filter((file) => file.startsWith('packages/mem-services/src/file/'))).toEqual([]);
  expect(reached.length).toBeGreaterThan(1);
});

function outside(folder: string): Import[] {
  return sourcesOf(folder)
    .flatMap((file) => imports.get(file) ?? [])
    .filter((each) => targetOf(each) === undefined);
}

/** True if another dependency has this one as an optional peer, which only an installed package satisfies. */
function providesPeer({ dependencies = {} }: Manifest, name: string): boolean {
  return packages.some(({ manifest }) => manifest.name in dependencies && name in optionalOf(manifest));
}

function optionalOf(manifest: object): Record<string, string> {
  return (manifest as { peerDependencies?: Record<string, string> }).peerDependencies ?? {};
}

function againstOrder(name: string, order: string, what: 'types too' | 'values only'): Import[] {
  const folders = order.split(' < ');
  const start = `packages/${name}/src/`;
  const placeOf = (file: string): number => {
    const [folder, rest] = file.slice(start.length).split('/');
    if (rest === undefined) return folders.length; // index.ts
    expect(folders, `the folder of ${file} must be in the order of this file and of docs/architecture.md`).toContain(
      folder,
    );
    return folders.indexOf(folder!);
  };
  return sourcesOf(name)
    .flatMap((file) => imports.get(file) ?? [])
    .filter((each) => what === 'types too' || !each.typeOnly)
    .filter((each) => placeOf(targetOf(each) ?? each.file) > placeOf(each.file));
}

function reachedFrom(start: string): string[] {
  const reached = new Set<string>();
  const waiting = [start];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    waiting.push(...(imports.get(file) ?? []).flatMap((each) => targetOf(each) ?? []));
  }
  return [...reached];
}

function describeImports(wrong: readonly Import[]): string[] {
  return wrong.map(({ file, specifier }) => `${file} imports ${specifier}`);
}
