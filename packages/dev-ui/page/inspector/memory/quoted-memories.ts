import type { RecalledMemory } from './recalled.ts';

/** Returns the memories that a text quotes in `<past_conversations>`, as prompts do. Empty without such a block. */
export function quotedMemories(text: string): RecalledMemory[] {
  const memories: RecalledMemory[] = [];
  for (const [, block = ''] of text.matchAll(BLOCKS)) memories.push(...parseBlock(block));
  return memories;
}

const BLOCKS = /<past_conversations>\n([^]*?)\n<\/past_conversations>/g;
const QUOTE = /^- (?:([^:\n]{1,80}): )?(.*)$/;
const ENDED_SUFFIX = ' (no longer true)';

// A heading with a time ends in a colon, a quote begins with "- ", and its further lines are indented. Other lines
// contain no memories.
function parseBlock(block: string): RecalledMemory[] {
  const memories: RecalledMemory[] = [];
  let time: string | undefined;
  for (const line of block.split('\n')) {
    const [, author, text] = QUOTE.exec(line) ?? [];
    const last = memories.at(-1);
    if (text !== undefined) memories.push({ text, ...(author && { author }), ...(time && { time }), ended: false });
    else if (line.startsWith('    ') && last) last.text += `\n${line.slice(4)}`;
    else if (line.endsWith(':')) time = timeIn(line);
  }
  return memories.map(finish);
}

function finish(memory: RecalledMemory): RecalledMemory {
  const ended = memory.text.endsWith(ENDED_SUFFIX);
  const text = ended ? memory.text.slice(0, -ENDED_SUFFIX.length) : memory.text;
  return { ...memory, text: unescape(text), ended };
}

function timeIn(heading: string): string | undefined {
  const time = heading.slice(0, -1);
  return Number.isNaN(Date.parse(time)) ? undefined : time;
}

const unescape = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
