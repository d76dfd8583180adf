import { textOf } from '@thole/core';
import type { Content } from '@thole/core';
import type { Memory } from './turn.ts';

const BLOCK = /^<past_conversations>\n([^]*)\n<\/past_conversations>$/;
const LINE = /^- (?:(user|concierge): )?(.*)$/;

/** Returns the memories in a block of `preload_memory`. Undefined for any other content. */
export function readQuotes(content: Content | undefined): Memory[] | undefined {
  const block = BLOCK.exec(textOf(content).trim())?.[1];
  if (block === undefined) return undefined;
  const memories: Memory[] = [];
  for (const line of block.split('\n')) {
    const [, author, text] = LINE.exec(line) ?? [];
    const last = memories.at(-1);
    if (text !== undefined) memories.push({ text: unescape(text), ...(author !== undefined && { author }) });
    else if (last && line.startsWith('    ')) last.text += `\n${unescape(line.slice(4))}`;
  }
  return memories.filter(({ text }) => !text.endsWith(' (no longer true)'));
}

function unescape(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
