import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { contentTypeOf } from './content-type-of.ts';
import { notBuilt } from './not-built.ts';
import type { Ui } from './ui.ts';

/**
 * Returns the built page for `createHandler`'s `ui`. Serves only files that are in its folder when the page itself
 * is requested, by their exact names, so that no path leaves the folder. If the page was not built, serves a page
 * that says how to build it.
 */
export function devUi(): Ui {
  let known: Promise<ReadonlyMap<string, URL>> | undefined;
  return async (path) => {
    const isPage = path === '' || path === 'index.html';
    // Each time: it may have been built again, with other names.
    if (isPage) known = filesOfPage();
    const files = await (known ??= filesOfPage());
    if (isPage && files.size === 0) return { body: notBuilt, type: contentTypeOf('index.html') };
    const name = isPage ? 'index.html' : path;
    const file = files.get(name);
    return file && { body: await readFile(file), type: contentTypeOf(name) };
  };
}

/** By name relative to the page's folder, with `/`. This file runs as `src/dev-ui.ts` and as `dist/index.js`. */
async function filesOfPage(): Promise<ReadonlyMap<string, URL>> {
  const folder = new URL('../dist/page/', import.meta.url);
  const entries = await readdir(fileURLToPath(folder), { recursive: true, withFileTypes: true }).catch(() => []);
  const root = fileURLToPath(folder);
  const files = new Map<string, URL>();
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const name = `${entry.parentPath}/${entry.name}`.slice(root.length).replaceAll('\\', '/').replace(/^\/+/, '');
    files.set(name, new URL(name, folder));
  }
  return files.has('index.html') ? files : new Map();
}
