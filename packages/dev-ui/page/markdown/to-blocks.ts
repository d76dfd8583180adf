import { Marked } from 'marked';
import type { Tokens } from 'marked';

/** A block of a text: code, shown with a copy button, or HTML. */
export type MarkdownBlock =
  | { kind: 'code'; key: string; code: string; language: string }
  | { kind: 'html'; key: string; html: string };

/**
 * Returns the blocks of a text. While a text is written, only the last block changes. HTML in the text is shown as
 * text. Links lead only to web and mail addresses. Images at other addresses are links, so
 * that showing an answer sends no request to another host.
 */
export function toBlocks(text: string): MarkdownBlock[] {
  return readBlocks(text, 0).blocks;
}

/**
 * Returns a function that does the same for a text that grows. It parses each block once, except the last two: a `2` below a list
 * may become its second item. The result equals that of `toBlocks`, and unchanged blocks are the same objects. One exception: a
 * link whose address is defined later in the text becomes a link only when the complete text is read again.
 */
export function createBlockReader(): (text: string) => readonly MarkdownBlock[] {
  let stable = { text: '', blocks: [] as readonly MarkdownBlock[] };
  let known = '';
  return (text) => {
    if (!text.startsWith(known)) stable = { text: '', blocks: [] };
    known = text;
    const read = readBlocks(text.slice(stable.text.length), stable.blocks.length);
    const all = [...stable.blocks, ...read.blocks];
    if (read.finished) {
      const { length, count } = read.finished;
      stable = { text: text.slice(0, stable.text.length + length), blocks: all.slice(0, stable.blocks.length + count) };
    }
    return all;
  };
}

interface ReadBlocks {
  blocks: MarkdownBlock[];
  /** The part that later text cannot change: its length and its number of blocks. */
  finished: { length: number; count: number } | undefined;
}

/** Reads the blocks of a text that follows `before` other blocks. Text that is nested too deeply for the parser stays unchanged. */
function readBlocks(text: string, before: number): ReadBlocks {
  try {
    return blocksOf(text, before);
  } catch {
    const block: MarkdownBlock = { kind: 'html', key: `${before}:text`, html: `<p>${escape(text)}</p>` };
    return { blocks: [block], finished: undefined };
  }
}

function blocksOf(text: string, before: number): ReadBlocks {
  const tokens = marked.lexer(text);
  const blocks: MarkdownBlock[] = [];
  let finished: ReadBlocks['finished'];
  let last: ReadBlocks['finished'];
  let length = 0;
  let isBlank = false;
  for (const token of tokens) {
    if (token.type !== 'space' && isBlank) {
      finished = last;
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
  // If the parser has replaced characters (tabs, carriage returns), the lengths differ.
  return { blocks, finished: length === text.length ? finished : undefined };
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
