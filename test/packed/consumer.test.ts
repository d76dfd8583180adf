import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startExampleServer } from '../../scripts/example.mjs';
import { fetchPackage } from '../../scripts/fetch-package.mjs';
import { packageOf } from '../architecture/imports.ts';
import { root } from '../architecture/workspace.ts';
import { copyApp } from './app-copy.ts';
import { codeBlocks } from './code-blocks.ts';
import { installWith, linkInstalled, packed as tarballs, published } from './tarballs.ts';
import { run, temporaryFolder } from './workspace-copy.ts';

/** The README names this version. */
const OLDEST_TYPESCRIPT = '5.7.3';
const { folder, remove } = temporaryFolder('consumer');
const project = join(folder, 'project');
const blocks = codeBlocks();
const checked = blocks.filter(({ unchecked }) => unchecked === undefined);
const programs = blocks.filter(({ output }) => output !== undefined);
/** Problems that publint and arethetypeswrong find, by tarball. */
let problems: Record<string, string[]>;

beforeAll(async () => {
  await copyApp(project);
  mkdirSync(join(project, 'blocks'));
  // Pages show files that import each other.
  for (const files of ['docs/examples', 'docs/deploy'])
    cpSync(join(root, files), join(project, 'blocks'), { recursive: true });
  for (const block of checked) writeFileSync(join(project, fileOf(block)), `${block.code}\nexport {};\n`);
  writeFileSync(join(project, 'blocks', 'everything.ts'), everything());
  linkImportsOf(project);
  // A separate process: the checks take seconds without a pause.
  const checks = await run(root, process.execPath, ['test/packed/check-tarballs.ts', ...tarballs.values()]);
  problems = JSON.parse(checks.stdout) as Record<string, string[]>;
}, 240_000);
afterAll(remove);

