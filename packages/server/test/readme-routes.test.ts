import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { routes } from '../src/routes.ts';

const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
const rows = readme.split('\n').filter((line) => line.startsWith('| `'));
/** Routes for ADK's web UI and for the page of the option `ui`, which the README describes in one row. */
const isForPages = (tag: string): boolean => tag === 'evaluation' || tag === 'page';

describe('README.md', () => {
  it('lists every route in a row with its method and path', () => {
    const listed = rows.map(withoutNames);
    const missing = routes
      .filter(({ tag, paths }) => !isForPages(tag) && paths[0] !== '/openapi.json')
      .map(({ method, paths: [path] }) => ({ method, path: withoutNames(shortened(path)) }))
      .filter(({ method, path }) => !listed.some((row) => row.includes(method) && isIn(row, path)))
      .map(({ method, path }) => `${method} ${path}`);
    expect(missing, 'add a row to a table of packages/server/README.md').toEqual([]);
    expect(rows.length).toBeGreaterThan(30);
  });
});

/** True if the code of the row ends with the path, or a query follows. */
function isIn(row: string, path: string): boolean {
  return row.includes(`${path}\``) || row.includes(`${path}?`);
}

/** Returns a path in the short form of the README. */
function shortened(path: string): string {
  return path
    .replace(/^\/apps\/:app\/users\/:user\/sessions\/:session\b/, '{session}')
    .replace(/^\/apps\/:app\/users\/:user\b/, '{user}');
}

/** Returns a path or a row without the names of parameters, which the README shortens. */
function withoutNames(text: string): string {
  return text.replaceAll(/:\w+(?:\{[^}]*\})?/g, ':');
}
