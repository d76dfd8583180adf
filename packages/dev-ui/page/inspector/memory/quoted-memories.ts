import type { RecalledMemory } from './recalled.ts';

/** Returns the memories in a text that quotes them in the frame of prompts. Empty without such a frame. */
export function quotedMemories(text: string): RecalledMemory[] {
  const memories: RecalledMemory[] = [];
  for (const [, block = ''] of text.matchAll(FRAMES)) memories.push(...inBlock(block));
  return memories;
}

const FRAMES = /<past_conversations>\n([^]*?)\n<\/past_conversations>/g;
const QUOTE = /^- (?:([^:\n]{1,80}): )?(.*)$/;
const NO_LONGER = ' (no longer true)';

// Headings with a time end in a colon, quotes begin with "- ", and their further lines are indented. Other lines
// belong to the frame.
function inBlock(block: string): RecalledMemory[] {
  const memories: RecalledMemory[] = [];
  let time: string | undefined;
  for (const line of block.split('\n')) {
    const [, author, words] = QUOTE.exec(line) ?? [];
    const last = memories.at(-1);
    if (words !== undefined)
      memories.push({ text: words, ...(author && { author }), ...(time && { time }), ended: false });
    else if (line.startsWith('    ') && last) last.text += `\n${line.slice(4)}`;
    else if (line.endsWith(':')) time = timeIn(line);
  }
  return memories.map(finished);
}

function finished(memory: RecalledMemory): RecalledMemory {
  const ended = memory.text.endsWith(NO_LONGER);
  const text = ended ? memory.text.slice(0, -NO_LONGER.length) : memory.text;
  return { ...memory, text: unescaped(text), ended };
}

function timeIn(heading: string): string | undefined {
  const time = heading.slice(0, -1);
  return Number.isNaN(Date.parse(time)) ? undefined : time;
}

const unescaped = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
