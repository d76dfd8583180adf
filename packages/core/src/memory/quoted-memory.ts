// The quoted text must be escaped, so that the first end mark ends the block.
const BEGIN = '<past_conversations>';
const END = '</past_conversations>';

/**
 * Returns escaped text in the frame that marks quoted memory in a prompt. Ingestion recognizes the frame. The text
 * must be escaped: it must not open or close a tag.
 */
export function quoteMemory(escaped: string): string {
  return `${BEGIN}\n${escaped}\n${END}`;
}

/** Returns a text without its blocks of quoted memory, so that quotes are not ingested again. */
export function withoutQuotedMemory(text: string): string {
  let rest = '';
  let from = 0;
  for (;;) {
    const begin = text.indexOf(BEGIN, from);
    const end = begin < 0 ? -1 : text.indexOf(END, begin);
    if (end < 0) return rest + text.slice(from);
    rest += text.slice(from, begin);
    from = end + END.length;
  }
}
