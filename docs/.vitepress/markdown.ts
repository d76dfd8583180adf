import { globSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { DefaultTheme, MarkdownOptions } from 'vitepress';
import { siteLink } from './site-link.ts';

type Markdown = Parameters<NonNullable<MarkdownOptions['config']>>[0];

const site = join(import.meta.dirname, '..');
/** In these packages a name is looked up first. The browser client has names of core. */
const order = ['core', 'runner', 'tools', 'server', 'memory'];

/** Shows `<name>` in a text as text. Vue would read it as an element without an end. */
export function escapeTags(md: Markdown): void {
  md.block.ruler.disable('html_block');
  const renderHtml = md.renderer.rules.html_inline!;
  md.renderer.rules.html_inline = (tokens, index, options, env, self) => {
    const { content } = tokens[index]!;
    return /^<(?:!--|\/?(?:a|br|img|kbd)\b)/.test(content)
      ? renderHtml(tokens, index, options, env, self)
      : md.utils.escapeHtml(content);
  };
}

/** Shows `- [ ]` as a box, as GitHub does. */
export function showTaskBoxes(md: Markdown): void {
  md.core.ruler.push('task-boxes', ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      const [text] = token.children ?? [];
      if (tokens[index - 2]?.type === 'list_item_open' && text) text.content = text.content.replace(/^\[ \] /, '☐ ');
    }
  });
}

/** Turns links that leave docs/ into links to the page of the package, or to the file in the repository. */
export function linkOutside(md: Markdown): void {
  md.core.ruler.push('link-outside', ({ tokens, env }) => {
    const folder = dirname((env as { relativePath: string }).relativePath);
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const target = token.type === 'link_open' ? token.attrGet('href') : null;
      if (!target || /^([a-z]+:|#)/.test(target) || !join(folder, target).startsWith('..')) continue;
      token.attrSet('href', siteLink(join('docs', folder, target), join('docs', folder)));
    }
  });
}

/** Turns the public names in a text, such as `createHandler`, into links to their pages in the reference. */
export function linkNames(md: Markdown): void {
  const pages = pagesOfNames();
  const renderCode = md.renderer.rules.code_inline!;
  md.renderer.rules.code_inline = (tokens, index, options, env: { relativePath: string }, self) => {
    const html = renderCode(tokens, index, options, env, self);
    const name = /^(?:new )?([A-Za-z]\w+)(?:\(.*\))?$/.exec(tokens[index]!.content)?.[1];
    const page = name === undefined ? undefined : pages.get(name);
    const isInLink = tokens.slice(0, index).findLast(({ type }) => type.startsWith('link_'))?.type === 'link_open';
    if (page === undefined || isInLink || env.relativePath === page) return html;
    const target = relative(dirname(env.relativePath), page).replace(/\.md$/, '.html');
    return `<a class="name" href="${target}">${html}</a>`;
  };
}

/** Renders a page for the search index, which needs only its text. Highlighting takes a third of the time of a page. */
export const renderForSearch: NonNullable<DefaultTheme.LocalSearchOptions['_render']> = (text, env, md) => {
  md.options.highlight = null;
  const html = md.render(text, env);
  return env.frontmatter?.['search'] === false ? '' : html;
};

/** Returns the page of each public name, relative to docs/. */
function pagesOfNames(): ReadonlyMap<string, string> {
  const pages = globSync('reference/**/{classes,functions,interfaces,type-aliases,variables}/*.md', { cwd: site });
  const rank = (page: string): number => (order.indexOf(page.split('/')[2]!) + 100) % 100;
  const sorted = pages.sort((a, b) => rank(b) - rank(a));
  return new Map(sorted.map((page) => [basename(page, '.md'), page]));
}
