import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sessionServiceCases } from '@thole/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from '../architecture/workspace.ts';
import { copyWorkspace, run, temporaryFolder } from './workspace-copy.ts';

const { folder, remove } = temporaryFolder('generator');
const packageFolders = ['packages/empty', 'packages/provider-acme', 'packages/provider-big-co', 'packages/acme-store'];

interface Report {
  testResults: { name: string; assertionResults: { title: string; status: string; failureMessages: string[] }[] }[];
}

beforeAll(async () => {
  copyWorkspace(folder);
  const bin = { PATH: `${join(import.meta.dirname, '..', '..', 'node_modules', '.bin')}:${process.env.PATH}` };
  for (const args of [
    ['package', 'empty', 'Nothing yet'],
    ['provider', 'acme'],
    ['provider', 'big-co', '--class', 'BigCO'],
    ['store', 'acme'],
  ]) {
    await run(folder, process.execPath, ['scripts/new.mjs', ...args], { env: bin });
  }
  // The last test implements the new store with an InMemorySessionStore.
  const manifest = join(folder, 'packages/acme-store/package.json');
  writeFileSync(
    manifest,
    readFileSync(manifest, 'utf8').replace('"@thole/core"', '"@thole/mem-services": "workspace:^",\n    "@thole/core"'),
  );
  lockNewPackages();
  const needed = ['.', ...packageFolders.map((each) => `{${each}}...`)].map((each) => `--filter=${each}`);
  const install = ['install', ...needed, '--offline', '--frozen-lockfile', '--store-dir', storeOf(root)];
  await run(folder, 'pnpm', [...install, '--reporter=append-only']);
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('"@thole/mem-services": "workspace:^",\n    ', ''));
});
afterAll(remove);

it('creates a package, a provider and a store that compile', async () => {
  for (const each of packageFolders) await run(folder, tool('tsc'), ['-p', `${each}/tsconfig.json`]);
});

it('names classes after the package or by --class', () => {
  const exported = (each: string): string => readFileSync(join(folder, each, 'exports.txt'), 'utf8');
  expect(exported('packages/provider-acme')).toMatch(/^AcmeEmbedder\n[\s\S]*^acmeModels$/m);
  expect(exported('packages/provider-big-co')).toMatch(/^BigCOEmbedder\n[\s\S]*^bigCOModels$/m);
});

it('creates packages that build', async () => {
  for (const each of packageFolders) {
    await run(join(folder, each), tool('tsup'), []);
    await run(join(folder, each), tool('tsc'), ['-p', 'tsconfig.build.json']);
    expect(existsSync(join(folder, each, 'dist/index.d.ts')), each).toBe(true);
  }
});

it('creates a README with a program, a list of exports and a changeset for each package', () => {
  for (const each of packageFolders) {
    for (const file of ['README.md', 'exports.txt'])
      expect(existsSync(join(folder, each, file)), `${each}/${file}`).toBe(true);
    expect(existsSync(join(folder, '.changeset', `new-${each.slice('packages/'.length)}.md`))).toBe(true);
  }
});

it('creates packages that pass lint, format and the tests of architecture and docs', async () => {
  await run(folder, tool('oxfmt'), ['--check', ...packageFolders]);
  await run(folder, tool('oxlint'), ['--type-aware', ...packageFolders]);
  const report = await vitest('test/architecture', 'test/docs/maps', 'test/docs/readme');
  const failures = report.filter(
    ({ title, status, failureMessages }) =>
      status !== 'passed' && /empty|acme|big-co/.test(title + failureMessages.join()),
  );
  expect(failures).toEqual([]);
});

it('lists the missing parts of a new store and a new provider by case id', async () => {
  const report = await vitest('packages/acme-store', 'packages/provider-acme');
  const failed = report.filter(({ status }) => status === 'failed');
  const ids = sessionServiceCases.filter(({ needs }) => needs === undefined || needs.length === 0).map(({ id }) => id);
  expect(report.map(idOf)).toEqual(expect.arrayContaining(ids));
  expect(failed.map(idOf)).toEqual(
    expect.arrayContaining(['append.concurrent', 'llm.text', 'llm.stream', 'embed.in-order']),
  );
  expect(
    failed.some(({ failureMessages }) => failureMessages.join().includes('AcmeSessionStore.insert is not written yet')),
  ).toBe(true);
});

it('creates a store that passes its suite once its methods are written', async () => {
  const file = join(folder, 'packages/acme-store/src/acme-session-store.ts');
  const written = readFileSync(file, 'utf8')
    .replaceAll(/return notWritten\('(\w+)', ([^)]*)\)/g, 'return this.#inner.$1($2)')
    .replace(/\nfunction notWritten[\s\S]*\n\}\n/, '')
    .replace("import { TholeError } from '@thole/core';", "import { InMemorySessionStore } from '@thole/mem-services';")
    .replace('readonly specVersion = 1;', 'readonly #inner = new InMemorySessionStore();\n  readonly specVersion = 1;');
  writeFileSync(file, written);
  await run(folder, tool('tsc'), ['-p', 'packages/acme-store/tsconfig.json']);
  const report = await vitest('packages/acme-store');
  expect(report.filter(({ status }) => status !== 'passed')).toEqual([]);
  expect(report.length).toBeGreaterThan(20);
});

/**
 * Adds the new packages to the copy's lock file. They depend on packages of the workspace only, so nothing has to be
 * resolved: a resolving install needs registry metadata that is in no cache of a fresh machine.
 */
function lockNewPackages(): void {
  const file = join(folder, 'pnpm-lock.yaml');
  const importers = packageFolders.map((each) => {
    const manifest = JSON.parse(readFileSync(join(folder, each, 'package.json'), 'utf8')) as Record<string, unknown>;
    const groups = ['dependencies', 'devDependencies'].flatMap((group) => linesOf(group, manifest[group] ?? {}));
    return groups.length === 0 ? `  ${each}: {}\n` : [`  ${each}:`, ...groups, ''].join('\n');
  });
  const text = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    text.replace('\npackages:\n', () => `\n${importers.join('\n')}\npackages:\n`),
  );
}

function linesOf(group: string, dependencies: object): string[] {
  const lines = Object.entries(dependencies).flatMap(([name, range]) => [
    `      '${name}':`,
    `        specifier: ${range}`,
    `        version: link:../${name.slice('@thole/'.length)}`,
  ]);
  return lines.length === 0 ? [] : [`    ${group}:`, ...lines];
}

/** Returns the pnpm store that the workspace was installed from. It has every package of the lock file. */
function storeOf(workspace: string): string {
  const text = readFileSync(join(workspace, 'node_modules/.modules.yaml'), 'utf8');
  return dirname((JSON.parse(text) as { storeDir: string }).storeDir);
}

function tool(name: string): string {
  return join(folder, 'node_modules', '.bin', name);
}

async function vitest(...filters: string[]): Promise<Report['testResults'][number]['assertionResults']> {
  const written = join(folder, 'report.json');
  await run(
    folder,
    tool('vitest'),
    ['run', '--project', 'unit', '--reporter=json', `--outputFile=${written}`, ...filters],
    { anyCode: true },
  );
  const report = JSON.parse(readFileSync(written, 'utf8')) as Report;
  return report.testResults.flatMap(({ assertionResults }) => assertionResults);
}

function idOf({ title }: { title: string }): string {
  return title.split(':')[0]!;
}
