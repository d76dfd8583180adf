import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startExampleServer } from '../../scripts/example.mjs';
import { fetchPackage } from '../../scripts/fetch-package.mjs';
import { packageOf } from '../architecture/imports.ts';
import { root } from '../architecture/workspace.ts';
import { copyApp } from './app-copy.ts';
import { codeBlocks } from './code-blocks.ts';
import { installWith, lend, packed as tarballs, published } from './tarballs.ts';
import { run, temporaryFolder } from './workspace-copy.ts';

/** README names it. */
const OLDEST_TYPESCRIPT = '5.7.3';
/** Several checkers of one program work out the same types again. */
const once = ['--checkers', '1'];
const { folder, remove } = temporaryFolder('consumer');
const project = join(folder, 'project');
const blocks = codeBlocks();
const checked = blocks.filter(({ unchecked }) => unchecked === undefined);
const programs = blocks.filter(({ output }) => output !== undefined);
/** What publint and arethetypeswrong find, by tarball. */
let problems: Record<string, string[]>;

beforeAll(async () => {
  await copyApp(project);
  mkdirSync(join(project, 'blocks'));
  // Pages show files that import each other.
  for (const files of ['docs/examples', 'docs/deploy'])
    cpSync(join(root, files), join(project, 'blocks'), { recursive: true });
  for (const block of checked) writeFileSync(join(project, fileOf(block)), `${block.code}\nexport {};\n`);
  writeFileSync(join(project, 'blocks', 'everything.ts'), everything());
  lendTo(project);
  // A separate process: the checks take seconds without a pause.
  const checks = await run(root, process.execPath, ['test/packed/check-tarballs.ts', ...tarballs.values()]);
  problems = JSON.parse(checks.stdout) as Record<string, string[]>;
}, 240_000);
afterAll(remove);

describe.each(published.map(({ manifest }) => manifest.name))('the tarball of %s', (name) => {
  it('is what publint and arethetypeswrong want', () => {
    expect(problems[tarballs.get(name)!]).toEqual([]);
  });

  it('holds no sources, no source condition and no range of the workspace', () => {
    const manifest = readFileSync(join(project, 'node_modules', name, 'package.json'), 'utf8');
    expect(manifest).not.toMatch(/@thole\/source|workspace:/);
    const files = readdirSync(join(project, 'node_modules', name));
    expect(
      files.filter(
        (file) => !['dist', 'package.json', 'README.md', 'LICENSE', 'node_modules', 'CHANGELOG.md'].includes(file),
      ),
    ).toEqual([]);
  });
});

it.each(['nodenext', 'bundler'])(
  'type-checks under %s: every entry, and the TypeScript blocks of READMEs and docs',
  async (resolution) => {
    const config = writeConfig(`tsconfig.${resolution}.json`, { ...strictOptions(resolution), skipLibCheck: true });
    const { code, output } = await run(project, bin('tsc'), ['-p', config, '--pretty', 'false', ...once], {
      anyCode: true,
    });
    expect(output.trim(), withLines(output)).toBe('');
    expect(code).toBe(0);
  },
);

it('type-checks the declarations themselves, with the library check on', async () => {
  const options = [
    '--strict',
    '--noEmit',
    '--target',
    'es2024',
    '--lib',
    'esnext',
    '--module',
    'nodenext',
    '--types',
    'node',
    '--ignoreConfig',
  ];
  const { output } = await run(project, bin('tsc'), [...options, ...once, 'blocks/everything.ts'], { anyCode: true });
  expect(output.split('\n').filter((line) => /thole/.test(line))).toEqual([]);
});

it('type-checks every entry, its declarations, and every TypeScript block under TypeScript 5.7', async () => {
  const typescript = await fetchPackage('typescript', OLDEST_TYPESCRIPT);
  const config = writeConfig('tsconfig.old.json', { ...strictOptions('nodenext'), skipLibCheck: false });
  const args = [join(import.meta.dirname, 'check-types.ts'), typescript, config];
  const { stdout } = await run(project, process.execPath, args);
  const { files, errors } = JSON.parse(stdout) as { files: number; errors: string[] };
  expect(errors.map(withLines)).toEqual([]);
  expect(files).toBeGreaterThan(checked.length + published.length);
});

it('names every exported class and function in the built code as it is exported', async () => {
  const entries = everything().matchAll(/from '([^']+)'/g);
  const imports = [...entries].map(([, entry]) => `'${entry}': await import('${entry}')`);
  const program = `
    const entries = { ${imports.join(', ')} };
    for (const [entry, module] of Object.entries(entries)) {
      for (const [name, value] of Object.entries(module)) {
        // A second name of something that is exported by its own name is fine.
        const isAlias = typeof value === 'function' && module[value.name] === value;
        if (typeof value === 'function' && value.name !== name && !isAlias) console.log(entry, name, value.name);
      }
    }`;
  writeFileSync(join(project, 'names.mjs'), program);
  const args = ['--disable-warning=ExperimentalWarning', 'names.mjs'];
  expect((await run(project, process.execPath, args)).stdout).toBe('');
});

