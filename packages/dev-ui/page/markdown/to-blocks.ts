import { Marked } from 'marked';
import type { Tokens } from 'marked';

/** A block of a text: code, shown with a copy button, or HTML. */
export type MarkdownBlock =
  | { kind: 'code'; key: string; code: string; language: string }
  | { kind: 'html'; key: string; html: string };

/**
 * Returns a text as blocks that can be shown one by one: while a text is written, only the last block changes. HTML
 * in the text is shown as text. Links lead only to web and mail addresses. Images at other addresses are links, so
 * that showing an answer sends no request to another host.
 */
export function toBlocks(text: string): MarkdownBlock[] {
  return blocksOf(text, 0).blocks;
}

/**
 * Returns a function that does the same for a text that grows: all blocks but the last two are read once (the number `2` below
 * a list may become its second item). The result is that of `toBlocks`, and blocks that did not change are the same objects. A link that is defined
 * further down in the text is a link only when the text is read again as a whole.
 */
export function growingBlocks(): (text: string) => readonly MarkdownBlock[] {
  let stable = { text: '', blocks: [] as readonly MarkdownBlock[] };
  let known = '';
  return (text) => {
    if (!text.startsWith(known)) stable = { text: '', blocks: [] };
    known = text;
    const read = blocksOf(text.slice(stable.text.length), stable.blocks.length);
    const all = [...stable.blocks, ...read.blocks];
    if (read.settled) {
      const { length, count } = read.settled;
      stable = { text: text.slice(0, stable.text.length + length), blocks: all.slice(0, stable.blocks.length + count) };
    }
    return all;
  };
}

interface Read {
  blocks: MarkdownBlock[];
  /** The part that further text cannot change: its length and its number of blocks. */
  settled: { length: number; count: number } | undefined;
}

/** Reads the blocks of a text after `before` others. */
function blocksOf(text: string, before: number): Read {
  const tokens = marked.lexer(text);
  const blocks: MarkdownBlock[] = [];
  let settled: Read['settled'];
  let last: Read['settled'];
  let length = 0;
  let isBlank = false;
  for (const token of tokens) {
    if (token.type !== 'space' && isBlank) {
      settled = last;
      last = { length, count: blocks.length };
    }
    isBlank = token.type === 'space' || /\n[ \t]*\n$/.test(token.raw);
    length += token.raw.length;
    if (token.type === 'space') continue;
    const key = `${before + blocks.length}:${token.type}`;
    if (token.type === 'code') {
      const { text: code, lang } = token as Tokens.Code;
      blocks.push({ kind: 'code', key, code, language: (lang ?? '').split(/\s/, 1)[0]! });
      continue;
    }
    const one = Object.assign([token], { links: tokens.links });
    blocks.push({ kind: 'html', key, html: marked.parser(one) });
  }
  // Characters that the parser replaces (tabs, carriage returns) make lengths differ.
  return { blocks, settled: length === text.length ? settled : undefined };
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

/** Returns an address that may be opened: web or mail, never a script. Undefined for any other. */
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
