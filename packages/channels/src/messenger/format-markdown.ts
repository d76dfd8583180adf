import { lexer } from 'marked';
import type { MarkedToken, Token, Tokens } from 'marked';
import { splitText } from './split-text.ts';

/** The markup of a messenger. */
interface Markup {
  escape(text: string): string;
  bold(inner: string): string;
  strike(inner: string): string;
  code(text: string): string;
  block(text: string, language: string): string;
  link(label: string, url: string): string;
}

/** A piece of a message: its text as it was written, and with the markup of the messenger. */
export interface FormattedPiece {
  readonly plain: string;
  /** Undefined if the text contains nothing to format. */
  readonly formatted: string | undefined;
}

/** A part of a text, and the part with the markup of the messenger. */
type Replacement = readonly [raw: string, formatted: string, isBlock?: boolean];

const telegram: Markup = {
  escape: (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  bold: (inner) => `<b>${inner}</b>`,
  strike: (inner) => `<s>${inner}</s>`,
  code: (text) => `<code>${text}</code>`,
  block: (text, language) =>
    language === '' ? `<pre>${text}</pre>` : `<pre><code class="language-${language}">${text}</code></pre>`,
  link: (label, url) => `<a href="${url.replaceAll('"', '&quot;')}">${label}</a>`,
};

const whatsApp: Markup = {
  escape: (text) => text,
  bold: (inner) => `*${inner}*`,
  strike: (inner) => `~${inner}~`,
  code: (text) => `\`${text}\``,
  block: (text) => `\`\`\`${text}\`\`\``,
  link: (label, url) => (label === url ? url : `${label} (${url})`),
};

/** Splits a text, and converts the Markdown of each piece to Telegram's HTML. */
export function toTelegramPieces(text: string, limit: number): FormattedPiece[] {
  return piecesOf(text, limit, telegram);
}

/** Splits a text, and converts the Markdown of each piece to WhatsApp's markup. A converted piece is never longer. */
export function toWhatsAppPieces(text: string, limit: number): FormattedPiece[] {
  return piecesOf(text, limit, whatsApp);
}

function piecesOf(text: string, limit: number, markup: Markup): FormattedPiece[] {
  const pieces = splitText(text, limit);
  // Without this check, a piece inside of a split block of code would be formatted as text.
  const isWhole = pieces.every((piece) => (piece.match(/^[ \t>*+\-\d.)]*`{3,}[^`\n]*$/gm)?.length ?? 0) % 2 === 0);
  return pieces.map((plain) => {
    const formatted = isWhole ? formatPiece(plain, markup) : undefined;
    return { plain, formatted: formatted === markup.escape(plain) ? undefined : formatted };
  });
}

/** Returns undefined for text that is nested too deeply for the parser, such as a quote in a thousand quotes. */
function formatPiece(plain: string, markup: Markup): string | undefined {
  try {
    return format(plain, lexer(plain), markup);
  } catch {
    return undefined;
  }
}

/** Returns the text with the markup of its tokens. The text between the tokens, such as the marks of a quote, stays. */
function format(text: string, tokens: readonly Token[], markup: Markup): string {
  let result = '';
  let end = 0;
  for (const [raw, formatted, isBlock = false] of replacements(tokens, markup)) {
    const found = find(text, raw, end);
    if (!found) continue;
    const [start, match] = found;
    // A part of several lines in a list or quote stays as it was written, except a block of code.
    result += markup.escape(text.slice(end, start)) + (match === raw || isBlock ? formatted : markup.escape(match));
    end = start + match.length;
  }
  return result + markup.escape(text.slice(end));
}

/** Returns the position and text of a token. The parser has removed indentation, marks of quotes and `\r` from its lines. */
function find(text: string, raw: string, from: number): readonly [start: number, match: string] | undefined {
  const start = text.indexOf(raw, from);
  if (start >= 0 || !raw.includes('\n')) return start < 0 ? undefined : [start, raw];
  // Words contain neither white space nor `>`, so there is only one way to match: no backtracking.
  const words = raw.split(/[\s>]+/).filter((word) => word !== '');
  const escaped = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  const pattern = new RegExp(escaped.join('[\\s>]+'), 'g');
  pattern.lastIndex = from;
  const found = pattern.exec(text);
  return found ? [found.index, found[0]] : undefined;
}

/** Yields the innermost tokens in the order of the text. */
function* replacements(tokens: readonly Token[], markup: Markup): Generator<Replacement> {
  for (const token of tokens as MarkedToken[]) {
    if (token.type === 'list') {
      for (const item of token.items) {
        if (/^\s*[*+]\s/.test(item.raw)) yield [item.raw.trimStart()[0]!, '-'];
        yield* replacements(item.tokens, markup);
      }
    } else if (['paragraph', 'blockquote', 'text'].includes(token.type) && 'tokens' in token) {
      yield* replacements(token.tokens ?? [], markup);
    } else {
      const raw = token.type === 'code' || token.type === 'heading' ? token.raw.trimEnd() : token.raw;
      const formatted = formatToken(token, markup);
      yield [raw, formatted ?? markup.escape(raw), token.type === 'code' && formatted !== undefined];
    }
  }
}

/**
 * Returns undefined for a token that stays as it was written: underscores and single stars, which are often not markup, indented text,
 * tables, HTML, and links that are not `[label](http…)`.
 */
function formatToken(token: MarkedToken, markup: Markup): string | undefined {
  switch (token.type) {
    case 'strong':
      return token.raw.startsWith('**') ? markup.bold(format(token.text, token.tokens, markup)) : undefined;
    case 'del':
      return token.raw.startsWith('~~') ? markup.strike(format(token.text, token.tokens, markup)) : undefined;
    case 'heading':
      return token.text === ''
        ? undefined
        : markup.bold(format(token.text, token.tokens, { ...markup, bold: (inner) => inner }));
    case 'codespan':
      return markup.code(markup.escape(token.text));
    case 'code':
      return isClosed(token) ? markup.block(markup.escape(token.text), languageOf(token)) : undefined;
    case 'link':
    case 'image':
      return isWebLink(token) ? markup.link(labelOf(token, markup), markup.escape(token.href)) : undefined;
    default:
      return undefined;
  }
}

/** False for indented text, and for a block without its last line. */
function isClosed({ codeBlockStyle, raw }: Tokens.Code): boolean {
  return codeBlockStyle !== 'indented' && /\n *(?:```|~~~)[`~]*\s*$/.test(raw);
}

function languageOf({ lang = '' }: Tokens.Code): string {
  return /^[\w+#.-]{0,32}/.exec(lang)![0];
}

function labelOf({ text, tokens, type }: Tokens.Link | Tokens.Image, markup: Markup): string {
  // An image in a link would be a second link.
  return type === 'link' ? format(text, tokens, { ...markup, link: (label) => label }) : markup.escape(text);
}

function isWebLink({ href, raw, text }: Tokens.Link | Tokens.Image): boolean {
  return text !== '' && /^!?\[/.test(raw) && raw.endsWith(')') && /^https?:\/\//i.test(href);
}