describe.each(published.map(({ manifest }) => manifest.name))('the tarball of %s', (name) => {
  it('passes the checks of publint and arethetypeswrong', () => {
    expect(problems[tarballs.get(name)!]).toEqual([]);
  });

  it('contains no sources, no source condition and no workspace ranges', () => {
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

it('type-checks the TypeScript blocks of all docs', async () => {
  const config = writeConfig('tsconfig.nodenext.json', strictOptions('nodenext'));
  expect(withLines(await findTypeErrors(config))).toBe('');
});

it('finds the types of every entry for bundlers', async () => {
  const config = writeConfig('tsconfig.bundler.json', strictOptions('bundler'), ['blocks/everything.ts']);
  expect(await findTypeErrors(config)).toBe('');
});

it('type-checks every entry, its declarations, and every TypeScript block under TypeScript 5.7', async () => {
  const typescript = await fetchPackage('typescript', OLDEST_TYPESCRIPT);
  const config = writeConfig('tsconfig.old.json', strictOptions('nodenext'));
  const args = [join(import.meta.dirname, 'check-types.ts'), typescript, config];
  const { stdout } = await run(project, process.execPath, args);
  const { files, errors } = JSON.parse(stdout) as { files: number; errors: string[] };
  expect(errors.map(withLines)).toEqual([]);
  expect(files).toBeGreaterThan(checked.length + published.length);
});

it('type-checks the declarations of packages that use no Node APIs without the types of Node', async () => {
  const small = join(folder, 'without-node');
  await installWith(small, ['thole', '@thole/memory', '@thole/client', '@thole/server'], tarballs);
  const entries = ['thole', '@thole/memory', '@thole/client', '@thole/server', '@thole/recall'];
  writeFileSync(join(small, 'main.ts'), entries.map((entry, i) => `export * as e${i} from '${entry}';\n`).join(''));
  const options = {
    strict: true,
    noEmit: true,
    target: 'es2023',
    lib: ['es2023', 'dom'],
    types: [],
    module: 'nodenext',
  };
  writeFileSync(join(small, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['main.ts'] }));
  const { output } = await run(small, bin('tsc'), ['-p', '.', '--pretty', 'false'], { anyCode: true });
  expect(output.trim()).toBe('');
});

it('lets TypeScript write declarations of programs that export our results', async () => {
  const results = `
    import type { AuthCredential, LeaseStore, StoredSessionServiceOptions } from '@thole/core';
    import type { GeminiOptions } from '@thole/provider-gemini';
    import type { RecordedRun } from '@thole/replay';
    import type { SpanMemory } from '@thole/server';
    export const renew = (store: LeaseStore, ...args: Parameters<LeaseStore['renew']>) => store.renew(...args);
    export const limitsOf = ({ limits }: StoredSessionServiceOptions) => limits;
    export const typeOf = ({ authType }: AuthCredential) => authType;
    export const schemasOf = ({ schemas }: GeminiOptions) => schemas;
    export const stepsOf = ({ steps }: RecordedRun) => steps;
    export const ownersOf = (memory: SpanMemory) => memory.ofSession('s').map(({ owner }) => owner);`;
  writeFileSync(join(project, 'results.ts'), results);
  const options = { ...strictOptions('nodenext'), noEmit: false, allowImportingTsExtensions: false };
  const emit = { declaration: true, emitDeclarationOnly: true, outDir: 'declarations' };
  writeFileSync(
    join(project, 'tsconfig.declarations.json'),
    JSON.stringify({ compilerOptions: { ...options, ...emit }, files: ['results.ts'] }),
  );
  expect(await findTypeErrors('tsconfig.declarations.json')).toBe('');
});

it('names every exported class and function in the built code as it is exported', async () => {
  const entries = everything().matchAll(/from '([^']+)'/g);
  const imports = [...entries].map(([, entry]) => `'${entry}': await import('${entry}')`);
  const program = `
    const entries = { ${imports.join(', ')} };
    for (const [entry, module] of Object.entries(entries)) {
      for (const [name, value] of Object.entries(module)) {
        // An alias is fine if the value is also exported under its name.
        const isAlias = typeof value === 'function' && module[value.name] === value;
        if (typeof value === 'function' && value.name !== name && !isAlias) console.log(entry, name, value.name);
      }
    }`;
  writeFileSync(join(project, 'names.mjs'), program);
  const args = ['--disable-warning=ExperimentalWarning', 'names.mjs'];
  expect((await run(project, process.execPath, args)).stdout).toBe('');
});

it('finds a first program in the README of every package', () => {
  const without = published.filter(
    ({ folder: each }) => !programs.some(({ file }) => file === `packages/${each}/README.md`),
  );
  expect(without.map(({ folder: each }) => each)).toEqual([]);
  expect(programs.map(({ file }) => file)).toContain('README.md');
});

it.each(programs.map((block) => [block.file, block] as const))(
  'runs the first program of %s and prints its output',
  async (_, block) => {
    // The program of a provider package calls a local server that replaces the provider's API.
    const server = await startExampleServer(/^packages\/([^/]+)\//.exec(block.file)?.[1] ?? '..');
    onTestFinished(server.end);
    const args = ['--disable-warning=ExperimentalWarning', fileOf(block)];
    const { stdout } = await run(project, process.execPath, args, { env: server.env });
    expect(stdout.trimEnd()).toBe(block.output!.trimEnd());
  },
);

it('installs the thole command, which creates a project that answers', async () => {
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

function writeConfig(name: string, compilerOptions: object, include: readonly string[] = ['blocks']): string {
  writeFileSync(join(project, name), JSON.stringify({ compilerOptions, include }));
  return name;
}

/**
 * Returns the errors of `tsc` in the blocks. Declarations are checked under TypeScript 5.7 only: it accepts less, and `tsc` can
 * only check ours together with those of all other libraries.
 */
async function findTypeErrors(config: string): Promise<string> {
  // Several checkers of one program infer the same types again.
  const args = ['-p', config, '--pretty', 'false', '--checkers', '1', '--skipLibCheck'];
  const { code, output } = await run(project, bin('tsc'), args, { anyCode: true });
  return code === 0 ? '' : `tsc ended with ${code}.\n${output.trim()}`;
}

function fileOf({ file, line }: { file: string; line: number }): string {
  return `blocks/${file.replaceAll(/[^a-zA-Z0-9-]/g, '_')}_${line}.ts`;
}

/** Returns a module that imports every entry of every package. */
function everything(): string {
  const entries = published.flatMap(({ manifest }) =>
    Object.keys(manifest.exports ?? {}).map((entry) => manifest.name + entry.slice(1)),
  );
  const modules = entries.filter((entry) => !entry.endsWith('package.json'));
  return modules.map((entry, index) => `export * as entry${index} from '${entry}';\n`).join('');
}

/** Links other packages that the blocks import, optional peers of our entries, and packages that type-checking needs. */
function linkImportsOf(consumer: string): void {
  const imported = checked.flatMap(({ code }) =>
    [...code.matchAll(/from\s+['"]([^'".][^'"]*)['"]/g)].map(([, name]) => packageOf(name!)),
  );
  const others = new Set(
    ['@types/node', '@types/pg', 'grammy', ...imported].filter(
      (name) => !tarballs.has(name) && !name.startsWith('node:'),
    ),
  );
  for (const name of others) if (!existsSync(join(consumer, 'node_modules', name))) linkInstalled(consumer, name);
}

function bytesIn(path: string): number {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** Replaces the names of copies in the output of tsc by the document and line of the block. */
function withLines(output: string): string {
  return checked.reduce((text, block) => text.replaceAll(fileOf(block), `${block.file}:${block.line} + `), output);
}

function bin(name: string): string {
  return join(root, 'node_modules', '.bin', name);
}
