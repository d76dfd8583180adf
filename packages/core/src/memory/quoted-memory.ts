// What is quoted must be escaped, so that the first end is the block's own.
const BEGIN = '<past_conversations>';
const END = '</past_conversations>';

/**
 * The frame in which memory stands in a prompt, by which ingestion knows it again. The text must be escaped: nothing in it may
 * open or close a tag.
 */
export function quoteMemory(escaped: string): string {
  return `${BEGIN}\n${escaped}\n${END}`;
}

/** A text without the blocks of quoted memory in it: they were said once already, and would come back more often each time. */
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