it('gives every package a README with a first program', () => {
  const without = published.filter(
    ({ folder: each }) => !programs.some(({ file }) => file === `packages/${each}/README.md`),
  );
  expect(without.map(({ folder: each }) => each)).toEqual([]);
  expect(programs.map(({ file }) => file)).toContain('README.md');
});

it.each(programs.map((block) => [block.file, block] as const))(
  'runs the first program of %s and prints its output',
  async (_, block) => {
    // A provider's talks to a server on this machine, which its tests bring.
    const server = await startExampleServer(/^packages\/([^/]+)\//.exec(block.file)?.[1] ?? '..');
    onTestFinished(server.end);
    const args = ['--disable-warning=ExperimentalWarning', fileOf(block)];
    const { stdout } = await run(project, process.execPath, args, { env: server.env });
    expect(stdout.trimEnd()).toBe(block.output!.trimEnd());
  },
);

it('runs the thole command: it makes a project that answers', async () => {
  const thole = join(project, 'node_modules/.bin/thole');
  await run(project, thole, ['create', 'hello', '--model', 'demo']);
  const made = readFileSync(join(project, 'hello/package.json'), 'utf8');
  const { dependencies } = JSON.parse(made) as { dependencies: Record<string, string> };
  const versions = new Map(published.map(({ manifest }) => [manifest.name, `^${manifest.version}`]));
  expect(Object.keys(dependencies)).toContain('@thole/cli');
  expect(dependencies).toEqual(
    Object.fromEntries(Object.keys(dependencies).map((name) => [name, versions.get(name) ?? dependencies[name]])),
  );
  expect(made).not.toContain('file:');
  const { stdout } = await run(project, thole, ['run', 'hello', 'What time is it in Tokyo?']);
  expect(stdout).toMatch(
    /\[current_time\(timeZone: "Asia\/Tokyo"\) → time: "\d\d:\d\d"\]\nhello: It is \d\d:\d\d there\.\n$/,
  );
});

it('leaves no TypeScript block unchecked', () => {
  expect(blocks.filter(({ unchecked }) => unchecked !== undefined)).toEqual([]);
});

it('installs thole as at most 10 packages and 10 MB', async () => {
  const small = join(folder, 'small');
  await installWith(small, ['thole'], tarballs);
  const { packages } = JSON.parse(readFileSync(join(small, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, unknown>;
  };
  expect(Object.keys(packages).filter((path) => path !== '').length).toBeLessThanOrEqual(10);
  expect(bytesIn(join(small, 'node_modules'))).toBeLessThanOrEqual(10 * 1024 * 1024);
});

function strictOptions(resolution: string): object {
  return {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    target: 'es2024',
    lib: ['esnext'],
    types: ['node'],
    module: resolution === 'bundler' ? 'preserve' : 'nodenext',
    moduleResolution: resolution,
    moduleDetection: 'force',
    allowImportingTsExtensions: true,
  };
}

function writeConfig(name: string, compilerOptions: object): string {
  writeFileSync(join(project, name), JSON.stringify({ compilerOptions, include: ['blocks'] }));
  return name;
}

function fileOf({ file, line }: { file: string; line: number }): string {
  return `blocks/${file.replaceAll(/[^a-zA-Z0-9-]/g, '_')}_${line}.ts`;
}

/** A module that imports every entry of every package. */
function everything(): string {
  const entries = published.flatMap(({ manifest }) =>
    Object.keys(manifest.exports ?? {}).map((entry) => manifest.name + entry.slice(1)),
  );
  const modules = entries.filter((entry) => !entry.endsWith('package.json'));
  return modules.map((entry, index) => `export * as entry${index} from '${entry}';\n`).join('');
}

/** The packages that the blocks import in addition to ours, optional peers of entries, and those that type-checking needs. */
function lendTo(consumer: string): void {
  const imported = checked.flatMap(({ code }) =>
    [...code.matchAll(/from\s+['"]([^'".][^'"]*)['"]/g)].map(([, name]) => packageOf(name!)),
  );
  const others = new Set(
    ['@types/node', '@types/pg', 'grammy', ...imported].filter(
      (name) => !tarballs.has(name) && !name.startsWith('node:'),
    ),
  );
  for (const name of others) if (!existsSync(join(consumer, 'node_modules', name))) lend(consumer, name);
}

function bytesIn(path: string): number {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** tsc names the copies: say where the blocks stand. */
function withLines(output: string): string {
  return checked.reduce((text, block) => text.replaceAll(fileOf(block), `${block.file}:${block.line} + `), output);
}

function bin(name: string): string {
  return join(root, 'node_modules', '.bin', name);
}
