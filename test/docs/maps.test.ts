import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesBelow, packages, read, root } from '../architecture/workspace.ts';

const folders = packages.map(({ folder }) => folder);
const apps = globSync('apps/*/package.json', { cwd: root }).map((file) => file.split('/')[1]!);
const published = packages.filter(({ manifest }) => !manifest.private).map(({ folder }) => folder);
/** Folders that are created by an installation, a build or a download. */
const generated = /^(?:\.tools|dist|node_modules|docs\/reference)\b/;

describe('AGENTS.md', () => {
  const rows = [...section('AGENTS.md', 'Where things are').matchAll(/^\| (.*) \| (.*) \|$/gm)].slice(1);

  it('names every package and app', () => {
    const first = rows.map(([, place]) => place!).join();
    const missing = [...folders.map((name) => `packages/${name}`), ...apps.map((name) => `apps/${name}`)];
    expect(missing.filter((path) => !new RegExp(`${path}\\b(?!-)`).test(first))).toEqual([]);
  });

  it('names only files and folders that exist, in its map below the places of the row', () => {
    const missing = rows.flatMap(([, place, content]) => {
      const places = codeIn(place!);
      const wrong = places.filter((path) => !exists(path));
      const named = codeIn(content!).filter((path) => /\/$|\.\w+$|^\w+\/[\w-]+$/.test(path) && !path.includes('…'));
      return [...wrong, ...named.filter((path) => ![...places, ''].some((each) => exists(join(each, path))))];
    });
    expect(rows.length).toBeGreaterThan(10);
    expect(missing).toEqual([]);
  });

  it('names only scripts that package.json has', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const tools = ['exec', 'install', 'oxfmt', 'changeset', 'add', 'run'];
    const named = [...read('AGENTS.md').matchAll(/`pnpm (?:run )?([\w:-]+)/g)].map(([, name]) => name!);
    expect(named.filter((name) => !(name in scripts) && !tools.includes(name))).toEqual([]);
  });
});

describe('docs/architecture.md', () => {
  it('names every package in its table, its diagram and its layout', () => {
    const table = section('docs/architecture.md', 'Packages and dependencies');
    const layout = section('docs/architecture.md', 'Layout');
    const diagram = /^```\n([\s\S]*?)^```$/m.exec(table)?.[1] ?? '';
    // The diagram joins names: `sql-, redis-services`, `provider-gemini, -openai`.
    const isDrawn = (name: string): boolean => {
      const [start, end] = name.split('-');
      return (
        new RegExp(`\\b${name}\\b`).test(diagram) || (diagram.includes(`${start}-`) && diagram.includes(`-${end}`))
      );
    };
    const isLaidOut = (name: string): boolean =>
      [...layout.matchAll(/^packages\/([\w*-]+)\/src\//gm)].some(([, pattern]) =>
        new RegExp(`^${pattern!.replace('*', '.*')}$`).test(name),
      );
    expect(
      folders.filter((name) => !new RegExp(`^\\| \`?${name}\`? \\|`, 'm').test(table)),
      'the table of "Packages and dependencies" misses',
    ).toEqual([]);
    expect(
      folders.filter((name) => !isDrawn(name)),
      'the diagram misses',
    ).toEqual([]);
    expect(
      folders.filter((name) => !isLaidOut(name)),
      '"Layout" misses',
    ).toEqual([]);
  });
});

describe.each(['AGENTS.md', 'CONTRIBUTING.md', 'REVIEW.md', 'docs/architecture.md', 'docs/contracts.md'])(
  '%s',
  (file) => {
    it('names only paths of the repository that exist', () => {
      const tops = ['packages', 'apps', 'test', 'docs', 'bench', 'scripts', ...folders].join('|');
      const paths = codeIn(read(file)).filter((path) => new RegExp(`^(?:${tops})/[\\w./-]*$`).test(path));
      const missing = paths.filter((path) => !generated.test(path) && !exists(path) && !isInAPackage(path));
      expect(missing).toEqual([]);
    });
  },
);

describe('docs/contracts.md', () => {
  it('names every package and app in its table', () => {
    const table = section('docs/contracts.md', 'Contracts by package');
    const missing = [...folders, ...apps.map((name) => `apps/${name}`)].filter(
      (name) => !table.includes(`\`${name}\``),
    );
    expect(missing).toEqual([]);
  });
});

describe('docs/reference.md', () => {
  it('names every published package', () => {
    const page = read('docs/reference.md');
    expect(published.filter((folder) => !page.includes(`(../packages/${folder}/README.md)`))).toEqual([]);
  });
});

describe('docs/index.md', () => {
  const page = read('docs/index.md');

  it('lists every page except the single decisions', () => {
    const pages = filesBelow('docs').filter((file) => file.endsWith('.md') && file !== 'docs/index.md');
    const wanted = pages.map((file) => file.slice('docs/'.length)).filter((file) => !/^decisions\/\d/.test(file));
    const missing = wanted.filter((file) => !page.includes(`(${file})`));
    expect(missing, 'add a line to docs/index.md').toEqual([]);
  });

  it('names each page as its heading does', () => {
    const named = [...page.matchAll(/^- \[([^\]]+)\]\(([^)]+)\)/gm)].map(([, title, file]) => [file!, title!]);
    const headings = named.map(([file]) => [file!, /^# (.*)$/m.exec(read(`docs/${file}`))![1]!]);
    expect(named).toEqual(headings);
  });
});

describe('docs/decisions/README.md', () => {
  it('lists every decision once, in order', () => {
    const listed = [...read('docs/decisions/README.md').matchAll(/^\| \[(\d+)\]\(([^)]+)\) \|/gm)];
    const pages = filesBelow('docs/decisions').filter((file) => /\/\d+-[^/]*\.md$/.test(file));
    expect(listed.map(([, , file]) => `docs/decisions/${file}`)).toEqual(pages);
    expect(listed.filter(([, number, file]) => !file!.startsWith(`${number}-`)).map(([row]) => row)).toEqual([]);
  });
});

/** Returns the text under a heading of the second level. */
function section(file: string, title: string): string {
  const found = read(file)
    .split(/^## /m)
    .find((text) => text.startsWith(`${title}\n`));
  expect(found, `a section "${title}" in ${file}`).toBeDefined();
  return found!;
}

/** Returns the pieces of inline code of a text. */
function codeIn(text: string): string[] {
  return [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!);
}

function exists(path: string): boolean {
  return existsSync(join(root, path));
}

/** True if the path exists after `packages`, the folder of a package or `src` is added, as for `core/session/lease.ts`. */
function isInAPackage(path: string): boolean {
  const [first, ...rest] = path.split('/');
  const inside = folders.some(
    (folder) => exists(join('packages', folder, path)) || exists(join('packages', folder, 'src', path)),
  );
  return inside || exists(join('packages', path)) || exists(join('packages', first!, 'src', ...rest));
}
