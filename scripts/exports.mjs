// node scripts/exports.mjs [package …]: writes packages/*/exports.txt, the names that each entry exports, as its
// index.ts lists them. A test compares them, so that a change of a public name is visible.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..');
const listed = /\bexport\s+(?:type\s+)?\{([^}]*)\}\s*(?:from\s*['"]([^'"]+)['"])?/g;
const starred = /\bexport\s+(?:type\s+)?\*\s+from\s+['"]([^'"]+)['"]/g;

/** Returns the entries of a package (`.`, `./file` …) with their source files, relative to the package. */
export function entriesOf(folder) {
  const { exports } = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8'));
  return Object.entries(exports).flatMap(([entry, target]) =>
    typeof target === 'object' && target['@thole/source'] ? [[entry, target['@thole/source'].slice(2)]] : [],
  );
}

/** Returns the exports of one entry's file: each name with its module, sorted by name. */
export function namesOf(folder, file) {
  const code = readFileSync(join(root, 'packages', folder, file), 'utf8').replaceAll(
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*/g,
    '',
  );
  const names = new Map();
  for (const [, list, from] of code.matchAll(listed)) {
    for (const each of list.split(',').map((text) => text.trim().replace(/^type\s+/, ''))) {
      if (each !== '') names.set(each.split(/\s+as\s+/).at(-1), { name: each.split(/\s+as\s+/)[0], from });
    }
  }
  for (const [, from] of code.matchAll(starred)) {
    const other = /^@thole\/([^/]+)$/.exec(from)?.[1];
    if (!other) throw new Error(`packages/${folder}/${file}: list the names of ${from} by hand.`);
    for (const [name] of namesOf(other, 'src/index.ts')) names.set(name, { name, from });
  }
  return [...names].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Returns the text of a package's exports.txt. */
export function exportsText(folder) {
  const parts = entriesOf(folder).map(([entry, file]) => [
    `# ${entry}`,
    ...namesOf(folder, file).map(([name]) => name),
  ]);
  return `${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const folders = process.argv.slice(2);
  for (const folder of folders.length > 0 ? folders : readdirSync(join(root, 'packages')).sort()) {
    if (!existsSync(join(root, 'packages', folder, 'package.json'))) continue;
    const file = join(root, 'packages', folder, 'exports.txt');
    const text = exportsText(folder);
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
    writeFileSync(file, text);
    console.log(`packages/${folder}/exports.txt`);
  }
}
