import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { contentTypeOf } from './content-type-of.ts';
import { notBuilt } from './not-built.ts';
import type { Ui } from './ui.ts';

/**
 * Returns the built page for the option `ui` of `createHandler`. Serves only files of the page's folder, by their exact
 * names, so that no path can leave the folder. The list of files is read when the page is requested. If the page was not
 * built, serves a page with the command that builds it.
 */
export function devUi(): Ui {
  let known: Promise<ReadonlyMap<string, URL>> | undefined;
  return async (path) => {
    const isPage = path === '' || path === 'index.html';
    // Reads the list with each request of the page, because a new build has files with other names.
    if (isPage) known = readFiles();
    const files = await (known ??= readFiles());
    if (isPage && files.size === 0) return { body: notBuilt, type: contentTypeOf('index.html') };
    const name = isPage ? 'index.html' : path;
    const file = files.get(name);
    return file && { body: await readFile(file), type: contentTypeOf(name) };
  };
}

/** Returns files by their paths in the page's folder, with `/`. This code runs as `src/dev-ui.ts` and as `dist/index.js`. */
async function readFiles(): Promise<ReadonlyMap<string, URL>> {
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
