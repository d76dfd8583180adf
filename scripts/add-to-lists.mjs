import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/**
 * Adds a new package to the lists of packages: `AGENTS.md`, `docs/architecture.md`, `docs/contracts.md` and `docs/reference.md`.
 * A package without a kind also gets its allowed imports in `test/architecture/arrows.ts`. Returns the changed files.
 */
export function addToLists({ folder, kind, about, needs }) {
  const provider = kind === 'provider';
  const contracts = {
    package: '41–43',
    provider: '17, 19, 22: what the model receives and returns, and its errors',
    store: '1–14: sessions',
  };
  const others = needs.filter((name) => name !== 'core');
  const start = others.length > 0 ? `${folder} ► ${others.join(', ')} ` : `${folder} `;
  const key = folder.includes('-') ? `'${folder}'` : folder;
  const imports = needs.map((name) => `'@thole/${name}'`).join(', ');
  const architecture = 'docs/architecture.md';
  const lines = [
    ['AGENTS.md', /^\| `packages\//, `| \`packages/${folder}/src\` | ${about} |`],
    [architecture, /^channels ─/, `${start.padEnd(31, '─')}┤`],
    [architecture, /^\| cli \|/, `| ${folder} | ${about} | ${needs.join(', ') || 'nothing'} |`],
    // The layout has one row for all providers.
    ...(provider ? [] : [[architecture, /^packages\/thole\/src\//, `packages/${folder}/src/ `.padEnd(27) + about]]),
    ['docs/contracts.md', /^\| `thole` \|/, `| \`${folder}\` | ${contracts[kind]} |`],
    [
      'docs/reference.md',
      /^\| .*\(\.\.\/packages\//,
      `| ${about} | [\`@thole/${folder}\`](../packages/${folder}/README.md) |`,
    ],
    ...(kind === 'package' ? [['test/architecture/arrows.ts', /^ {2}testing: /, `  ${key}: [${imports}],`]] : []),
  ];
  for (const line of lines) addLine(...line);
  return [...new Set(lines.map(([file]) => file))];
}

/** Adds a line after the last line that matches. Has no effect if the file has the line. */
function addLine(file, after, line) {
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  if (lines.includes(line)) return;
  const index = lines.findLastIndex((each) => after.test(each));
  if (index < 0) throw new Error(`${file} must have a line that matches ${after}. Add this line by hand: ${line}`);
  writeFileSync(join(root, file), lines.toSpliced(index + 1, 0, line).join('\n'));
}
