import { relative } from 'node:path';
import { publishedPackages } from '../../scripts/tarballs.mjs';

const repository = 'https://github.com/thole-dev/thole/blob/main/';

/** Returns a link from a folder of the site to a file of the repository: to its page if the site has one, otherwise to GitHub. */
export function siteLink(target: string, folder: string): string {
  const [, path = '', hash = ''] = /^([^#]*)(#.*)?$/.exec(target) ?? [];
  const [, name] = /^packages\/([^/]+)(?:\/README\.md|\/)?$/.exec(path) ?? [];
  const published = publishedPackages().find((each) => each.folder === name);
  if (published) return `${relative(folder, `docs/reference/${published.name}/index.md`)}${hash}`;
  return path.startsWith('docs/') ? `${relative(folder, path)}${hash}` : `${repository}${path}${hash}`;
}
