import { defineConfig } from 'vitepress';
import { escapeTags, linkNames, linkOutside, renderForSearch, showTaskBoxes } from './markdown.ts';
import { navigation, sidebar } from './sidebar.ts';

/** The documentation site. `pnpm run docs` builds it. */
export default defineConfig({
  title: 'Thole',
  description: 'An Agent Development Kit for TypeScript',
  lang: 'en',
  // Without it each page has a list of all 900 pages in it: 120 MB of HTML instead of 50.
  metaChunk: true,
  head: [
    ['link', { rel: 'icon', href: 'data:,' }],
    // Long names in code break within their cell. Otherwise the last column of many tables is outside the page. A phone has
    // too little space for that and scrolls the table.
    ['style', {}, '@media (min-width: 768px) { .vp-doc td code { overflow-wrap: anywhere; } }'],
  ],
  srcExclude: ['examples/**', 'deploy/**'],
  // Without this esbuild reads the tsconfig.json of the repository, which names targets that it does not know.
  vite: { esbuild: { tsconfigRaw: {} } },
  markdown: {
    config(md) {
      escapeTags(md);
      showTaskBoxes(md);
      linkOutside(md);
      linkNames(md);
    },
  },
  themeConfig: {
    nav: navigation(),
    sidebar: sidebar(),
    outline: [2, 3],
    search: { provider: 'local', options: { _render: renderForSearch } },
    socialLinks: [{ icon: 'github', link: 'https://github.com/thole-dev/thole' }],
  },
});
