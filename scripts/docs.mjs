// `pnpm run docs` builds the documentation site: the reference from doc comments (TypeDoc) into docs/reference, then static HTML with
// search (VitePress) into docs/.vitepress/dist. `pnpm run docs dev` serves it with live reload, `pnpm run docs reference` writes only
// the reference, `pnpm run docs examples` copies the files of docs/examples and docs/deploy into the pages that show them. `pnpm docs`
// without `run` is a command of pnpm itself.
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { siteLink } from '../docs/.vitepress/site-link.ts';
import { publishedPackages } from './tarballs.mjs';

const root = join(import.meta.dirname, '..');
const site = join(root, 'docs');
const reference = join(site, 'reference');

/** Writes a page for each public name, and for each package its README with the list of its names. */
async function writeReference() {
  rmSync(reference, { recursive: true, force: true });
  const entries = publicEntries();
  const { Application } = await loadTypeDoc();
  const app = await Application.bootstrapWithPlugins({
    plugin: ['typedoc-plugin-markdown', 'typedoc-vitepress-theme'],
    entryPoints: entries.map(({ source }) => source),
    tsconfig: writeTsconfig(entries),
    docsRoot: site,
    out: reference,
    sidebar: { autoConfiguration: false },
    readme: 'none',
    name: 'Reference',
    logLevel: 'Error',
    skipErrorChecking: true,
    excludeExternals: true,
    excludeInternal: true,
    excludePrivate: true,
    disableSources: true,
    hideBreadcrumbs: true,
    hideGenerator: true,
    parametersFormat: 'table',
    interfacePropertiesFormat: 'table',
    propertyMembersFormat: 'table',
    typeDeclarationFormat: 'table',
  });
  const points = app.getEntryPoints().map((point) => {
    const entry = entries.find(({ source }) => source === point.sourceFile.fileName);
    return { ...point, displayName: entry.name };
  });
  await app.generateOutputs(app.converter.convert(points));
  if (app.logger.hasErrors()) throw new Error('TypeDoc could not write the reference.');
  rmSync(join(reference, 'index.md')); // docs/reference.md is the list of packages
  for (const each of publishedPackages()) addReadme(each);
}

/** Returns the entries that users import (`@thole/server`, `@thole/server/node` …) with their source files. */
function publicEntries() {
  return publishedPackages().flatMap(({ folder, name }) => {
    const { exports = {} } = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8'));
    return Object.entries(exports)
      .filter(([entry, target]) => target['@thole/source'] !== undefined && entry !== './kit')
      .map(([entry, target]) => ({
        name: name + entry.slice(1),
        source: join(root, 'packages', folder, target['@thole/source']),
      }));
  });
}

/** Loads TypeDoc with TypeScript 5: TypeScript 7 has no JavaScript API, which TypeDoc needs. */
async function loadTypeDoc() {
  const here = { parentURL: import.meta.url };
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'typescript' ? next('typescript-5', { ...context, ...here }) : next(specifier, context),
  });
  try {
    return await import('typedoc');
  } finally {
    hooks.deregister();
  }
}

function writeTsconfig(entries) {
  const file = join(site, '.vitepress', 'cache', 'tsconfig.json');
  const files = entries.map(({ source }) => source);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ extends: join(root, 'tsconfig.base.json'), files }));
  return file;
}

/** Puts the README of a package above the list of its names. */
function addReadme({ folder, name }) {
  const page = join(reference, name, 'index.md');
  const list = readFileSync(page, 'utf8')
    .replace(/^# .*\n/, '## All names\n')
    .replaceAll(/^## (?!All names)/gm, '### ');
  const readme = readFileSync(join(root, 'packages', folder, 'README.md'), 'utf8');
  const text = readme.replaceAll(/\]\((?![a-z]+:|#)([^)\s]+)\)/g, (_, target) => {
    return `](${siteLink(join('packages', folder, target), relative(root, dirname(page)))})`;
  });
  writeFileSync(page, `${text}\n${list}`);
}

/** Builds the site. Throws if a page has a dead link. */
async function buildSite() {
  await writeReference();
  const { build } = await import('vitepress');
  await build(site);
}

async function serveSite() {
  await writeReference();
  const { createServer } = await import('vitepress');
  const server = await createServer(site);
  await server.listen();
  server.printUrls();
}

/** Copies each file into the code blocks that begin with its name: ```` ```ts [model.ts] ````. */
function copyExamples() {
  for (const page of globSync('{start,guides}/*.md', { cwd: site })) {
    const file = join(site, page);
    const text = readFileSync(file, 'utf8');
    writeFileSync(
      file,
      text.replaceAll(/^(```\w+ \[([^\]]+)\]\n)[\s\S]*?^```$/gm, (_, fence, name) => fence + exampleOf(name) + '```'),
    );
  }
}

function exampleOf(name) {
  const file = ['examples', 'deploy'].map((folder) => join(site, folder, name)).find(existsSync);
  if (file === undefined) throw new Error(`docs/examples has no ${name}.`);
  return readFileSync(file, 'utf8');
}

const commands = { build: buildSite, dev: serveSite, reference: writeReference, examples: copyExamples };

const [command = 'build'] = process.argv.slice(2);
if (Object.hasOwn(commands, command)) {
  await commands[command]();
} else {
  console.error(`usage: pnpm run docs [${Object.keys(commands).join('|')}]`);
  process.exitCode = 2;
}
