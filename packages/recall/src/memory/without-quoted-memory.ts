// The frame in which memory is quoted in prompts. What is quoted is escaped, so the first end is the block's own.
const BEGIN = '<past_conversations>';
const END = '</past_conversations>';

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
