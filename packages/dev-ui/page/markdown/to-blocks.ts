import { Marked } from 'marked';
import type { Tokens } from 'marked';

/** A piece of a text: code, shown with a button to copy it, or HTML. */
export type MarkdownBlock =
  | { kind: 'code'; key: string; code: string; language: string }
  | { kind: 'html'; key: string; html: string };

/**
 * Markdown in pieces that can be shown one by one: while a text is written only the last one changes. HTML in the text is
 * shown as the text that it is; links lead to web and mail addresses alone; images that stand elsewhere are links, so that
 * showing an answer asks no other host.
 */
export function toBlocks(text: string): MarkdownBlock[] {
  const tokens = marked.lexer(text);
  const blocks: MarkdownBlock[] = [];
  for (const token of tokens) {
    if (token.type === 'space') continue;
    const key = `${blocks.length}:${token.type}`;
    if (token.type === 'code') {
      const { text: code, lang } = token as Tokens.Code;
      blocks.push({ kind: 'code', key, code, language: (lang ?? '').split(/\s/, 1)[0]! });
      continue;
    }
    const one = Object.assign([token], { links: tokens.links });
    blocks.push({ kind: 'html', key, html: marked.parser(one) });
  }
  return blocks;
}

const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    html: ({ text }) => escape(text),
    link({ href, title, tokens }) {
      const inner = this.parser.parseInline(tokens);
      const safe = safeHref(href);
      return safe === undefined ? inner : anchor(safe, inner, title);
    },
    image({ href, title, text }) {
      if (/^data:image\/(png|jpeg|gif|webp|avif);base64,/i.test(href)) {
        return `<img src="${escape(href)}" alt="${escape(text)}">`;
      }
      const safe = safeHref(href);
      return safe === undefined ? escape(text) : anchor(safe, escape(text || href), title);
    },
  },
});

/** An address that may be followed: of the web or of mail, never a script; undefined for any other. */
export function safeHref(href: string): string | undefined {
  try {
    const { protocol } = new URL(href, 'https://relative.invalid/');
    if (!['http:', 'https:', 'mailto:'].includes(protocol)) return undefined;
    return href.startsWith('#') ? undefined : href;
  } catch {
    return undefined;
  }
}

function anchor(href: string, inner: string, title: string | null | undefined): string {
  const tip = title ? ` title="${escape(title)}"` : '';
  return `<a href="${escape(href)}"${tip} target="_blank" rel="noopener noreferrer">${inner}</a>`;
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
