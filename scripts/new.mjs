// pnpm run new package <name> "<description>" [core recall …]   an empty package
// pnpm run new provider <name> [--class OpenAi]                packages/provider-<name>: a model and an embedder
// pnpm run new store <name> [--class MySql]                    packages/<name>-store: a SessionStore
// The new package compiles. Its tests list the missing parts by case id. Existing files of the package stay unchanged, and the
// lists of packages get a line.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { addToLists } from './add-to-lists.mjs';
import { exportsText } from './exports.mjs';
import { publishedFields } from './published-fields.mjs';
import { providerFiles, providerProgram } from './templates/provider.mjs';
import { storeFiles, storeProgram } from './templates/store.mjs';

const root = join(import.meta.dirname, '..');
// `--class OpenAi` names the classes, for brands with capitals inside. Default: `Openai`.
const words = process.argv.slice(2);
const classAt = words.indexOf('--class');
const [, className] = classAt < 0 ? [] : words.splice(classAt, 2);
const [kind, name, ...rest] = words;
const type = className ?? pascal(name ?? '');

const kinds = {
  package: (name, about = `The ${name} package`, ...needs) => ({
    folder: name,
    about,
    needs,
    files: { 'src/index.ts': 'export {};\n' },
    program: `import * as names from '@thole/${name}';\n\nconsole.log(Object.keys(names));\n`,
    output: '[]',
  }),
  provider: (name) => ({
    folder: `provider-${name}`,
    about: `${type} models and embeddings`,
    needs: ['core'],
    files: providerFiles(name, type),
    program: providerProgram(name, type),
    output: 'Hello.',
  }),
  store: (name) => ({
    folder: `${name}-store`,
    about: `Sessions in ${type}`,
    needs: ['core'],
    files: storeFiles(name, type),
    program: storeProgram(name, type),
    output: 's1',
  }),
};

const problem = findProblem();
if (problem !== undefined) {
  console.error(problem);
  console.error('usage: pnpm run new package <name> "<description>" [core recall …]');
  console.error('       pnpm run new provider|store <name> [--class <Name>]');
  console.error('Tools, plugins, channels, routes and commands need no package: see CONTRIBUTING.md.');
  process.exit(2);
}
const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const { folder, about, needs, files, program, output } = kinds[kind](name, ...rest);
const built = { types: './dist/index.d.ts', default: './dist/index.js' };
const manifest = './package.json';
const published = publishedFields(folder, kind === 'package' ? [] : [name]);

add(`packages/${folder}/package.json`, {
  name: `@thole/${folder}`,
  version: '0.0.0',
  description: about,
  ...published.manifest,
  license: 'Apache-2.0',
  files: ['dist'],
  type: 'module',
  sideEffects: false,
  exports: { '.': { '@thole/source': './src/index.ts', ...built }, './package.json': manifest },
  publishConfig: { access: 'public', exports: { '.': built, './package.json': manifest } },
  scripts: {
    build: 'tsup && tsc -p tsconfig.build.json',
    check: 'tsc -p tsconfig.json',
    test: `vitest run --root ../.. packages/${folder}`,
    ...published.scripts,
  },
  dependencies: workspace(needs),
  devDependencies: workspace(kind === 'package' ? [] : ['testing']),
  engines,
});
add(`packages/${folder}/tsconfig.json`, {
  extends: '../../tsconfig.base.json',
  compilerOptions: { noEmit: true },
  include: ['src', 'test', 'bench'],
});
add(`packages/${folder}/tsconfig.build.json`, {
  extends: '../../tsconfig.base.json',
  compilerOptions: { rootDir: 'src', outDir: 'dist', emitDeclarationOnly: true, noCheck: true },
  include: ['src'],
});
const tsupConfig = "import { library } from '../../tsup.shared.ts';\n\nexport default library();\n";
add(`packages/${folder}/tsup.config.ts`, tsupConfig);
add(`packages/${folder}/README.md`, readme());
add(`.changeset/new-${folder}.md`, `---\n'@thole/${folder}': minor\n---\n\n${about}.\n`);
for (const [file, content] of Object.entries(files)) add(`packages/${folder}/${file}`, content);
add(`packages/${folder}/exports.txt`, exportsText(folder));
spawnSync(`oxfmt packages/${folder}`, { cwd: root, stdio: 'inherit', shell: true });
const lists = addToLists({ folder, kind, about, needs });
const test = kind === 'package' ? '' : `, then \`pnpm --dir packages/${folder} run test\``;
console.log(`packages/${folder}: now run \`pnpm install\`${test}.`);
console.log(`Review the new lines in ${lists.join(', ')}.`);
if (kind === 'package') console.log('Add a page about the package to docs/decisions.');

/** Returns a sentence about the first wrong argument. Undefined if all are valid. */
function findProblem() {
  if (!Object.hasOwn(kinds, kind ?? ''))
    return `The kind must be package, provider or store, got ${kind ?? 'nothing'}.`;
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name ?? ''))
    return `The name must have small letters, digits and single hyphens, such as my-db, got ${name ?? 'nothing'}.`;
  if (classAt >= 0 && !/^[A-Z][A-Za-z0-9]*$/.test(className ?? ''))
    return `--class must be a class name, such as OpenAi, got ${className ?? 'nothing'}.`;
  const unknown =
    kind === 'package' ? rest.slice(1).find((need) => !existsSync(join(root, 'packages', need))) : rest[0];
  if (unknown === undefined) return undefined;
  return kind === 'package' ? `There is no folder packages/${unknown}.` : `Unexpected argument ${unknown}.`;
}

/** Returns a README whose first program runs once the package is written. */
function readme() {
  const install = `\`\`\`sh\nnpm install ${[folder, ...needs].map((each) => `@thole/${each}`).join(' ')}\n\`\`\``;
  const first = `<!-- first program -->\n\n\`\`\`ts\n${program}\`\`\`\n\n\`\`\`text\n${output}\n\`\`\``;
  return `# @thole/${folder}\n\n${about}.\n\n${install}\n\n${first}\n`;
}

function add(file, content) {
  const path = join(root, file);
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`);
}

function workspace(names) {
  if (names.length === 0) return undefined;
  return Object.fromEntries(names.toSorted().map((need) => [`@thole/${need}`, 'workspace:^']));
}

/** Returns `MyDb` for `my-db`. */
function pascal(name) {
  return name.replaceAll(/(?:^|-)([a-z0-9])/g, (_, letter) => letter.toUpperCase());
}
