import { TholeError } from '@thole/core';
import { decodeText, encodeText } from '@thole/core/kit';
import type { MemoryEntry, StoredMemory, TextCodec } from '@thole/core';

/**
 * Returns an entry as a value of its hash, in four lines: time, kind, session (JSON) and text; a line is empty if the entry does not
 * have the value. Scripts read the first three lines only, because a codec may have encoded the text.
 */
export async function toElement(entry: MemoryEntry, codec: TextCodec | undefined): Promise<string> {
  const text = encodeText(codec, JSON.stringify({ v: 1, entry }));
  const session = entry.sessionId === undefined ? '' : JSON.stringify(entry.sessionId);
  return `${entry.timestamp ?? ''}\n${entry.kind}\n${session}\n${typeof text === 'string' ? text : await text}`;
}

/** Returns the entry of an element. Throws `STORE_VERSION` if it cannot be read. */
export async function fromElement(seq: unknown, element: string, codec: TextCodec | undefined): Promise<StoredMemory> {
  let start = 0;
  for (let line = 0; line < 3; line++) start = element.indexOf('\n', start) + 1;
  const text = decodeText(codec, element.slice(start));
  const { v, entry } = parse(typeof text === 'string' ? text : await text);
  if (v !== 1) {
    throw new TholeError(
      'STORE_VERSION',
      `A memory entry in Redis has version ${String(v)}; this package reads version 1.`,
    );
  }
  return { seq: Number(seq), entry };
}

function parse(text: string): { v: unknown; entry: MemoryEntry } {
  try {
    return JSON.parse(text) as { v: unknown; entry: MemoryEntry };
  } catch (cause) {
    throw new TholeError(
      'STORE_VERSION',
      'A memory entry in Redis cannot be read: another codec or version wrote it.',
      { cause },
    );
  }
}
