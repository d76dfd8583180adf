import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

const types: { readonly [extension: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/** Returns a built file of the page. Undefined for other addresses. */
export async function readPageFile(
  folder: string,
  address: string,
): Promise<{ bytes: Uint8Array; type: string } | undefined> {
  const [path = '/'] = address.split(/[?#]/, 1);
  const name = path === '/' ? 'index.html' : path.slice(1);
  const type = types[extname(name)];
  // Only `index.html` and plain names in `assets`, so that no address can read other files.
  if (type === undefined || !/^(?:index\.html|assets\/[\w.-]+)$/.test(name)) return undefined;
  try {
    return { bytes: await readFile(join(folder, name)), type };
  } catch {
    return undefined;
  }
}
