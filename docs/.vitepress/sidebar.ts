import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DefaultTheme } from 'vitepress';

type Item = DefaultTheme.SidebarItem;

const site = join(import.meta.dirname, '..');

/** Returns the groups of docs/index.md with their pages: each `## Group` with the links of its list. */
function groups(): (Item & { items: Item[] })[] {
  const sections = readFileSync(join(site, 'index.md'), 'utf8').split(/^## /m).slice(1);
  return sections.map((section) => ({
    text: section.slice(0, section.indexOf('\n')),
    items: [...section.matchAll(/^- \[([^\]]+)\]\(([^)\s]+)\.md\)/gm)].map(([, text, page]) => ({
      text: text!.replaceAll('`', ''),
      link: `/${page}`,
    })),
  }));
}

/** Returns the first page of each group for the bar at the top. */
export function navigation(): DefaultTheme.NavItem[] {
  return groups().map(({ text, items }) => ({ text: text!, link: items[0]!.link! }));
}

/** Returns the sidebar: in the reference the packages, elsewhere the groups. */
export function sidebar(): DefaultTheme.SidebarMulti {
  const packages = globSync('reference/**/index.md', { cwd: site })
    .map(dirname)
    .sort()
    .map((folder) => ({
      text: folder.slice('reference/'.length),
      link: `/${folder}/`,
    }));
  return { '/reference': [{ text: 'Reference', link: '/reference', items: packages }], '/': groups() };
}
